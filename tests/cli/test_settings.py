"""The commands `eventapi settings`: what they print, and what they do beside the file and with a
setting that cannot be parsed.
"""

import json
import subprocess

import pytest

from eventapi.cli import servers
from eventapi.config import SETTINGS
from eventapi.domain.access import people
from eventapi.domain.upkeep import housekeeping
from eventapi.storage.database import Database
from eventapi.worker.mail import trial
from tests.domain.test_settings import COMPANY, change, damage, entries, stored
from tests.support.client import make_settings


@pytest.fixture
def settings(tmp_path, template):
    make_settings(tmp_path, template)
    return set_in_file(tmp_path, "")


def set_in_file(folder, lines):
    """Write the configuration file and return the configuration."""
    from eventapi import config

    (folder / "eventapi.conf").write_text(f"[eventapi]\ndata_dir = {folder}\n{lines}")
    return config.load(folder / "eventapi.conf", environ={})


def listed(run):
    code, lines, error = run("settings", "list", "--json")
    assert (code, error) == (0, "")
    return {row["name"]: row for row in json.loads("\n".join(lines))}


def test_a_setting_is_set_and_removed(run, db):
    code, lines, error = run("settings", "set", "payment_days", "30")
    assert (code, error) == (0, "")
    assert "the running server may have it closed" in lines[0]
    assert listed(run)["payment_days"] == {"name": "payment_days", "value": "30", "set_by": "desk"}
    assert run("settings", "unset", "payment_days")[0] == 0
    assert listed(run)["payment_days"]["set_by"] == "default"
    assert [title for title, _, _ in entries(db)] == ["payment_days", "payment_days"]
    who = db.connection.execute("SELECT admin_name FROM audit_log").fetchone()[0]
    assert who.endswith("(command line)")


def test_the_list_says_where_each_option_is_set(run, tmp_path, settings, monkeypatch):
    set_in_file(tmp_path, "organiser_name = Messe\n")
    monkeypatch.setenv("EVENTAPI_ORGANISER_CITY", "Leipzig")
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "organiser_iban").write_text("DE02120300000000202051")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    found = listed(run)
    assert found["organiser_name"]["set_by"] == f"{tmp_path}/eventapi.conf:3"
    assert found["organiser_city"]["set_by"] == "environment variable EVENTAPI_ORGANISER_CITY"
    assert found["organiser_iban"]["set_by"] == f"{tmp_path}/credentials/organiser_iban"
    assert found["payment_days"]["set_by"] == "default"
    assert len(found) == 57


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("payment_days", "soon", "payment_days must be a whole number from 0 to 365"),
        ("smtp_host", "mail", "smtp_host is not a setting of the database; set it in"),
        ("organiser_citty", "x", "organiser_citty is not a setting; did you mean organiser_city?"),
        ("organiser_name", "x", "eventapi.conf:3; change it there"),
    ],
)
def test_a_refusal_names_the_option(run, db, tmp_path, name, text, said):
    set_in_file(tmp_path, "organiser_name = Messe\n")
    code, lines, error = run("settings", "set", name, text)
    assert (code, lines) == (1, [])
    assert said in error
    assert stored(db) == {}


def test_import_copies_the_file_and_prints_how_to_comment_its_lines_out(run, db, tmp_path):
    lines = (
        "organiser_name = Messe Test\n"
        "payment_days = 14\n"
        "organiser_iban = DE03120300000000202051\n"
        "base_rates = 2026-01-01 1.27,\n  2026-07-01 1.27\n"
        "organiser_city = Halle\n"
        "smtp_host = mail\n"
        "organiser_street = Am Markt 1\n"
    )
    change(db, organiser_city="Leipzig")
    set_in_file(tmp_path, lines)
    code, said, error = run("settings", "import")
    assert code == 0
    assert stored(db) == {
        "organiser_name": "Messe Test",
        "organiser_city": "Leipzig",
        "organiser_street": "Am Markt 1",
    }
    for name in ("organiser_iban", "base_rates", "organiser_city"):
        assert f"{name} stays in the file" in error
    assert (
        "base_rates stays in the file: its value has several lines; write it on one line" in error
    )
    sed = next(line for line in said if "sed -i" in line)
    assert sed.strip() == f"sed -i '3s/^/#/;4s/^/#/;10s/^/#/' {tmp_path}/eventapi.conf"
    assert entries(db)[1] == (
        "organiser_name",
        {"organiser_name": None},
        {"organiser_name": "Messe Test"},
    )


