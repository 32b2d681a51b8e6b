"""Batches of the desk: a trial that is stored, a result that equals it, Back and reload, and undo."""

import json
import re
from datetime import timedelta
from string import Formatter

import pytest

from eventapi import times
from eventapi.calls import batches as api_batches
from eventapi.domain.access import desk_batches
from eventapi.languages import formats
from eventapi.pages.desk import batches as pages
from eventapi.plugins import sessions
from eventapi.storage.errors import Busy
from tests.pages.desk.test_words import WORDS
from tests.support import batches


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


@pytest.fixture
def exhibitors(organiser, fair):
    """Return a function that makes exhibitors with a fee of 300 EUR, and returns their ids."""

    def make(count, **fields):
        made = []
        for number in range(count):
            contact = organiser.make(
                "/contacts", {"company_name": f"Firma {number}", "country": "DE"}
            )
            body = {"event_key": "fair", "contact_id": contact["id"], "category_key": "plants"}
            made.append(organiser.make("/participants", {**body, **fields})["id"])
        return made

    return make


@pytest.fixture
def portal(organiser, fair, settings, monkeypatch):
    """The pages of the exhibitors are open, and the server can send mails."""
    for name, value in {
        "smtp_host": "localhost",
        "smtp_sender": "office@messe.test",
        "base_url": "http://localhost",
    }.items():
        monkeypatch.setattr(settings, name, value)
    pages_of_fair = {"is_public": True, "my_is_open": True}
    organiser.patch(f"/events/{fair.event['id']}/pages", pages_of_fair, status=200)


def give_addresses(organiser, ids):
    """Give the contacts of participants e-mail addresses."""
    for id in ids:
        contact = organiser.data(f"/participants/{id}")["contact_id"]
        organiser.patch(f"/contacts/{contact}", {"email": f"a{id}@firma.example"}, status=200)


def waits(organiser, code):
    """Return how many records wait for the office in the overview of the fair."""
    found = organiser.data("/events/1/overview")["waiting"]
    return {each["code"]: each["count"] for each in found}.get(code, 0)


def text_of(page):
    """Return the text of a page without tags and with single spaces."""
    main = page.text[page.text.index("<main") :]
    return " ".join(re.sub(r"<[^>]+>", " ", main).replace("&nbsp;", " ").split())


def trial_of_drafts(office, ids):
    return batches.tried(
        office, office.get("/desk/exhibitors?event=fair"), "participants/invoice", ids
    )


# Trial and result


def test_a_trial_names_each_record_its_amount_and_the_sum(desk, organiser, exhibitors):
    office = desk(language="de")
    ids = exhibitors(2)
    page = trial_of_drafts(office, [*ids, 999])
    shown = text_of(page)
    assert "Probelauf: 2 sind möglich, 1 nicht. Noch ist nichts geändert." in shown
    assert re.search(r"Firma 0 .{0,40}357,00 EUR", shown)
    assert "Summe 714,00 EUR" in shown and "Rechnung schreiben (2)" in shown
    assert "Lässt sich danach zurücknehmen." in shown
    assert organiser.data("/invoices") == []

    done = text_of(batches.pressed(office, page))
    assert "2 Rechnungen sind geschrieben, zusammen 714,00 EUR. 1 nicht: Das gibt es nicht" in done
    assert sorted(row["total"] for row in organiser.data("/invoices")) == [357, 357]


def test_back_reload_and_a_second_press_do_nothing(office, organiser, exhibitors):
    page = trial_of_drafts(office, exhibitors(3))
    first = batches.pressed(office, page)
    assert len(organiser.data("/invoices")) == 3
    again = batches.pressed(office, page)  # Back, and the same button
    assert text_of(again) == text_of(first)
    assert text_of(office.get(address(first))) == text_of(first)  # reload
    assert len(organiser.data("/invoices")) == 3


def test_a_result_leads_to_where_the_work_goes_on(office, organiser, exhibitors):
    page = batches.pressed(office, trial_of_drafts(office, exhibitors(1)))
    [onward] = page.html.find_all("a", string="To the drafts")
    [draft] = organiser.data("/invoices")
    drafts = office.get("/desk/" + onward["href"].rpartition("desk/")[2])
    [row] = drafts.html.select("tbody tr")
    assert "Draft" in row.text
    # Nobody owes a draft: neither the row nor the total names an open amount.
    assert row.text.count("EUR 357.00") == 1
    send = office.get(f"/desk/do/send_invoice/{draft['id']}")
    assert f"Draft {draft['id']}" in text_of(send) and "DRAFT-" not in text_of(send)
    log = text_of(office.get("/desk/log"))
    assert f"Draft {draft['id']}" in log and "DRAFT-" not in log


