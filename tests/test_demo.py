"""The demo show: records of every kind and state, in every size and configuration; nothing is left
of a failure.
"""

import re
from collections import Counter

import pytest
import webtest

from eventapi import config as configuration
from eventapi import times
from eventapi.app import App
from eventapi.config import DESK
from eventapi.demo import first_steps, organiser, season
from eventapi.demo import show as demo
from eventapi.domain.access import api_keys, people
from eventapi.domain.organiser import settings as set_up
from eventapi.domain.upkeep import checks
from eventapi.storage import files
from eventapi.storage.database import Database
from eventapi.storage.migrations import SchemaError
from tests.support import hall_picture
from tests.support.client import SCOPES, Client, add_key, make_settings, write_empty_config

AFTERNOON = hall_picture.AFTERNOON
TINY = season.Size(9, 16, 4, 8, 1)
REPORTS = (
    "revenue",
    "participants",
    "applications",
    "payments",
    "receivables",
    "tax",
    "booths",
    "services",
    "check-ins",
    "readiness",
    "overview",
)


@pytest.fixture(scope="module")
def show(tmp_path_factory, template):
    """Return a client with all scopes, and the database with the small show, made on an afternoon."""
    settings = make_settings(tmp_path_factory.mktemp("demo"), template)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(times, "now", lambda: AFTERNOON)
        demo.make(settings)
        db = Database(settings)
        yield Client(webtest.TestApp(App(settings)), add_key(db, SCOPES)), db
        db.close()


@pytest.fixture
def tiny(monkeypatch, tmp_path, template):
    """Return a function that makes a small show with these settings, and returns the settings."""
    monkeypatch.setitem(demo.SIZES, "tiny", TINY)

    def make(disabled=(), tier=None, **options):
        (tmp_path / "eventapi.db").write_bytes(template)
        settings = configuration.load(
            environ={
                "EVENTAPI_DATA_DIR": str(tmp_path),
                "EVENTAPI_CONFIG": str(write_empty_config(tmp_path)),
            },
            **options,
        )
        db = Database(settings)
        with db.write():
            for flag in disabled:
                api_keys.set_flag(db, flag, False)
            if tier:
                api_keys.set_tier(db, tier)
        db.close()
        demo.make(settings, "tiny")
        return settings

    return make


def counts(client, path, field="status"):
    """Return how often each value of a field occurs in a list."""
    found, page = Counter(), 1
    separator = "&" if "?" in path else "?"
    while True:
        body = client.get(f"{path}{separator}per_page=100&page={page}", status=200).json
        found.update(record[field] for record in body["data"])
        page += 1
        if page > body["meta"]["total_pages"]:
            return found


def findings(settings):
    """Return what `eventapi check` finds."""
    db = Database(settings)
    found = list(checks.findings(db))
    db.close()
    return found