def test_the_configuration_is_the_same_after_import_and_its_sed_line(run, db, tmp_path):
    from tests.domain.test_settings import TEXTS

    texts = {name: typed for name, (typed, _) in TEXTS.items() if name != "start_page"}
    before = set_in_file(tmp_path, "".join(f"{name} = {text}\n" for name, text in texts.items()))
    assert run("settings", "import")[0] == 0
    assert len(stored(db)) == len(texts) == 55
    after = set_in_file(tmp_path, "")
    with Database(after).write() as fresh:
        differ = {
            name
            for name, value in vars(before).items()
            if name not in ("set_by", "revision", "live") and getattr(fresh.config, name) != value
        }
    assert differ == set()


def test_the_sed_line_comments_out_what_was_copied_and_nothing_else(run, db, tmp_path, monkeypatch):
    """sed counts line feeds. Python ends a line at a form feed, and at U+2028, which word processors
    leave behind.
    """
    from eventapi import config

    lines = (
        "# copied\u2028# from a letter\r\n"
        "# page 2\x0c# of it\r\n"
        "smtp_password = secret\r\n"
        "organiser_name = Messe Test\r\n"
        "bank_accounts = DE02500105170137075030,\r\n"
        "   DE02120300000000202051\r\n"
        "payment_days = 30\r\n"
        "# end\r\n"
    )
    file = tmp_path / "it's a file.conf"
    file.write_text(f"[eventapi]\ndata_dir = {tmp_path}\n{lines}", newline="")
    monkeypatch.setenv("EVENTAPI_CONFIG", str(file))
    before = config.load(environ={"EVENTAPI_CONFIG": str(file)})
    code, said, error = run("--config", str(file), "settings", "import")
    assert (code, "bank_accounts stays in the file" in error) == (0, True)
    sed = next(line for line in said if "sed -i" in line)
    subprocess.run(["sh", "-c", sed], check=True)
    after = config.load(environ={"EVENTAPI_CONFIG": str(file)})
    assert before.smtp_password == after.smtp_password == "secret"
    closed = {name for name in SETTINGS if after.live.is_closed(name)}
    assert closed == {"bank_accounts"}
    assert after.bank_accounts == before.bank_accounts


# Other commands


def test_status_knows_the_organiser_of_the_settings(run, db):
    lacks = "Invoices cannot be sent before these options are set"
    assert any(lacks in line for line in run()[1])
    change(db, **COMPANY)
    assert not any(lacks in line for line in run()[1])


def test_a_fee_has_the_decimals_of_the_currency_of_the_settings(run, db):
    change(db, currency="JPY", dunning_minimum="500", payment_tolerance="0")
    words = ("gateway", "add", "card", "Card", "--fee-fixed")
    assert "at most 0 decimals" in run(*words, "0.5")[2]
    assert run(*words, "30")[0] == 0


def test_the_end_of_a_key_has_the_time_zone_of_the_settings(run, db):
    change(db, timezone="Asia/Tokyo")
    run("key", "create", "--name", "till", "--all-scopes", "--expires", "2099-05-01")
    ends = db.connection.execute("SELECT expires_at FROM api_keys").fetchone()[0]
    assert ends.endswith("T15:00:00Z") or ends.endswith("T14:59:59Z")


def test_the_test_mail_is_in_the_language_and_from_the_name_of_the_settings(
    run, db, tmp_path, monkeypatch
):
    set_in_file(tmp_path, "smtp_host = mail\nsmtp_sender = fair@messe.test\n")
    change(db, organiser_name="Messe Eins", organiser_country="AT")
    used = []
    monkeypatch.setattr(trial, "send", lambda config, address: used.append(config) or "250 ok")
    assert run("mail", "test", "a@messe.test")[0] == 0
    assert [(config.organiser_name, config.language) for config in used] == [("Messe Eins", "de")]