def test_two_tabs_act_once(office, organiser, exhibitors, monkeypatch):
    """The second press comes between two transactions of the first one."""
    monkeypatch.setattr(api_batches, "MOST", 2)
    page = trial_of_drafts(office, exhibitors(5))
    real, pressed = api_batches.transaction, []

    def transaction(*arguments):
        result = real(*arguments)
        if not arguments[4] and not pressed:
            pressed.append(True)
            batches.pressed(office, page)
        return result

    monkeypatch.setattr(api_batches, "transaction", transaction)
    done = batches.pressed(office, page)
    assert "5 invoices are written, EUR 1,785.00 in total." in text_of(done)
    assert pressed and len(organiser.data("/invoices")) == 5


@pytest.mark.parametrize("is_before, reason", [(False, "No room"), (True, "Another")])
def test_two_tabs_with_other_fields_do_not_mix(
    office, organiser, fair, monkeypatch, is_before, reason
):
    """The other press comes before or after the first transaction, whose fields count."""
    monkeypatch.setattr(api_batches, "MOST", 1)
    body = {"event_keys": ["fair"], "company_name": "Nelken"}
    ids = [fair.application["id"], organiser.make("/applications", body)["id"]]
    page = batches.tried(office, office.get("/desk/applications"), "applications/reject", ids)
    assert "Please fill in the form first" in page
    real, other = api_batches.transaction, []

    def press():
        if not other:
            other.append(True)
            batches.pressed(office, page, reason="Another")

    def transaction(*arguments):
        if is_before:
            press()
        result = real(*arguments)
        press()
        return result

    monkeypatch.setattr(api_batches, "transaction", transaction)
    done = batches.pressed(office, page, reason="No room")
    assert other and "2 applications are rejected." in text_of(done)
    assert {row["decision_reason"] for row in organiser.data("/applications")} == {reason}


def test_a_batch_that_was_interrupted_goes_on(office, organiser, exhibitors, monkeypatch):
    monkeypatch.setattr(api_batches, "MOST", 2)
    page = trial_of_drafts(office, exhibitors(5))
    real, count = api_batches.transaction, []

    def transaction(*arguments):
        count.append(True)
        if len(count) == 2:
            raise Busy
        return real(*arguments)

    monkeypatch.setattr(api_batches, "transaction", transaction)
    batches.pressed(office, page, status=503)
    monkeypatch.setattr(api_batches, "transaction", real)
    assert len(organiser.data("/invoices")) == 2
    page = office.get("/desk/batch/1?event=fair")
    assert "Not finished yet: 2 of 5 are done." in text_of(page) and "Go on (3)" in text_of(page)
    done = batches.pressed(office, page)
    assert "5 invoices are written" in text_of(done) and len(organiser.data("/invoices")) == 5


def address(page):
    """Return the address of the page of a batch."""
    id = re.search(r'name="batch" value="(\d+)"', page.text)[1]
    return f"/desk/batch/{id}?event=fair"


def test_more_than_a_part_is_tried_and_done_part_by_part(
    office, organiser, exhibitors, monkeypatch
):
    monkeypatch.setattr(desk_batches, "PART", 3)
    page = trial_of_drafts(office, exhibitors(7))
    assert "Trial: 3 are possible, 0 are not." in text_of(page)
    done = batches.pressed(office, page)
    assert "3 invoices are written, EUR 1,071.00 in total." in text_of(done)
    assert "Go on with the next 3" in text_of(done)
    page = batches.pressed(office, done, "next")
    assert "Trial: 3 are possible" in text_of(page) and len(organiser.data("/invoices")) == 3
    assert text_of(batches.pressed(office, done, "next")) == text_of(page)  # Back
    batches.pressed(office, done)  # the button of the first trial
    assert len(organiser.data("/invoices")) == 3
    done = batches.pressed(office, page)
    page = batches.pressed(office, done, "next")
    assert "Trial: 1 are possible" in text_of(page)
    done = batches.pressed(office, page)
    assert "7 invoices are written, EUR 2,499.00 in total." in text_of(done)
    assert 'name="next"' not in done.text
    assert "Firma 0" in text_of(office.get(address(done) + "&part=1"))
    assert len(organiser.data("/invoices")) == 7


