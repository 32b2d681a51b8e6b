"""The log of the desk: entries of the audit log as sentences, with names only for those who may read them."""

import re
from html import unescape

import pytest

from eventapi import journal
from eventapi.cli import terminal
from eventapi.domain.records import entities
from eventapi.pages.desk import changes, labels
from eventapi.storage.database import Nobody
from eventapi.web.html import page_requests
from tests.support.people import signed_in


def sentences(visitor, query=""):
    """Return the sentences of the log, newest first."""
    page = visitor.get(f"/desk/log{query}").text
    found = re.findall(r"(?s)<li>\s*<div>(.*?)(?:<details|</div>)", page)
    return [said(text) for text in found]


def said(text):
    return " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())


@pytest.fixture
def ada(desk):
    return desk(language="de")


def test_a_change_says_who_has_done_what_to_which_record(ada, office, organiser, fair):
    id = fair.application["id"]
    organiser.post(f"/applications/{id}/approve", status=200)
    organiser.patch("/events/1", {"application_deadline": "2027-02-28"}, status=200)
    newest = sentences(ada)
    assert newest[:2] == [
        "Ada Lovelace hat die Veranstaltung Garden Fair geändert: Anmeldeschluss 28.02.2027",
        "Ada Lovelace hat die Anmeldung von Tulpen GmbH angenommen",
    ]
    assert "Ada Lovelace approved the application of Tulpen GmbH" in sentences(office)
    assert f'href="../desk/applications/{id}?event=fair"' in ada.get("/desk/log").text
    assert sentences(ada, f"?kind=application&id={id}") == [
        "Ada Lovelace hat die Anmeldung von Tulpen GmbH angenommen",
        "Ada Lovelace hat die Anmeldung von Tulpen GmbH angelegt",
    ]
    page = ada.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    where = f"desk/log?kind=event_participant&amp;id={fair.exhibitor['id']}&amp;event=fair"
    assert where in page
    record = "Nur: Anmeldung von Tulpen GmbH"
    assert record in ada.get(f"/desk/log?kind=application&id={id}")


def test_the_entries_of_one_request_are_one_change(ada, organiser, fair):
    other = {"event_keys": ["fair"], "company_name": "Astern KG", "email": "info@astern.example"}
    ids = [fair.application["id"], organiser.make("/applications", other)["id"]]
    organiser.post("/applications/batch", {"action": "review", "ids": ids}, status=200)
    assert sentences(ada)[:2] == [
        "Ada Lovelace hat 2 Anmeldungen in Prüfung genommen: Tulpen GmbH, Astern KG",
        "Ada Lovelace hat die Anmeldung von Astern KG angelegt",
    ]


def test_a_change_says_whom_it_concerns(ada, desk, organiser, fair):
    held = fair.booths[0]["booth_number"]
    body = {"booth_id": fair.booths[0]["id"], "event_participant_id": fair.exhibitor["id"]}
    hold = organiser.make("/booth-reservations", {**body, "final_price": 202.5})
    organiser.patch(f"/booth-reservations/{hold['id']}", {"final_price": 60}, status=200)
    organiser.make("/links", {"kind": "participant", "participant_id": fair.exhibitor["id"]})
    assert sentences(ada)[0] == "Ada Lovelace hat den Zugang für Rosen KG angelegt"
    changed, made = sentences(ada, f"?kind=booth_reservation&id={hold['id']}")
    assert made == f"Ada Lovelace hat die Vormerkung für Stand {held} (Rosen KG) angelegt"
    assert changed.startswith(
        f"Ada Lovelace hat die Vormerkung für Stand {held} (Rosen KG) geändert"
    )
    assert changed.endswith("202,50 EUR → 60,00 EUR")
    reader = desk("audit:read booths:read links:read", "Bob", "de")
    assert "Rosen KG" not in reader.get("/desk/log")


def test_a_credit_note_is_called_one_in_the_log(ada, organiser, fair):
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    note = organiser.post(f"/invoices/{draft['id']}/credit", {"whole": True}, status=201)
    id = note.json["data"]["id"]
    number = note.json["data"]["invoice_number"]
    made = sentences(ada, f"?kind=invoice&id={id}")[-1]
    assert made == f"Ada Lovelace hat die Gutschrift {number} (Rosen KG) angelegt"


