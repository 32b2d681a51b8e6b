"""Settings of the database: every process has them at its next request or transaction, and none
mixes two states of them.
"""

import logging
import threading
import types
from contextlib import closing
from functools import partial

import pytest
import webtest
from bottle import request

from eventapi.app import App
from eventapi.config import ConfigError
from eventapi.domain.organiser import settings as organiser_settings
from eventapi.domain.organiser import values
from eventapi.plugins.database import writing
from eventapi.storage import migrations
from eventapi.storage.connections import Connections
from eventapi.storage.database import Database
from eventapi.storage.group_commit import Writer
from eventapi.web.routes import Options
from eventapi.worker import Worker
from tests.domain.test_settings import ADDRESS, COMPANY, ITEM, TEXTS, change, damage, load
from tests.storage.test_group_commit import together
from tests.support.client import Client


@pytest.fixture
def settings(tmp_path, template):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path)


@pytest.fixture
def other(settings):
    """The connection of another process: it has a configuration of its own."""
    with closing(Database(load(settings.data_dir))) as other:
        yield other


def test_the_next_request_of_another_process_has_a_change(organiser, other):
    assert organiser.data("/me")["organiser"]["name"] is None
    change(other, organiser_name="Messe Eins", organiser_country="CH")
    me = organiser.data("/me")["organiser"]
    assert (me["name"], me["country"], me["language"]) == ("Messe Eins", "CH", "de")
    change(other, organiser_name=None)
    assert organiser.data("/me")["organiser"]["name"] is None


def test_public_pages_have_a_change_at_once(app, other):
    assert app.get("/").location.endswith("/docs")
    change(other, start_page="desk", organiser_name="Messe Eins", organiser_street="Am Markt 1")
    assert app.get("/").location.endswith("/desk/")
    assert "Messe Eins" in app.get("/imprint").text
    change(other, organiser_name="Messe Zwei")
    assert "Messe Zwei" in app.get("/imprint").text


def test_a_page_whose_session_has_ended_has_a_change_at_once(app, other):
    change(other, privacy_url="https://messe.test/privacy")
    page = app.get("/door/now", expect_errors=True, headers={"Accept": "text/html"})
    assert page.status_int == 403
    change(other, privacy_url="https://messe.test/other")
    app.get("/door/now", expect_errors=True)
    assert app.app.connections.reader().config.privacy_url == "https://messe.test/other"


def test_kept_pages_are_made_anew_after_a_change(app, organiser, other):
    """A page of a show names the colour, the language and the currency of the organiser."""
    event = organiser.make(
        "/events", {"title": "Fair", "event_key": "fair", "date_from": "2027-05-01"}
    )
    settings = {"imprint_url": "https://messe.test/imprint", "privacy_url": "https://messe.test/p"}
    change(other, **settings)
    pages = {"is_public": True, "contact_email": "fair@messe.test"}
    organiser.patch(f"/events/{event['id']}/pages", pages, status=200)
    assert "https://messe.test/imprint" in app.get("/e/fair").text
    change(other, imprint_url="https://messe.test/new")
    page = app.get("/e/fair").text
    assert "https://messe.test/new" in page
    assert "https://messe.test/imprint" not in page


def test_a_write_transaction_begins_with_the_newest_settings(settings, other):
    with closing(Writer(settings)) as writer:
        change(other, payment_days="30")
        with writer.write():
            assert writer.config.payment_days == 30
        with closing(Database(settings)) as db, db.write():
            assert db.config.payment_days == 30


def test_a_reading_connection_keeps_its_settings_until_its_next_request(settings, other):
    """So nothing that one request computes mixes two states."""
    with closing(Database(settings)) as db:
        change(other, payment_days="30")
        assert db.config.payment_days == 14
        db.follow(1)
        assert db.config.payment_days == 30


def test_the_settings_as_a_whole_are_those_of_one_state(settings, other):
    """They may change after a request has begun, and before it reads them."""
    with closing(Database(settings)) as db:
        change(other, organiser_name="Messe Eins")
        shown = values.get(db)
        lacking = {gap["code"] for gap in shown["missing"]}
        assert (shown["organiser_name"], db.config.organiser_name) == ("Messe Eins", "")
        assert "no_name" not in lacking and "no_address" in lacking
        damage(other, "organiser_country", "nowhere")
        assert values.get(db)["organiser_country"] == "nowhere"


