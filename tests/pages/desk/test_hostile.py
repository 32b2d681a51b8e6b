"""Requests that no page of the desk makes: wrong ids, numbers that are none, actions without their
record.

Whatever is sent, the desk refuses it with a page, and a form shows no record that its person may
not read.
"""

import time

import pytest
from bs4 import BeautifulSoup

from eventapi import app as application
from eventapi.config import option
from eventapi.pages.desk import actions, api, batches, kinds
from eventapi.plugins import sessions
from tests.support import camt, own_script

IDS = ("0", "9" * 18, str(2**63), "9" * 30, "-1", "1.5", "1e3", "x", "%C2%B2", "%D9%A3", "1%00")
NUMBERS = ("²", "٣", str(2**63), "9" * 5000, "-1", "1e3", "\0", "' OR 1=1")
PARAMETERS = (
    "page",
    "event",
    "q",
    "plan",
    "status",
    "show",
    "ids",
    "role",
    "done",
    "of",
    "made",
    "kind",
    "id",
    "person",
    "back",
    "contact_id",
    "plan_id",
    "event_participant_id",
    "entity_id",
    "booth_id",
    "language",
    "tick",
)


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


def paths(method):
    """Yield the paths of all routes of the desk, with each name that they may have, and with
    hostile ids.
    """
    words = {
        "<name>": (*actions.buttons(), *kinds.KINDS, "x"),
        "<what>": ("show", "rotate", "mail", "x"),
        "<page>": (*option.PAGES, "x"),
        "<resource>/<action>": [f"{noun}/{word}" for noun, word in batches.offered()]
        + ["links/revoke"],
    }
    for route in application.routes():
        if not route.path.startswith("/desk") or route.method != method or "sign" in route.path:
            continue
        found = [route.path]
        for mark, values in words.items():
            found = [
                path.replace(mark, value)
                for path in found
                for value in (values if mark in path else [""])
            ]
        yield from found


def with_ids(path, text):
    return path.replace("<id>", text).replace("<item_id>", text)


def test_no_address_breaks_the_desk(office, fair):
    broken = [
        f"{path} {text}"
        for path in paths("GET")
        for text in (("1", *IDS) if "<id>" in path else ("",))
        if office.get(with_ids(path, text), "*").status_int >= 500
    ]
    assert not broken


def test_no_query_breaks_a_page(office, fair):
    broken = []
    for path in (
        path for path in paths("GET") if "/do/" not in path or path == "/desk/do/create_note"
    ):
        for text in ("%C2%B2", "9" * 90, "%00", "%22%3E%3Cscript", "*%22(", "%ff"):
            query = "&".join(f"{name}={text}" for name in PARAMETERS)
            answer = office.get(f"{with_ids(path, '1')}?{query}", "*")
            body = own_script.without(answer.body.decode("utf-8", "replace"))
            if answer.status_int >= 500 or "<script" in body:
                broken.append(f"{path} {text}")
    assert not broken


def test_no_form_breaks_the_desk(office, fair):
    page, broken = office.get("/desk/applications"), []
    hidden = {name for route in actions.buttons().values() for name in route.options.desk.fixed}
    names = (
        *sorted(hidden),
        "ids",
        "participant_id",
        "tag",
        "part",
        "kind",
        "plan_id",
        "items/0/quantity",
        "amount",
        "rows/0/count",
        "rows/0/x",
        "sure",
        "trial",
    )
    for path in paths("POST"):
        for text in NUMBERS:
            if (
                office.submit(page, with_ids(path, "1"), dict.fromkeys(names, text), "*").status_int
                >= 500
            ):
                broken.append(f"{path} {text[:20]!r}")
    assert not broken


def test_no_step_is_taken_for_an_id_that_is_none(office, fair):
    """None of these is the id of a record, so each is a page that does not exist, whatever the form
    says.
    """
    page, wrong = office.get("/desk/applications"), []
    for path in (path for path in paths("POST") if "<id>" in path):
        for text in ("0", str(2**63), "-1", "1e3", "%D9%A3", "1%00"):
            answer = office.submit(page, with_ids(path, text), {"back": ""}, "*")
            if answer.status_int != 404 or "html" not in answer.content_type:
                wrong.append(f"{path} {text} {answer.status}")
    assert not wrong