def test_a_part_that_is_refused_as_a_whole_leads_to_the_next_one(office, exhibitors, monkeypatch):
    monkeypatch.setattr(desk_batches, "PART", 2)
    page = trial_of_drafts(office, [998, 999, *exhibitors(1)])
    assert "Trial: 0 are possible, 2 are not." in text_of(page) and 'name="sure"' not in page.text
    page = batches.pressed(office, page, "next")
    assert "1 invoice is written, EUR 357.00." in text_of(batches.pressed(office, page))


# Whose batch it is


def test_a_batch_belongs_to_the_person_who_began_it(desk, office, exhibitors, organiser):
    page = trial_of_drafts(office, exhibitors(1))
    other = desk(name="Eve")
    other.get(address(page), 404)
    sent = batches.form_of(page) | {
        "sure": "1",
        "form_token": batches.form_of(trial_of_drafts(other, [1]))["form_token"],
    }
    other.post("/desk/batch/participants/invoice", sent, 404)
    assert organiser.data("/invoices") == []
    office.get("/desk/batch/99", 404)
    batches.pressed(office, page)


def test_scopes_are_checked_again_at_the_press(desk, db, exhibitors, organiser):
    office = desk()
    page = trial_of_drafts(office, exhibitors(1))
    with db.write():
        db.connection.execute("UPDATE api_keys SET scopes = 'participants events contacts'")
    batches.pressed(office, page, status=403)
    office.get(address(page), 403)
    assert organiser.data("/participants")


# What is stored


def test_a_batch_has_no_names_and_is_forgotten_after_a_week(office, db, exhibitors, monkeypatch):
    page = batches.pressed(office, trial_of_drafts(office, exhibitors(2)))
    rows = db.connection.execute("SELECT trial, result FROM desk_batch_entries").fetchall()
    assert len(rows) == 2 and "Firma" not in str(rows)
    assert json.loads(rows[0][0])["amount"] == 35700
    assert desk_batches.delete_old(db, 100) == 0
    week_ago = times.after(times.now(), -timedelta(days=7, minutes=1))
    db.connection.execute("UPDATE desk_batches SET created_at = ?", (week_ago,))
    assert desk_batches.delete_old(db, 1) == 1
    assert desk_batches.delete_old(db, 100) == 2
    office.get(address(page), 404)


def test_sentences_about_refusals_name_only_what_is_stored():
    for texts in WORDS.values():
        for word, text in texts.items():
            if word.startswith("problem_"):
                named = {name for _, name, _, _ in Formatter().parse(text) if name}
                assert named <= {*pages.MEMBERS, "fields"}, word


def test_a_page_reads_a_hundred_names_at_once(office, exhibitors, monkeypatch):
    page = trial_of_drafts(office, exhibitors(4))
    calls, real = [], pages.api.read

    def read(name, **options):
        calls.append(name)
        return real(name, **options)

    monkeypatch.setattr(pages.api, "read", read)
    office.get(address(page))
    assert calls == ["list_participants"]


# Taking it back


def plain(record):
    """Return a record without what a change leaves behind."""
    return {name: value for name, value in record.items() if name != "updated_at"}


def test_confirmations_are_taken_back_but_not_those_from_before(office, organiser, exhibitors):
    ids = exhibitors(2)
    ids += exhibitors(1, is_confirmed=True)
    before = [plain(organiser.data(f"/participants/{id}")) for id in ids]
    page = office.get("/desk/exhibitors?event=fair")
    done = batches.done(office, page, "participants/confirm", ids)
    assert "3 participations are confirmed." in text_of(done)
    assert "Withdraw the confirmations (2)" in text_of(done)
    undone = batches.pressed(office, done, "undo")
    assert "2 of these were taken back." in text_of(undone) and 'name="undo"' not in undone.text
    assert [plain(organiser.data(f"/participants/{id}")) for id in ids] == before
    batches.pressed(office, done, "undo")
    assert [plain(organiser.data(f"/participants/{id}")) for id in ids] == before