def test_writes_of_one_commit_keep_the_settings_of_its_beginning(settings, other):
    """They count as having come before the change; the next transaction has it."""
    with closing(Writer(settings)) as writer:
        seen = []

        def look():
            seen.append((writer.config.payment_days, writer.config.revision))

        def change_settings(days):
            look()
            organiser_settings.change(writer, {"payment_days": str(days)})
            look()

        changes = [partial(change_settings, days) for days in (30, 31, 32)]
        assert together(writer, *changes) == [None, None, None]
        assert seen == [(14, 0)] * 6
        with writer.write():
            look()
        assert seen[6][0] in (30, 31, 32)
        assert seen[6][1] == 3


def test_a_change_that_is_rolled_back_reaches_nobody(settings, other):
    with closing(Writer(settings)) as writer:

        def change_and_fail():
            organiser_settings.change(writer, {"payment_days": "30"})
            raise ValueError

        errors = together(writer, lambda: None, change_and_fail, lambda: None)
        assert [type(error) for error in errors] == [type(None), ValueError, type(None)]
        with writer.write():
            assert (writer.config.payment_days, writer.config.revision) == (14, 0)
    with other.write():
        assert other.config.payment_days == 14


def test_two_changes_in_one_commit_both_count(settings, other):
    with closing(Writer(settings)) as writer:

        def set_one(name, text):
            return lambda: organiser_settings.change(writer, {name: text})

        changes = [
            set_one("payment_days", "30"),
            set_one("organiser_iban", "DE02120300000000202051"),
            set_one("organiser_iban", "DE02500105170137075030"),
        ]
        assert together(writer, *changes) == [None, None, None]
        with writer.write():
            config = writer.config
        assert (config.payment_days, config.revision) == (30, 3)
        accounts = {config.organiser_iban, *config.bank_accounts}
        assert accounts == {"DE02120300000000202051", "DE02500105170137075030"}


def test_a_handler_of_a_write_has_the_settings_of_its_transaction(settings, other):
    """Not those of the start of its request: it would mix two states."""
    connections = Connections(settings)
    environ = {"eventapi.config": settings, "eventapi.connections": connections}
    request.bind(environ)
    change(other, payment_days="30")

    def handler(db, config):
        return config.payment_days, db.config.payment_days

    write = writing(handler, {"db", "config"}, Options(singular="event", resource="events"))
    assert write(config=settings) == (30, 30)
    connections.close()


def test_the_worker_has_a_change_at_its_next_round(settings, other):
    seen = []
    job = types.ModuleType("eventapi.worker.made_for_a_test")
    job.EVERY, job.ON_CHANGE = 3600, True
    job.run = lambda db, stopping: seen.append(db.config.organiser_name)
    worker = Worker(settings, jobs=(job,))
    with closing(Database(settings)) as db:
        worker.round(db)
        change(other, organiser_name="Messe Eins")
        worker.round(db)
    assert seen == ["", "Messe Eins"]


def test_a_request_runs_as_many_statements_as_before_there_were_settings(app, organiser):
    """Two read an event, and 34 change one: counted at the version before settings existed."""
    dates = {"date_from": "2027-05-01", "date_to": "2027-05-03"}
    organiser.make("/events", {"title": "Fair", **dates})
    organiser.data("/events/1")
    read, written = [], []
    app.app.connections.reader().connection.set_trace_callback(read.append)
    app.app.connections.writer().connection.set_trace_callback(written.append)
    organiser.data("/events/1")
    assert len(read) == 2, read
    organiser.patch("/events/1", {"title": "Fairer"}, status=200)
    assert len(read) == 3, read
    # the last stamp is stored at most once a second
    written = [text for text in written if not text.startswith("UPDATE last_stamp")]
    assert len(written) == 34, written


def test_no_invoice_has_a_seller_of_two_states(organiser, other):
    """Two settings that belong together change while invoices are sent."""
    change(other, **COMPANY)
    contact = organiser.make("/contacts", ADDRESS)
    drafts = [
        organiser.make("/invoices", {"contact_id": contact["id"], "items": [ITEM]})["id"]
        for _ in range(20)
    ]
    is_over = threading.Event()

    def change_all_the_time():
        number = 0
        while not is_over.is_set():
            number += 1
            change(other, organiser_name=f"Messe {number}", organiser_street=f"Weg {number}")

    changing = threading.Thread(target=change_all_the_time)
    changing.start()
    try:
        sent = [organiser.post(f"/invoices/{id}/send", status=200).json["data"] for id in drafts]
    finally:
        is_over.set()
        changing.join()
    sellers = [(invoice["seller"]["name"], invoice["seller"]["street"]) for invoice in sent]
    assert len(set(sellers)) > 1
    for name, street in sellers:
        assert (name == "Messe Test GmbH") == (street == "Am Markt 1")
        assert name.rpartition(" ")[2] == street.rpartition(" ")[2] or name == "Messe Test GmbH"


