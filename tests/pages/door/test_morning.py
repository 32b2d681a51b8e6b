"""The opening morning of morning.py in a short form: fewer people, and seconds without network."""

import shutil

import pytest

from tests.pages.door import morning
from tests.support import nginx_site
from tests.support.browser import BROWSER
from tests.support.client import SCOPES, add_key

pytestmark = [
    pytest.mark.processes,
    nginx_site.required,
    pytest.mark.skipif(not BROWSER, reason="needs chromium"),
]


def test_nothing_that_four_phones_have_shown_green_is_missing_on_the_server(
    tmp_path, organiser, db, settings
):
    organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2036-01-04",
        },
    )
    records = [
        {
            "last_name": f"Visitor {number}",
            "email": f"v{number}@example.org",
            "role": "visitor",
            "is_confirmed": True,
        }
        for number in range(150)
    ]
    organiser.post(
        "/bulk-import/participants",
        {"event_key": "fair", "create_contacts": True, "match_field": "email", "records": records},
        status=201,
    )
    folder = tmp_path / "morning"
    folder.mkdir()
    figures = morning.play(folder, tmp_path, add_key(db, SCOPES), "fair", seconds=20, absence=10)
    assert figures["scans"] > 180 and figures["without network"] > 60
    assert set(figures["refused"]) == {
        "already_checked_in",
        "participant_cancelled",
        "badge_replaced",
        "unknown_badge",
    }
    shutil.rmtree(folder)