def test_drafts_are_deleted_again_but_not_one_that_was_sent(office, organiser, exhibitors):
    ids = exhibitors(3)
    before = [plain(organiser.data(f"/participants/{id}")) for id in ids]
    done = batches.pressed(office, trial_of_drafts(office, ids))
    sent = organiser.data("/invoices?sort=id&order=ASC")[1]
    organiser.patch(
        f"/contacts/{sent['contact_id']}", {"address": "Weg 1", "city": "Ulm"}, status=200
    )
    organiser.patch(f"/contacts/{sent['contact_id']}", {"postal_code": "89073"}, status=200)
    organiser.post(f"/invoices/{sent['id']}/send", {}, status=200)
    undone = batches.pressed(office, done, "undo")
    assert "2 of these were taken back." in text_of(undone)
    assert [row["id"] for row in organiser.data("/invoices")] == [sent["id"]]
    assert [plain(organiser.data(f"/participants/{id}")) for id in ids] == before


def test_access_that_is_taken_back_can_be_given_again(office, organiser, exhibitors, portal):
    ids = exhibitors(2)
    give_addresses(organiser, ids)
    kept = organiser.make("/links", {"kind": "participant", "participant_id": ids[0]})
    page = office.get("/desk/exhibitors?event=fair")
    done = batches.done(office, page, "participants/link", ids)
    assert "2 exhibitors have access." in text_of(done)
    made = [row for row in organiser.data("/links") if row["id"] != kept["id"]]
    undone = batches.pressed(office, done, "undo")
    assert len(made) == 1 and "1 of these were taken back." in text_of(undone)
    states = {row["id"]: row["status"] for row in organiser.data("/links")}
    assert states == {kept["id"]: "active"} | {row["id"]: "revoked" for row in made}
    assert organiser.data(f"/links/{made[0]['id']}")["ended_by"] == "undo"
    assert f"do/create_participant_link/{ids[1]}" in office.get(f"/desk/exhibitors/{ids[1]}")

    assert waits(organiser, "no_link") == 2  # with the exhibitor of the fair
    done = batches.done(office, page, "participants/link", [ids[1]])
    assert "1 exhibitor has access." in text_of(done)
    assert waits(organiser, "no_link") == 1


def test_access_that_the_office_has_revoked_is_not_given_again(
    office, organiser, exhibitors, portal, settings
):
    [id] = exhibitors(1)
    give_addresses(organiser, [id])
    link = organiser.make("/links", {"kind": "participant", "participant_id": id})
    organiser.post(f"/links/{link['id']}/revoke", {}, status=200)
    revoked_at = organiser.data(f"/links/{link['id']}")["revoked_at"]
    assert waits(organiser, "no_link") == 1  # that of the fair
    day = formats.day(times.local_date(revoked_at, settings.timezone), "en")
    page = office.get("/desk/exhibitors?event=fair")
    trial = batches.tried(office, page, "participants/link", [id])
    assert f"The access was revoked on {day}." in text_of(trial)
    shown = office.get(f"/desk/exhibitors/{id}")
    assert f"do/create_participant_link/{id}" not in shown
    organiser.delete(f"/links/{link['id']}?erase=1")
    assert waits(organiser, "no_link") == 1


def test_a_draft_that_somebody_has_changed_stays(office, organiser, exhibitors, db):
    done = batches.pressed(office, trial_of_drafts(office, exhibitors(2)))
    with db.write():  # a day ago
        db.connection.execute("UPDATE invoices SET updated_at = '2026-11-01T00:00:00Z'")
        db.connection.execute(
            "UPDATE desk_batch_entries "
            "SET result = json_set(result, '$.made_at', '2026-11-01T00:00:00Z')"
        )
    changed = organiser.data("/invoices?sort=id&order=ASC")[0]["id"]
    organiser.patch(f"/invoices/{changed}", {"notes": "By the way"}, status=200)
    undone = batches.pressed(office, done, "undo")
    assert "1 of these were taken back." in text_of(undone)
    assert "Somebody has changed this since." in text_of(undone)
    assert [row["id"] for row in organiser.data("/invoices")] == [changed]


def test_a_draft_that_is_gone_already_counts_as_taken_back(office, organiser, exhibitors):
    done = batches.pressed(office, trial_of_drafts(office, exhibitors(2)))
    organiser.delete(f"/invoices/{organiser.data('/invoices')[0]['id']}")
    undone = batches.pressed(office, done, "undo")
    assert organiser.data("/invoices") == []
    assert "2 of these were taken back." in text_of(undone)