def test_the_log_is_that_of_a_person_or_of_some_days(ada, organiser, fair, app, db):
    carla = signed_in(app, db, "owner", "Carla Weiß")
    assert sentences(ada, f"?person={carla.admin_id}") == []
    assert all("Ada" in text for text in sentences(ada, "?person=1"))
    assert sentences(ada, "?to=2020-01-01") == []
    for day in ("nonsense", "0001-01-01", "9999-12-31", "2027-02-31"):
        assert sentences(ada, f"?from={day}&to={day}") == sentences(ada)


def test_without_the_scope_of_a_record_its_name_and_its_fields_are_absent(desk, organiser, fair):
    organiser.patch(f"/contacts/{fair.contact['id']}", {"city": "Dresden"}, status=200)
    reader = desk("audit:read", "Bob", "de")
    page = reader.get("/desk/log").text
    assert "Ada Lovelace hat den Kontakt geändert" in sentences(reader)
    for text in ("Rosen KG", "Dresden", "Tulpen GmbH", "Hall 1", "applications/1"):
        assert text not in page, text
    assert "Leipzig" not in page and "hat den Stand angelegt" in page.replace("</b>", "")
    desk("events").get("/desk/log", 403)


def test_people_are_named_to_the_team_and_otherwise_where_they_have_acted(desk, app, db, fair):
    """The names of the team need the scope `team`; the audit log itself names who has acted."""
    owner = signed_in(app, db, "owner", "Carla Weiß")
    assert {"Carla Weiß", "Ada Lovelace"} <= set(options(owner))
    reader = desk("audit:read", "Bob")
    assert "Ada Lovelace" in options(reader)
    assert "Carla Weiß" not in reader.get("/desk/log").text
    assert sentences(reader, f"?person={owner.admin_id}") == []
    assert "Carla Weiß" not in reader.get(f"/desk/log?person={owner.admin_id}").text


def options(visitor):
    """Return the names by which the log can be filtered."""
    return re.findall(r"<option[^>]*>([^<]*)</option>", visitor.get("/desk/log").text)


def test_the_command_line_and_the_server_are_told_apart(ada, db, fair):
    with db.write():
        db.actor = terminal.Operator()
        db.actor.admin_name = "grace (command line)"
        journal.administered(db, entities.TENANT, "updated")
    with db.write():
        db.actor = Nobody
        journal.administered(db, entities.TENANT, "updated")
    automatic, by_grace, *_ = sentences(ada)
    assert automatic.startswith("Automatisch: ")
    assert by_grace.startswith("Befehlszeile (grace): ")
    assert sentences(ada, "?person=command_line") == [by_grace]
    assert sentences(ada, "?person=server") == [automatic]
    assert 'value="command_line" selected' in ada.get("/desk/log?person=command_line")


def test_the_log_as_csv_is_for_those_who_may_read_all_records(office, desk, organiser, fair):
    organiser.patch(f"/contacts/{fair.contact['id']}", {"city": "Dresden"}, status=200)
    address = f"/desk/log/csv?kind=contact&id={fair.contact['id']}"
    assert "log/csv?kind=contact" in office.get(address.replace("/csv", "")).text
    answer = office.get(address)
    assert answer.content_type == "text/csv"
    assert answer.headers["Cache-Control"] == "no-store"
    head, *lines = answer.text.splitlines()
    assert head.startswith("id,action,entity_type")
    assert [line.split(",")[1] for line in lines] == ["updated", "created"]
    reader = desk("audit:read contacts:read", "Bob")
    assert "log/csv" not in reader.get("/desk/log")
    reader.get(address, 403)


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_kind_and_each_event_of_a_record_has_its_words(language):
    texts = page_requests.words(labels.PACKAGE, language)
    for name, kind in entities.KINDS.items():
        assert {f"log_{word}_{name}" for word in ("the", "one", "many")} <= texts.keys()
        own = {action for action, word in kind.event_words.items()}
        for action in {*kind.events, *own} - {*kind.event_words.values()}:
            assert f"log_did_{action}" in texts, f"{name}.{action}"
        if kind.scope is None:
            assert name in changes.SCOPES or name in ("audit_log", "database"), name
