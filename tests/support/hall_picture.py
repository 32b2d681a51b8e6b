"""The picture in README.md: a hall of the sample show, as GET /plans/{id}/svg draws it.

`make picture` writes it anew. tests/test_demo.py compares it with what the program draws.
"""

import sys
import tempfile
from pathlib import Path

import webtest

from eventapi import times
from eventapi.app import App
from eventapi.demo import show
from eventapi.storage import migrations
from eventapi.storage.database import Database
from tests.support.client import SCOPES, Client, add_key, make_settings

FILE = Path(__file__).resolve().parents[2] / "docs" / "hall.svg"
# of the show in the picture: the sample show has dates relative to now
AFTERNOON = "2027-06-16T13:20:00Z"
EVENT, VIEW = "gartenmesse-23", "view=public&language=en"


def draw(client):
    """Return the picture as text.

    `client` sends requests to a service with the small sample show of AFTERNOON.
    """
    plan = client.data(f"/plans?event_key={EVENT}&sort=sort_order&order=ASC")[0]
    return client.get(
        f"/plans/{plan['id']}/svg?{VIEW}", headers={"Accept": "image/svg+xml"}, status=200
    ).text


def main():
    """Make the sample show in a temporary folder, and write its first hall to FILE."""
    times.now = lambda: AFTERNOON
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "new.db"
        migrations.migrate(database)
        settings = make_settings(Path(folder), database.read_bytes())
        show.make(settings)
        db = Database(settings)
        FILE.write_text(
            draw(Client(webtest.TestApp(App(settings)), add_key(db, SCOPES))), encoding="utf-8"
        )
        db.close()
    print(f"{FILE}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    sys.exit(main())