def everything_stored(db):
    """Return the latest of each timestamp of the past in the database, as (table, column, value)."""
    past = {
        "created_at",
        "updated_at",
        "signed_at",
        "scanned_at",
        "checked_in_at",
        "payment_date",
        "issue_date",
        "decided_at",
        "requested_at",
        "reminder_sent_at",
        "refunded_at",
        "completed_at",
        "occurred_at",
    }
    tables = [
        row[0]
        for row in db.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    for table in tables:
        columns = {row[1] for row in db.connection.execute(f"PRAGMA table_info({table})")} & past
        for column in columns:
            (value,) = db.connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
            if value:
                yield table, column, value


def test_the_picture_in_the_readme_is_what_the_program_draws(show):
    client, _ = show
    drawn = hall_picture.draw(client)
    assert hall_picture.FILE.read_text(encoding="utf-8") == drawn, (
        "`make picture` draws it anew; look at it"
    )
    assert len(drawn) < 150_000
    addresses = set(re.findall(r"""https?://[^"' <)]+""", drawn))
    assert addresses == {"http://www.w3.org/2000/svg"}, "it must load nothing"


def test_the_show_has_records_in_every_state(show):
    client, _ = show
    states = {
        "/applications": "new in_review info_requested waitlisted approved rejected withdrawn",
        "/booths": "available reserved sold blocked",
        "/booth-reservations": "pending confirmed cancelled expired waitlisted",
        "/service-orders": "draft submitted confirmed completed cancelled",
        "/invoices": "draft sent partially_paid paid overdue refunded cancelled",
        "/payments": "pending completed failed refunded cancelled",
        "/tasks": "pending in_progress completed cancelled",
        "/submissions": "pending submitted approved rejected revision_requested",
        "/newsletter": "pending confirmed unsubscribed",
        "/participants": "registered confirmed cancelled",
    }
    for path, expected in states.items():
        assert set(counts(client, path)) == set(expected.split()), path
    contracts = counts(client, "/documents", "contract_status")
    assert {"draft", "pending_signature", "active", "terminated"} <= set(contracts)
    assert {"sent", "viewed", "signed", "declined", "expired"} <= set(
        counts(client, "/documents", "esign_status")
    )
    assert set(counts(client, "/participants", "role")) == {
        "exhibitor",
        "co_exhibitor",
        "sponsor",
        "speaker",
        "visitor",
        "press",
        "staff",
    }
    assert set(counts(client, "/check-ins/refusals", "code")) == {
        "unknown_badge",
        "wrong_event",
        "badge_replaced",
        "participant_cancelled",
        "already_checked_in",
    }


def test_late_payers_got_dunning_letters(show):
    client, _ = show
    assert [level["name"] for level in client.data("/invoices/dunning-levels")] == [
        "Mahnung",
        "Letzte Mahnung",
    ]
    levels = {
        invoice["dunning_level"] for invoice in client.data("/invoices?per_page=100&overdue=1")
    }
    assert {1, 2} <= levels, "letters of both levels"
    assert client.data("/invoices?disputed=1") and client.data("/invoices/dunning?held_back=1")


def test_three_editions_and_an_exchange_for_model_railways(show):
    client, _ = show
    events = {event["event_key"]: event for event in client.data("/events")}
    assert sorted(events) == [
        "gartenmesse-22",
        "gartenmesse-23",
        "gartenmesse-24",
        "modellbahnboerse",
    ]
    assert [events[f"gartenmesse-{number}"]["date_from"] for number in (22, 23, 24)] == [
        "2026-06-15",
        "2027-06-14",
        "2028-06-12",
    ]
    assert "Pflanzen" not in events["modellbahnboerse"]["description"]
    assert all(event["image"] for event in events.values())
    categories = {category["category_key"]: category for category in client.data("/categories")}
    assert categories["plants"]["parent_category_key"] == "garden" and categories["plants"]["color"]
    for participant in client.data(
        "/participants?event_key=modellbahnboerse&per_page=100&include=category"
    ):
        assert participant["category"]["category_key"] in ("models", "scenery")


def test_the_edition_that_is_over_is_settled(show):
    client, _ = show
    ended = "event_key=gartenmesse-22"
    assert set(counts(client, f"/invoices?{ended}")) <= {"paid", "cancelled", "refunded", "sent"}
    invoices = client.data(f"/invoices?{ended}&per_page=100")
    assert {invoice["invoice_type"] for invoice in invoices if invoice["status"] == "sent"} <= {
        "credit_note"
    }
    assert set(counts(client, f"/submissions?{ended}")) == {"approved"}
    (row,) = client.data(f"/reports/readiness?{ended}")["data"]["totals"]
    assert (row["unbilled"], row["open_contract"], row["open_submissions"], row["open_order"]) == (
        0,
        0,
        0,
        0,
    )


def test_the_running_edition_is_visited(show):
    client, _ = show
    stats = client.data("/check-ins/stats?event_key=gartenmesse-23")
    assert stats["present"] > 0 and len(stats["stations"]) == 3
    rows = client.data("/reports/check-ins?event_key=gartenmesse-23")["data"]["rows"]
    assert {row["day"] for row in rows} == {"2027-06-14", "2027-06-15", "2027-06-16"}
    assert len({row["hour"] for row in rows}) > 6


def test_every_report_and_every_chart_shows_data(show):
    client, _ = show
    for name in REPORTS:
        for query in ("", "?event_key=gartenmesse-23"):
            rows = client.data(f"/reports/{name}{query}")["data"]["rows"]
            assert any(
                value for row in rows for value in row.values() if isinstance(value, int | float)
            ), name
        chart = client.get(f"/reports/{name}", headers={"Accept": "image/svg+xml"}, status=200)
        assert chart.text.startswith("<svg") and "<title" in chart.text
    buckets = {
        row["bucket"]: row["amount"]
        for row in client.data("/reports/receivables")["data"]["rows"]
        if row["currency"] == "EUR"
    }
    assert all(buckets[name] > 0 for name in ("not_due", "1-30", "31-60", "61-90", "90+"))
    assert {row["currency"] for row in client.data("/reports/revenue")["data"]["rows"]} == {
        "EUR",
        "CHF",
    }


def test_the_small_features_are_used(show):
    client, db = show
    (hook,) = client.data("/webhooks")
    assert not hook["is_active"] and ".example/" in hook["url"]
    assert client.data("/calendar-feed/subscriptions")
    assert any(
        slot["end_time"] < slot["start_time"]
        for slot in client.data("/schedules?event_key=gartenmesse-23")
    )
    assert [field["entity_type"] for field in client.data("/custom-fields")]
    tables = (
        "merged_contacts",
        "anonymizations",
        "badge_aliases",
        "refunds",
        "notes",
        "custom_field_values",
        "document_templates",
        "submission_revisions",
        "booth_formulas",
        "gateways",
    )
    assert all(
        db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables
    )
    countries = {row[0] for row in db.connection.execute("SELECT country FROM contacts")}
    assert len(countries) >= 10
    (first,) = client.data("/booths?event_key=gartenmesse-23&booth_number=A02")
    assert first["status"] == "sold" and first["booth_type_name"] == "Reihenstand"
    layout = client.data("/plans?event_key=gartenmesse-23")[0]["id"]
    warnings = client.data(f"/plans/{layout}/checks")["warnings"]
    assert {warning["code"] for warning in warnings} <= {"narrow_aisle"}, warnings


def test_the_organiser_and_its_people_are_in_the_database(show):
    _, db = show
    db.follow()
    assert db.config.set_by["organiser_directors"] == DESK
    assert db.config.organiser_directors == "Jana Reinhardt, Tobias Kunze"
    assert [(person["name"], person["role"]) for person in people.owners(db)] == [
        ("Katharina Lohmann", "owner")
    ]
    assert [person["role"] for person in people.all_people(db)][:3] == [
        "owner",
        "office",
        "finance",
    ]


def test_settings_that_are_there_stay(tiny, monkeypatch, tmp_path):
    settings = tiny(organiser_name="Messe Nord")
    db = Database(settings)
    db.follow()
    assert (db.config.organiser_name, db.config.organiser_city) == ("Messe Nord", "Leipzig")
    db.close()


def test_an_empty_database_of_make_run_has_the_settings_once(tmp_path, template, monkeypatch):
    (tmp_path / "eventapi.db").write_bytes(template)
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EVENTAPI_CONFIG", str(write_empty_config(tmp_path)))
    organiser.main()
    db = Database(configuration.load())
    db.follow()
    assert db.config.organiser_iban == "DE02120300000000202051" and people.all_people(db) == []
    with db.write():
        api_keys.create_key(db, "make run", ["events"])
        set_up.change(db, {"organiser_iban": None})
    organiser.main()
    db.follow()
    assert db.config.organiser_iban == ""
    db.close()


def test_nobody_is_called_or_written_to(show):
    _, db = show
    waiting = [
        db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("mails", "webhook_deliveries")
    ]
    assert waiting == [0, 0]
    addresses = db.connection.execute(
        "SELECT email FROM contacts WHERE email IS NOT NULL UNION "
        "SELECT email FROM newsletter_subscribers UNION SELECT email FROM applications"
    )
    assert all(address.endswith(".example") for (address,) in addresses)
    assert {key["status"] for key in api_keys.keys(db) if key["name"].startswith("demo")} == {
        "revoked"
    }


def test_the_data_is_sound_and_nothing_happens_in_the_future(show):
    _, db = show
    assert list(checks.findings(db)) == []
    assert [entry for entry in everything_stored(db) if entry[2] > AFTERNOON] == []
    audit = [
        row[0] for row in db.connection.execute("SELECT created_at FROM audit_log ORDER BY id")
    ]
    assert audit == sorted(audit) and audit[0] < "2025-09"


def test_the_same_day_makes_the_same_show(tiny, monkeypatch, tmp_path_factory, template):
    monkeypatch.setattr(times, "now", lambda: AFTERNOON)
    names = []
    with_iban = tiny(organiser_iban="DE02120300000000202051")
    for settings in (with_iban, make_settings(tmp_path_factory.mktemp("again"), template)):
        if not names:
            names.append(texts_of(settings))
        else:
            demo.make(settings, "tiny")
            names.append(texts_of(settings))
    assert names[0] == names[1]


def texts_of(settings):
    """Return the names, amounts and times of a show."""
    db = Database(settings)
    found = [
        db.connection.execute(text).fetchall()
        for text in (
            "SELECT company_name, last_name, email, created_at FROM contacts ORDER BY id",
            "SELECT invoice_number, total, status, updated_at FROM invoices ORDER BY id",
            "SELECT action, entity_type, entity_id, created_at FROM audit_log "
            "WHERE entity_type <> 'setting' ORDER BY id",
            "SELECT scanned_at, station, code FROM check_in_scans ORDER BY id",
        )
    ]
    db.close()
    return found


@pytest.mark.parametrize(
    "now, options",
    [
        ("2028-02-29T22:30:00Z", {"currency": "JPY", "timezone": "Asia/Tokyo"}),
        (
            "2027-12-31T23:30:00Z",
            {"currency": "KWD", "timezone": "America/Los_Angeles", "language": "en"},
        ),
        ("2027-03-28T01:30:00Z", {"currency": "CHF", "tax_rate": "0"}),
        ("2027-10-31T00:30:00Z", {"organiser_country": "FR", "timezone": "Asia/Kolkata"}),
    ],
)
def test_any_day_currency_and_language(tiny, monkeypatch, now, options):
    monkeypatch.setattr(times, "now", lambda: now)
    settings = tiny(**options)
    assert findings(settings) == []
    db = Database(settings)
    assert [entry for entry in everything_stored(db) if entry[2] > now] == []
    assert db.connection.execute("SELECT count(DISTINCT currency) FROM invoices").fetchone()[0] == 2
    db.close()


@pytest.mark.parametrize(
    "disabled",
    [
        ("invoices", "schedules"),
        ("booths", "tasks"),
        ("plans", "webhooks"),
        ("services",),
        ("service_orders", "documents"),
        api_keys.FLAGS,
    ],
)
def test_features_that_are_switched_off_are_left_out(tiny, disabled):
    settings = tiny(disabled)
    assert findings(settings) == []
    db = Database(settings)
    tables = {
        "invoices": "invoices",
        "schedules": "schedule_slots",
        "booths": "booths",
        "tasks": "tasks",
        "plans": "plans",
        "webhooks": "webhooks",
        "services": "services",
        "service_orders": "service_orders",
        "documents": "documents",
        "pages": "profiles",
        "door": "links",
        "desk": "sessions",
    }
    for flag in disabled:
        assert db.connection.execute(f"SELECT count(*) FROM {tables[flag]}").fetchone() == (0,), (
            flag
        )
    db.close()


@pytest.mark.parametrize(
    "disabled, currency, expected",
    [((), "JPY", '"amount": 2500}'), ((), "EUR", '"amount": 25.50}'), (("invoices",), "EUR", None)],
)
def test_the_first_steps_fit_the_show(tiny, monkeypatch, capsys, disabled, currency, expected):
    settings = tiny(disabled, currency=currency)
    monkeypatch.setattr(configuration, "load", lambda: settings)
    first_steps.main("http://127.0.0.1:8301", ".run/key")
    printed = capsys.readouterr().out
    assert (
        "export EVENTAPI_URL=http://127.0.0.1:8301\nexport EVENTAPI_KEY=$(cat .run/key)\n"
        in printed
    )
    assert "\nexport EVENTAPI_BIND=127.0.0.1:8301\n" in printed, (
        "`eventapi` asks the server at this address"
    )
    assert (
        "EVENTAPI_DATA_DIR=$PWD/.run\n" in printed and "Continue with docs/tutorial.md." in printed
    )
    assert re.search(
        r"eventapi link show \d+\): http://127\.0\.0\.1:8301/link/evl_[\w-]{32}\n", printed
    )
    assert re.search(
        r"The desk of the office, for Katharina Lohmann, once within a day .*/link/evl_[\w-]{32}\n",
        printed,
    )
    assert "None" not in printed and ("create a payment" in printed) == bool(expected)
    assert not expected or expected in printed


def test_the_options_that_the_server_gets_by_variables_are_printed_but_no_secret(
    tiny, monkeypatch, capsys
):
    """Without them, `eventapi mail test` in the second terminal says that no mail server is set."""
    settings = tiny(())
    monkeypatch.setattr(configuration, "load", lambda: settings)
    given = {
        "EVENTAPI_SMTP_HOST": "127.0.0.1",
        "EVENTAPI_ORGANISER_NAME": "Messe & Co",
        "EVENTAPI_SMTP_PASSWORD": "xyz",
        "EVENTAPI_DATA_DIR": "/elsewhere",
        "EVENTAPI_LANGUAGE": "de",
    }
    for name, text in given.items():
        monkeypatch.setenv(name, text)
    first_steps.main("http://127.0.0.1:8301", ".run/key")
    printed = capsys.readouterr().out
    assert (
        "\nexport EVENTAPI_ORGANISER_NAME='Messe & Co'\nexport EVENTAPI_SMTP_HOST=127.0.0.1\n"
        in printed
    )
    assert (
        "export EVENTAPI_LANGUAGE=de\n" in printed
        and "/elsewhere" not in printed
        and "xyz" not in printed
    )


def test_the_smallest_limit_of_uploads_suffices(tiny):
    assert findings(tiny(max_upload_mb="1", max_import_mb="1")) == []


def test_a_lower_tier_gets_one_clear_line_and_nothing_is_stored(tiny):
    with pytest.raises(
        SchemaError, match=r"requires the plan tier Business\+, but this tenant has Starter\. Run"
    ):
        tiny(tier="Starter")


def test_a_refused_record_leaves_nothing_behind(tiny, tmp_path, template, monkeypatch):
    settings = make_settings(tmp_path, template)
    monkeypatch.setitem(demo.SIZES, "tiny", TINY)
    # too long for the description of an event
    monkeypatch.setattr(season, "MODELS", "x" * 1_000_000)
    with pytest.raises(SchemaError, match=r"nothing is stored: POST /events: .*validation_failed"):
        demo.make(settings, "tiny")
    db = Database(settings)
    tables = ("events", "contacts", "audit_log", "api_keys", "admins", "counters")
    assert [
        db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables
    ][:5] == [0] * 5
    db.close()
    assert list(files.all_stored(settings)) == []


def test_a_database_that_is_not_empty_stays_as_it_is(show):
    _, db = show
    before = db.data_version()
    with pytest.raises(SchemaError, match="not empty"):
        demo.make(db.config)
    assert db.data_version() == before


def test_a_statement_of_the_bank_has_booked_and_open_transactions(show):
    client, _ = show
    assert counts(client, "/payments/unmatched?status=assigned") == {"assigned": 1}
    open_ = client.get("/payments/unmatched", status=200).json["data"]
    assert [bool(row["proposals"]) for row in sorted(open_, key=lambda row: -row["amount"])].count(
        True
    ) >= 1
    assert (
        len(open_) == 3 and client.get("/payments/imports", status=200).json["meta"]["total"] == 1
    )
