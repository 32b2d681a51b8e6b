"""The pictures of docs/guides/office.md: pages of the desk with the sample show, as Chromium draws them.

`make picture` writes them anew. With a folder as argument, write all pages in it instead: narrow and wide, light and
dark, German and English, to look at.
"""
import sys
import tempfile
from pathlib import Path

from eventapi import times
from eventapi.app import App
from eventapi.demo import show
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import migrations
from eventapi.storage.database import Database
from tests.support.browser import Browser
from tests.support.client import SCOPES, add_key, make_settings
from tests.support.hall_picture import AFTERNOON, FILE
from tests.support.served import served

PICTURES = {"desk": "", "desk-exhibitors": "exhibitors"}       # name of the file in docs -> page
LOOK = ("", "applications", "applications/1", "exhibitors", "exhibitors/1", "hall", "booths/1", "money",
        "money?show=overdue", "money/bank", "people?q=garten", "setup", "edit/services", "edit/events", "settings/2",
        "hall/layout/1", "do/reject_application/1", "print")


def take(browser, address, folder):
    """Write the pictures of the guide, or those to look at into a folder."""
    if folder is None:
        for name, path in PICTURES.items():
            browser.open(f"{address}/{path}", width=1000, height=620)
            browser.screenshot(FILE.parent / f"{name}.png")
        return
    for width, dark, language in ((360, False, "de"), (1280, True, "en")):
        for path in LOOK:
            browser.open(f"{address}/{path}{'&' if '?' in path else '?'}language={language}", width=width, dark=dark,
                         height=1400)
            browser.screenshot(folder / f"{width}-{path.replace('/', '-').replace('?', '-') or 'today'}.png")


def main(folder=None):
    """Make the sample show in a temporary folder, and take the pictures."""
    times.now = lambda: AFTERNOON
    with tempfile.TemporaryDirectory() as place, Browser(place) as browser:
        database = Path(place) / "new.db"
        migrations.migrate(database)
        settings = make_settings(Path(place), database.read_bytes())
        show.make(settings)
        db = Database(settings)
        housekeeping.record_heartbeat(db)
        key = add_key(db, SCOPES)
        with served(App(settings), []) as url:
            browser.open(f"{url}/desk/sign-in")
            browser.run(f"document.querySelector('#key').value = '{key}'; document.querySelector('main form').submit()")
            browser.until(lambda: browser.run("location.pathname") == "/desk/")
            take(browser, f"{url}/desk", folder and Path(folder))
        db.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