def test_a_part_of_another_record_is_not_found(office, busy_fair):
    """The desk shows all shows of the organiser to its keys; but a part belongs to its own record
    only.
    """
    page = office.get("/desk/applications")
    for address in (
        "do/withdraw_dunning/2/1",
        "do/cancel_service_order_item/1/3",
        "do/delete_link_device/1/1",
    ):
        office.submit(page, f"/desk/{address}", {"reason": "x", "back": ""}, 404)
    office.get("/desk/invoices/4/letters/1/pdf")
    office.get("/desk/invoices/2/letters/1/pdf", 404)


CSV = "Buchungstag;Betrag\n"
UNKNOWN = "The columns of this file are known from no bank."
DAMAGED = "The file is damaged or cut off."
LARGE = "The file is too large."
EMPTY = "The file contains no complete statement."
# Statement -> (file, most seconds of CPU to refuse it, what the page says)
STATEMENTS = {
    "100,000 columns": (";".join(f"Spalte {number}" for number in range(100_000)), 1, DAMAGED),
    "100,000 columns and rows of them": ((";" * 100_000 + "\n") * 20, 12, UNKNOWN),
    "a line without an end": (CSV.rstrip() + "x" * 5_000_000, 1, DAMAGED),
    "formulas": (CSV + "=cmd|'/c calc'!A1;@SUM(1+1)\n" * 1000, 1, UNKNOWN),
    "UTF-16": ((CSV + "01.12.2025;5,00\n").encode("utf-16"), 1, UNKNOWN),
    "the half of a character of UTF-16": (
        (CSV + "01.12.2025;5,00\n").encode("utf-16")[:-1],
        1,
        DAMAGED,
    ),
    "a mark of byte order": ("\ufeff" + CSV, 1, UNKNOWN),
    "25 MB of quotes": ('"' * 25_000_000, 3, LARGE),
    "25 MB of lines": ("\n" * 25_000_000, 3, LARGE),
    "NUL": ("\0" * 1000, 1, DAMAGED),
    "nothing": (" ", 1, EMPTY),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_hostile_statement_is_refused_with_a_sentence_in_little_time(office, fair, db, name):
    """Files of an unknown bank wait for somebody who says how to read them, and are shown."""
    content, seconds, sentence = STATEMENTS[name]
    content = content.encode() if isinstance(content, str) else content
    page, began = office.get("/desk/money/bank"), time.process_time()
    refused = office.submit(page, "/desk/money/statement", {}, "*", upload=("bank.csv", content))
    assert refused.status_int == (303 if sentence == UNKNOWN else 422)
    if sentence == UNKNOWN:
        refused = office.get(refused.headers["Location"].replace("../../desk", "/desk"))
        assert len(refused.body) < 100_000
    assert time.process_time() - began < seconds
    assert sentence in refused
    assert db.connection.execute("SELECT count(*) FROM bank_transactions").fetchone() == (0,)


def test_an_action_without_its_ids_or_with_others_does_not_exist(office):
    """What the body says doesn't matter: the address names no action."""
    page = office.get("/desk/applications")
    for name in actions.buttons():
        for ids in ("", "/1", "/1/1"):
            if ids.count("/") != api.routes()[name].path.count("<"):
                office.get(f"/desk/do/{name}{ids}", 404)
                office.submit(page, f"/desk/do/{name}{ids}", {}, 404)


def test_an_action_takes_only_the_hidden_fields_of_its_own(office, fair, organiser):
    """Those of another action are neither shown again nor sent."""
    address = f"do/create_task?entity_type=event&entity_id={fair.event['id']}&booth_id=7&waitlist=1"
    page = office.get(f"/desk/{address}")
    assert 'name="entity_id"' in page
    assert 'name="booth_id"' not in page and 'name="waitlist"' not in page
    fields = {"back": "", "title": "Call", "entity_type": "event", "contact_id": "1"}
    fields |= {"entity_id": str(fair.event["id"]), "invoice_number": "R-1", "mail": "1"}
    office.submit(page, "/desk/do/create_task", fields)
    [task] = organiser.data("/tasks")
    assert (task["title"], task["entity_id"]) == ("Call", fair.event["id"])


def test_no_page_of_links_gives_rights_at_the_desk(office, fair, db):
    page = office.get("/desk/applications")
    for kind in ("admin", "desk", "key"):
        office.submit(
            page, "/desk/links", {"kind": kind, "name": "Eve", "email": "eve@mail.example"}, "*"
        )
    assert not list(db.connection.execute("SELECT * FROM links"))
    assert not list(db.connection.execute("SELECT * FROM link_secrets"))


EVIL = "\"' evil=1 <evil>=1+1"


def test_names_of_strangers_are_text_on_every_page(office, fair, organiser, db):
    """Names that exhibitors, applicants, the bank and colleagues have typed: no element and no
    attribute comes of them.
    """
    organiser.patch(
        f"/contacts/{fair.contact['id']}",
        dict.fromkeys(
            ("company_name", "first_name", "last_name", "address", "city", "notes", "tax_id"), EVIL
        ),
    )
    organiser.patch(f"/participants/{fair.exhibitor['id']}", {"badge_name": EVIL})
    organiser.patch(
        f"/applications/{fair.application['id']}",
        {"company_name": EVIL, "message": EVIL, "notes": EVIL},
    )
    organiser.patch(f"/events/{fair.event['id']}", {"title": EVIL, "venue": EVIL})
    organiser.patch(f"/plans/{fair.plan['id']}", {"plan_name": EVIL, "description": EVIL})
    organiser.patch(
        f"/booths/{fair.booths[0]['id']}",
        {"booth_number": EVIL[:12], "booth_name": EVIL, "notes": EVIL},
    )
    organiser.patch(f"/categories/{fair.category['id']}", {"title": EVIL})
    organiser.post(
        "/booth-reservations",
        {
            "booth_id": fair.booths[0]["id"],
            "notes": EVIL,
            "event_participant_id": fair.exhibitor["id"],
        },
    )
    kind = organiser.make(
        "/submissions/types", {"event_key": "fair", "title": EVIL, "input": "text"}
    )
    made = organiser.make(
        "/submissions",
        {"event_participant_id": fair.exhibitor["id"], "type_id": kind["id"], "value": EVIL},
    )
    organiser.post(f"/submissions/{made['id']}/submit")
    for entity in ("application", "event_participant", "contact"):
        organiser.make("/notes", {"entity_type": entity, "entity_id": 1, "note_text": EVIL})
        organiser.make(
            "/tasks", {"entity_type": entity, "entity_id": 1, "title": EVIL, "description": EVIL}
        )
    organiser.make(
        "/links", {"kind": "door", "event_id": fair.event["id"], "name": EVIL, "station": EVIL}
    )
    made = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.patch(
        f"/invoices/{made['id']}", {"text": EVIL, "notes": EVIL, "buyer_reference": EVIL}
    )
    entry = {"amount": 10000, "day": "2026-11-20", "text": EVIL, "party": EVIL}
    page = office.get("/desk/money/bank")
    office.submit(
        page,
        "/desk/money/statement",
        upload=("bank.xml", camt.document([camt.statement("DE02120300000000202051", [entry])])),
    )
    seen = 0
    for path in (with_ids(path, "1") for path in paths("GET")):
        answer = office.get(f"{path}?q=evil", "*")
        if answer.content_type == "text/html":
            soup = BeautifulSoup(answer.body, "html.parser")
            assert not soup.find("evil") and not soup.find(attrs={"evil": True}), path
            seen += "evil=1 <evil>" in soup.text
    assert seen > 40