@pytest.mark.parametrize("noun, word", sorted(pages.offered()))
def test_the_trial_says_whether_it_can_be_taken_back(office, busy_fair, noun, word):
    """Approve, send and mails cannot."""
    found = pages.offered()[noun, word]
    assert (found.undo or found.undo_new) == {
        ("participants", "confirm"): "unconfirm_participant",
        ("participants", "invoice"): "delete_invoice",
        ("participants", "link"): "revoke_link",
    }.get((noun, word))
    page = batches.tried(office, office.get("/desk/"), f"{noun}/{word}", [1])
    if 'name="sure"' in page.text:
        has_undo = "Can be taken back afterwards." in text_of(page)
        assert has_undo == bool(found.undo or found.undo_new)


# batch -> field of its form that must be filled in
REASONS = {
    ("applications", "reject"): {"reason": "No room"},
    ("submissions", "reject"): {"feedback": "Too long"},
    ("submissions", "request-revision"): {"feedback": "Too long"},
}


@pytest.mark.parametrize("noun, word", sorted(pages.offered()))
def test_the_result_equals_the_trial(office, organiser, busy_fair, db, noun, word):
    """Each record of the show, whatever its state is: what the trial refuses stays as it is."""
    ids = [row["id"] for row in organiser.data(f"/{noun}?per_page=100")]
    assert ids
    before = {id: organiser.data(f"/{noun}/{id}") for id in ids}
    page = batches.tried(office, office.get("/desk/"), f"{noun}/{word}", [*ids, 987])
    assert {id: organiser.data(f"/{noun}/{id}") for id in ids} == before
    if 'name="sure"' in page.text:
        batches.pressed(office, page, **REASONS.get((noun, word), {}))
    rows = db.connection.execute(
        "SELECT record_id, trial, result FROM desk_batch_entries"
    ).fetchall()
    assert sorted(id for id, _, _ in rows) == sorted([*ids, 987])
    for id, trial, result in rows:
        tried = json.loads(trial) if trial else None
        done = json.loads(result) if result else None
        if tried and tried["status"] >= 400:
            assert done is None
            assert id == 987 or organiser.data(f"/{noun}/{id}") == before[id]
            continue
        assert done
        for name in ("status", "code", "amount", "currency", "more", "offsets"):
            assert tried is None or done.get(name) == tried.get(name), (id, name)


def test_a_trial_reads_each_record_without_an_error(office, exhibitors, caplog):
    trial_of_drafts(office, exhibitors(2))
    page = office.get("/desk/exhibitors?event=fair")
    batches.tried(office, page, "participants/confirm", [2, 3])
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []


def test_ticked_booths_are_deleted_but_not_one_that_was_reserved(desk, organiser, exhibitors):
    office = desk(language="de")
    [hall] = organiser.get("/plans?event_key=fair").json["data"]
    kept, *free = (
        organiser.make("/booths", {"plan_id": hall["id"], "booth_number": number})["id"]
        for number in ("Z1", "Z2", "Z3")
    )
    [exhibitor] = exhibitors(1)
    hold = organiser.make(
        "/booth-reservations",
        {"booth_id": kept, "participant_id": exhibitor, "final_price": 10},
    )
    organiser.post(f"/booth-reservations/{hold['id']}/cancel")
    trial = batches.tried(
        office, office.get("/desk/hall/booths?event=fair"), "booths/delete", [kept, *free]
    )
    text = text_of(trial)
    assert "2 sind möglich, 1 nicht" in text
    assert "Z1 geht nicht War schon vergeben oder hat Bestellungen" in text
    assert "Lässt sich danach nicht zurücknehmen" in text
    for page in (batches.pressed(office, trial), batches.pressed(office, trial)):
        text = text_of(page)
        assert "2 Stände sind gelöscht." in text
        assert "Z2 erledigt" in text and "Z3 erledigt" in text
    assert [
        booth["id"]
        for booth in organiser.get("/booths?plan_id=" + str(hall["id"])).json["data"]
        if booth["booth_number"].startswith("Z")
    ] == [kept]
    [entry] = organiser.get(
        f"/audit-log?entity_type=booth&entity_id={free[0]}&action=deleted"
    ).json["data"]
    assert entry["old_values"]["booth_number"] == "Z2"