def test_a_bad_setting_keeps_a_process_from_starting(settings, other):
    change(other, payment_days="30")
    damage(other, "payment_days", "soon")
    with closing(Database(settings)) as db:
        with pytest.raises(ConfigError) as raised:
            db.follow(2)
    assert raised.value.faults == (
        "settings: payment_days = 'soon' must be a whole number from 0 to 365; correct it with 'eventapi settings set "
        "payment_days VALUE'",
    )


def test_a_running_process_goes_on_with_the_last_good_settings(organiser, other, caplog):
    change(other, organiser_name="Messe Eins", payment_days="30")
    organiser.data("/me")
    damage(other, "payment_days", "soon")
    change_by_hand(other, "organiser_name", "Messe Zwei")
    with caplog.at_level(logging.ERROR, "eventapi.settings"):
        for _ in range(3):
            assert organiser.data("/me")["organiser"]["name"] == "Messe Eins"
        organiser.make("/events", {"title": "Fair"})
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert "payment_days = 'soon'" in said[0]
    assert "eventapi settings set payment_days VALUE" in said[0]
    change(other, payment_days="20")
    assert organiser.data("/me")["organiser"]["name"] == "Messe Zwei"


def test_bad_settings_are_not_read_again_at_each_request(app, organiser, other):
    organiser.data("/me")
    damage(other, "payment_days", "soon")
    organiser.data("/me")
    read = []
    app.app.connections.reader().connection.set_trace_callback(read.append)
    organiser.data("/me")
    assert read and not [text for text in read if "settings s" in text]


def test_a_process_without_settings_goes_on_when_the_first_one_is_bad(organiser, other):
    organiser.data("/me")
    damage(other, "payment_days", "soon")
    assert organiser.data("/me")["organiser"]["name"] is None


@pytest.fixture
def started_anew(settings, organiser):
    """A client of a server process that starts while a setting is bad."""
    app = App(load(settings.data_dir))
    yield Client(webtest.TestApp(app), organiser.key)
    app.connections.close()


def test_a_process_that_never_had_good_settings_says_that_it_cannot_work(
    started_anew, other, caplog
):
    """A server process that ends is replaced, perhaps while a setting is bad."""
    change(other, organiser_name="Messe Null")
    damage(other, "payment_days", "soon")
    for problem in (
        started_anew.get("/me", status=503).json,
        started_anew.post("/events", {"title": "Fair"}, status=503).json,
    ):
        assert problem["code"] == "unhealthy"
        assert "A setting of the organiser is not valid" in problem["detail"]
        assert "soon" not in problem["detail"]
    assert started_anew.app.get("/imprint", status=503)
    assert "eventapi settings set payment_days VALUE" in caplog.text
    assert "Traceback" not in caplog.text
    change(other, payment_days="20", organiser_name="Messe Eins")
    assert started_anew.data("/me")["organiser"]["name"] == "Messe Eins"


def change_by_hand(db, name, text):
    db.connection.execute("UPDATE settings SET value = ? WHERE name = ?", (text, name))


# A database of an earlier version


def test_an_upgraded_database_with_a_full_file_has_the_same_configuration(tmp_path):
    """Nothing is a setting yet, so each value is that of the file."""
    path = tmp_path / "eventapi.db"
    migrations.migrate(path, last=80)
    full = load(
        tmp_path, **{name: typed for name, (typed, _) in TEXTS.items() if name != "language"}
    )
    before = {name: value for name, value in vars(full).items() if name != "live"}
    migrations.migrate(path)
    with closing(Database(full)) as db, db.write():
        after = {name: value for name, value in vars(db.config).items() if name != "live"}
        assert db.connection.execute("SELECT count(*) FROM settings").fetchone() == (0,)
    assert after == before
    assert len(before) == 83 + len(("is_tax_rate_known", "file", "set_by", "revision"))


def test_the_page_of_an_unknown_address_has_the_language_of_the_settings(app, other):
    change(other, language="en")
    app.get("/imprint")  # a request by which the process learns of a change
    asked = {"Accept": "text/html", "Accept-Language": "fr"}
    assert app.get("/nowhere", headers=asked, status=404).headers["Content-Language"] == "en"
    change(other, language="de")
    app.get("/imprint")
    assert app.get("/nowhere", headers=asked, status=404).headers["Content-Language"] == "de"
