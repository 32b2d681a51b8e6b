"""Whoever hands out an address or a secret is in the audit log, in the transaction that hands it
out.
"""

import ast
import inspect
from pathlib import Path

import pytest

from eventapi import journal
from eventapi.app import routes
from eventapi.domain.access import links
from eventapi.domain.portal import reading

pytestmark = pytest.mark.usefixtures("mail")
ROOT = Path(__file__).parents[3] / "eventapi"
# Function that makes the secret of an address -> entries of those who get it. A draft is what
# somebody has typed into a public form: its address confirms that, and has no entry before there is
# an application.
MAKERS = {
    "cli/links.py create_door": "created",
    "domain/access/links.py add_secret": "those of its callers",
    "domain/access/links.py with_secret": "mailed, reminded",
    "domain/access/links.py show": "shown",
    "domain/access/people.py make_secret": "shown",
    "domain/portal/granting.py create": "created",
    "domain/portal/granting.py rotate": "rotated",
    "domain/public_forms/drafts.py add_secret": "a draft",
    "domain/public_forms/drafts.py new_secret": "a draft",
    "pages/show/forms.py sent_page": "a draft",
}
# Operation whose response has a secret -> (path, body) to send, entity type and action of its
# entry.
ONCE = {
    "create_link": (
        "/links",
        {"kind": "door", "event_key": "fair", "name": "West"},
        "link",
        "created",
    ),
    "create_participant_link": ("/participants/1/link", {"mail": False}, "link", "created"),
    "show_link": ("/links/1/show", None, "link", "shown"),
    "rotate_link": ("/links/1/rotate", None, "link", "rotated"),
    "create_calendar_subscription": (
        "/calendar-feed/subscriptions",
        {"name": "Mine"},
        "calendar_subscription",
        "created",
    ),
    "rotate_calendar_subscription": (
        "/calendar-feed/subscriptions/1/rotate",
        None,
        "calendar_subscription",
        "rotated",
    ),
    "create_webhook": (
        "/webhooks",
        {"name": "Hook", "url": "https://hooks.example.org/", "events": ["*"]},
        "webhook",
        "created",
    ),
    "rotate_webhook_secret": ("/webhooks/1/rotate-secret", None, "webhook", "secret_rotated"),
}


@pytest.fixture
def link(portal):
    portal.change(my_is_open=True)
    return portal.organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": portal.participant["id"],
            "name": "Anna Blum",
            "email": "anna@blum.example",
            "language": "en",
        },
    )


@pytest.fixture
def entries(organiser):
    """Return a function that returns the audit entries about links, the oldest first, without that
    of `link`.
    """
    return lambda: organiser.data("/audit-log?entity_type=link&sort=id&order=ASC&per_page=100")[1:]


def actions(entries):
    return [(entry["action"], entry["entity_id"], entry["admin_name"]) for entry in entries]


# Completeness


def callers():
    """Yield "FILE FUNCTION" for each call that makes the secret of an address."""
    for path in sorted(ROOT.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                called = [
                    ast.unparse(node.func)
                    for node in ast.walk(function)
                    if isinstance(node, ast.Call)
                ]
                if {
                    "add_secret",
                    "links.add_secret",
                    "drafts.add_secret",
                    "link_secrets.add",
                } & set(called):
                    yield f"{path.relative_to(ROOT)} {function.name}"


def test_each_function_that_makes_the_secret_of_an_address_is_in_the_list():
    assert set(callers()) == MAKERS.keys()


def test_each_operation_with_a_secret_in_its_response_is_in_the_list():
    found = {
        route.handler.__name__
        for route in routes()
        if not route.options.page and 'secret="' in inspect.getsource(route.handler)
    }
    assert found == ONCE.keys()


@pytest.mark.parametrize("name", ONCE)
def test_an_operation_that_shows_a_secret_has_an_entry_of_its_request_without_it(
    organiser, portal, link, name
):
    path, body, kind, action = ONCE[name]
    for other, (collection, fields, created, _) in ONCE.items():
        if other.startswith("create_") and created == kind and kind != "link" and other != name:
            organiser.make(collection, fields)
    if name == "create_participant_link":
        address = {"email": "bela@example.org"}
        organiser.patch(f"/contacts/{portal.participant['contact_id']}", address, status=200)
    answer = organiser.post(path, body)
    assert answer.status_int in (200, 201)
    [entry] = organiser.data(f"/audit-log?request_id={answer.headers['X-Request-ID']}")
    assert (entry["entity_type"], entry["action"], entry["admin_name"]) == (
        kind,
        action,
        "Ada Lovelace",
    )
    secret = answer.json["data"].get("url" if "link" in name or "calendar" in name else "secret")
    assert secret and secret.rpartition("/")[2] not in str(entry)


# Links


@pytest.mark.parametrize(
    ("way", "action"), [("show", "shown"), ("mail", "mailed"), ("remind", "reminded")]
)
def test_the_office_that_hands_out_the_address_of_a_link_is_in_the_log(
    organiser, link, entries, way, action
):
    answer = organiser.post(f"/links/{link['id']}/{way}")
    assert answer.status_int in (200, 202)
    [entry] = entries()
    assert (entry["action"], entry["entity_id"], entry["admin_name"]) == (
        action,
        link["id"],
        "Ada Lovelace",
    )
    assert (entry["request_id"], entry["entity_title"]) == (
        answer.headers["X-Request-ID"],
        f"link {link['id']}",
    )
    assert entry["old_values"] is entry["new_values"] is None
    assert "anna" not in str(entry).lower() and "evl_" not in str(entry)
    names = [
        row["type"]
        for row in organiser.data("/webhooks/feed?per_page=100")
        if row["type"].startswith("link.")
    ]
    assert names == ["link.created"], "webhooks have no such event"


def test_a_batch_has_an_entry_for_each_link_that_it_hands_out(organiser, portal, link, entries):
    other = organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": portal.participant["id"],
            "email": "bela@blum.example",
        },
    )
    door = organiser.make("/links", {"kind": "door", "event_key": "fair", "name": "West"})
    before = len(entries())
    ids = [link["id"], door["id"], other["id"]]
    for action, word in (("mail", "mailed"), ("remind", "reminded")):
        organiser.post("/links/batch", {"action": action, "ids": ids, "dry_run": True}, status=200)
        assert len(entries()) == before, "a dry run hands out nothing"
        for _ in range(2):  # the second one is a repetition
            data = organiser.post(
                "/links/batch",
                {"action": action, "ids": ids},
                headers={"Idempotency-Key": action},
                status=200,
            ).json["data"]
            assert (data["done"], data["refused"]) == (2, 1)
        assert [(entry["action"], entry["entity_id"]) for entry in entries()[before:]] == [
            (word, link["id"]),
            (word, other["id"]),
        ]
        before += 2


