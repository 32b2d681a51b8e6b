"""Requests that no page of the desk makes: wrong ids, numbers that are none, actions without their record.

Whatever is sent, the desk refuses it with a page, and a form shows no record that its person may not read.
"""
import pytest

from eventapi import app as application
from eventapi.domain.access import api_keys, links
from eventapi.domain.access import api_keys, links
from eventapi.pages.desk import actions, api, batches, records
from eventapi.plugins import sessions

IDS = ("0", "9" * 18, "9" * 30, "-1", "1.5", "x", "%C2%B2", "1%00")
NUMBERS = ("²", "9" * 5000, "-1", "\0", "' OR 1=1")
PARAMETERS = ("page", "event", "q", "plan", "status", "show", "ids", "role", "done", "back", "contact_id", "plan_id",
              "event_participant_id", "entity_id", "booth_id", "language", "tick")


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


def paths(method):
    """Yield the paths of all routes of the desk, with each name that they may have, and with hostile ids."""
    words = {"<name>": (*actions.BUTTONS, *records.KINDS, "x"), "<what>": ("show", "rotate", "mail", "x"),
             "<resource>/<action>": [f"{noun}/{word}" for noun, word in batches.BATCHES] + ["links/revoke"]}
    for route in application.routes():
        if not route.path.startswith("/desk") or route.method != method or "sign" in route.path:
            continue
        found = [route.path]
        for mark, values in words.items():
            found = [path.replace(mark, value) for path in found for value in (values if mark in path else [""])]
        yield from found


def with_ids(path, text):
    return path.replace("<id>", text).replace("<item_id>", text)


def test_no_address_breaks_the_desk(office, fair):
    broken = [f"{path} {text}" for path in paths("GET") for text in (("1", *IDS) if "<id>" in path else ("",))
              if office.get(with_ids(path, text), "*").status_int >= 500]
    assert not broken


def test_no_query_breaks_a_page(office, fair):
    broken = []
    for path in (path for path in paths("GET") if "/do/" not in path or path == "/desk/do/create_note"):
        for text in ("%C2%B2", "9" * 90, "%00", "%22%3E%3Cscript", "*%22(", "%ff"):
            query = "&".join(f"{name}={text}" for name in PARAMETERS)
            answer = office.get(f"{with_ids(path, '1')}?{query}", "*")
            if answer.status_int >= 500 or b"<script" in answer.body:
                broken.append(f"{path} {text}")
    assert not broken


def test_no_form_breaks_the_desk(office, fair):
    page, broken = office.get("/desk/applications"), []
    names = (*actions.FIXED, "ids", "participant_id", "tag", "part", "kind", "plan_id", "items/0/quantity", "amount",
             "rows/0/count", "rows/0/x", "sure", "trial")
    for path in paths("POST"):
        for text in NUMBERS:
            if office.submit(page, with_ids(path, "1"), dict.fromkeys(names, text), "*").status_int >= 500:
                broken.append(f"{path} {text[:20]!r}")
    assert not broken


def test_an_action_without_its_ids_or_with_others_does_not_exist(office):
    """What the body says doesn't matter: the address names no action."""
    page = office.get("/desk/applications")
    for name in actions.BUTTONS:
        for ids in ("", "/1", "/1/1"):
            if ids.count("/") != api.routes()[name].path.count("<"):
                office.get(f"/desk/do/{name}{ids}", 404)
                office.submit(page, f"/desk/do/{name}{ids}", {}, 404)


def test_no_page_shows_or_renews_a_link_of_the_desk(office, fair, db):
    """Nobody gives rights at the desk: links of admins are made on the command line only."""
    with db.write():
        id = links.create(db, "admin", admin_id=db.value(api_keys.sql.first_admin), rights=["events:read"])["id"]
    page = office.get("/desk/applications")
    for address in ("links/{}/show", "links/{}/rotate", "links/{}/mail", "do/mail_link/{}", "do/revoke_link/{}"):
        office.get(f"/desk/{address.format(id)}", 404)
        office.submit(page, f"/desk/{address.format(id)}", {}, 404)
    assert "does not exist any more" in office.submit(page, "/desk/batch/links/remind", {"ids": id, "sure": "1"}, 200)
    for kind in ("admin", "desk", "key"):
        office.submit(page, "/desk/links", {"kind": kind, "name": "Eve", "email": "eve@mail.example"}, "*")
    assert list(db.connection.execute("SELECT kind, revoked_at FROM links")) == [("admin", None)]
    assert not list(db.connection.execute("SELECT * FROM link_secrets"))