# A setting that this version cannot parse


@pytest.fixture
def bad(db):
    change(db, organiser_name="Messe")
    damage(db, "payment_days", "soon")


@pytest.mark.parametrize(
    "words", [("serve",), ("serve", "--check"), ("worker", "--once"), ("worker",)], ids=" ".join
)
def test_server_and_worker_refuse_a_bad_setting_by_name(run, bad, monkeypatch, words):
    monkeypatch.setattr(servers.os, "execv", lambda *_: pytest.fail("the server was started"))
    code, lines, error = run(*words)
    assert (code, lines) == (1, [])
    assert "payment_days = 'soon' must be a whole number from 0 to 365" in error
    assert "eventapi settings set payment_days VALUE" in error


def test_migrate_warns_of_a_bad_setting(run, bad):
    code, lines, error = run("migrate")
    assert (code, "is up to date" in lines[0]) == (0, True)
    assert "warning: settings: payment_days = 'soon'" in error


def test_status_says_that_the_server_does_not_start_with_a_bad_setting(run, bad):
    code, lines, _ = run()
    assert code == 1
    assert any("payment_days = 'soon'" in line for line in lines)
    assert not any("Invoices cannot be sent" in line for line in lines)  # nobody knows


def test_status_still_looks_at_keys_and_the_worker_while_a_setting_is_bad(run, db):
    run("key", "create", "--name", "till", "--all-scopes")
    housekeeping.record_heartbeat(db)
    damage(db, "payment_days", "soon")
    code, lines, _ = run("status", "--json")
    found = json.loads("\n".join(lines))
    assert (code, found["active_keys"]) == (1, 1)
    assert found["worker_age_seconds"] is not None


@pytest.mark.parametrize(
    "words", [("set", "payment_days", "20"), ("unset", "payment_days")], ids=" ".join
)
def test_a_bad_setting_is_corrected_on_the_command_line(run, bad, words):
    assert run("settings", *words)[0] == 0
    code, _, error = run("worker", "--once")
    assert (code, error) == (0, "")


def test_a_name_that_is_no_setting_is_removed_from_the_database(run, db):
    damage(db, "payment_dayz", "3")
    _, _, error = run("worker", "--once")
    assert "eventapi settings unset payment_dayz" in error
    assert run("settings", "unset", "payment_dayz")[0] == 0
    assert stored(db) == {}


def test_a_backup_is_made_while_a_setting_is_bad(run, bad, tmp_path):
    assert run("backup", str(tmp_path / "backup.tar"))[0] == 0


def test_a_backup_with_a_bad_setting_is_restored(run, bad, db, tmp_path, settings, caplog):
    """There may be nothing else left, and a setting can only be corrected in a database."""
    file = str(tmp_path / "backup.tar")
    run("backup", file)
    db.close()
    settings.database.unlink()
    code, lines, _ = run("restore", "--force", file)
    assert (code, "restored from" in lines[0]) == (0, True)
    assert "payment_days = 'soon'" in caplog.text
    assert run("settings", "set", "payment_days", "20")[0] == 0
    assert listed(run)["organiser_name"]["value"] == "Messe"


def test_the_owners_are_told_of_another_bank_account(run, tmp_path, db):
    set_in_file(
        tmp_path,
        "smtp_host = localhost\nsmtp_sender = desk@messe.test\nbase_url = https://events.example.org\n",
    )
    with db.write():
        owner = people.invite(db, "Carla", "carla@messe.test", "owner")
        people.record_sign_in(db, owner)
    assert run("settings", "set", "organiser_iban", "DE02120300000000202051")[0] == 0
    assert run("settings", "unset", "organiser_iban")[0] == 0
    rows = db.connection.execute(
        "SELECT recipient, text, details ->> '$.by', details ->> '$.changes.organiser_iban' FROM mails"
    )
    assert rows.fetchall() == [
        ("carla@messe.test", "bank_changed", None, '[[],["2051"]]'),
        ("carla@messe.test", "bank_changed", None, '[["2051"],[]]'),
    ]