@pytest.mark.parametrize("way", ["show", "mail", "remind"])
def test_an_address_without_its_entry_is_not_handed_out(organiser, link, db, monkeypatch, way):
    """Both are one transaction: the secret and the mail go with the entry."""

    def fail(*_):
        raise RuntimeError

    stored = "SELECT (SELECT count(*) FROM link_secrets), (SELECT count(*) FROM mails WHERE kind <> 'link_notice')"
    before = db.connection.execute(stored).fetchone()
    monkeypatch.setattr(journal, "_audit", fail)
    organiser.post(f"/links/{link['id']}/{way}", status=500)
    assert db.connection.execute(stored).fetchone() == before


def test_a_refused_request_has_no_entry(organiser, person, link, entries):
    person("links participants").post(f"/links/{link['id']}/show", status=403)
    organiser.post(f"/links/{link['id']}/mail", status=202)
    for _ in range(links.PER_DAY - 1):
        organiser.post(f"/links/{link['id']}/mail", status=202)
    organiser.post(f"/links/{link['id']}/mail", status=429)
    assert actions(entries()) == [("mailed", link["id"], "Ada Lovelace")] * links.PER_DAY


def test_a_link_that_somebody_asks_for_is_mailed_by_nobody_of_the_office(db, link, entries):
    with db.write():
        links.ask_for_mail(db, "anna@blum.example", "https://show.example.org")
    links.handle_requests(db, 10)
    assert actions(entries()) == [("mailed", link["id"], None)]


def test_the_offer_of_a_booth_is_mailed(db, portal, link, entries):
    portal.change(my_rights=["booth"])
    with db.write():
        links.tell_of_offer(db, reading.participant(db, portal.participant["id"])["id"])
    assert actions(entries()) == [("mailed", link["id"], None)]


# Links of applications


@pytest.fixture
def application(portal):
    return portal.organiser.make(
        "/applications",
        {
            "event_keys": [portal.event["event_key"]],
            "last_name": "Blum",
            "email": "anna@blum.example",
        },
    )


def test_the_mail_about_a_decision_hands_out_the_address_of_the_application(
    organiser, portal, db, application
):
    made = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    organiser.post(f"/applications/{application['id']}/waitlist", {"mail": True}, status=200)
    organiser.post(
        f"/applications/{application['id']}/reject", {"mail": False, "reason": "No."}, status=200
    )
    found = organiser.data("/audit-log?entity_type=link&sort=id&order=ASC")
    assert actions(found) == [
        ("created", made["id"], "Ada Lovelace"),
        ("mailed", made["id"], "Ada Lovelace"),
    ]


def test_the_mail_about_a_decision_without_a_link_hands_out_nothing(
    organiser, portal, db, application
):
    made = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    organiser.post(f"/links/{made['id']}/revoke", status=200)
    organiser.post(f"/applications/{application['id']}/waitlist", {"mail": True}, status=200)
    found = organiser.data("/audit-log?entity_type=link&sort=id&order=ASC")
    assert [entry["action"] for entry in found] == ["created", "revoked"]
