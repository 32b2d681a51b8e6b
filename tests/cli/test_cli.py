"""The command line: output, refusals, and that running servers apply its changes at once."""

import configparser
import importlib.util
import json
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from eventapi import config, journal, logs
from eventapi.cli import main, make_parser, server_check
from eventapi.domain.access import api_keys, sessions
from eventapi.storage import database, migrations, process_locks, schema, versions
from tests.support import processes
from tests.support.client import SCOPES, Client
from tests.support.each import check_each
from tests.support.images import png


def table(run, *words):
    code, lines, _ = run(*words, "--json")
    assert code == 0
    return json.loads("\n".join(lines))


def actions(db):
    return db.connection.execute("SELECT action, entity_type FROM audit_log ORDER BY id").fetchall()


# Keys


def test_a_key_is_printed_once_and_only_its_hash_is_kept(run, app, db, settings):
    code, lines, error = run("key", "create", "--name", "till", "--scope", "events", "--quiet")
    assert (code, error, len(lines)) == (0, "", 1)
    key = lines[0]
    assert key.startswith("evk_") and len(key) == 47
    Client(app, key).get("/events", status=200)
    stored = db.connection.execute("SELECT * FROM api_keys").fetchone()
    assert key not in map(str, stored) and api_keys.key_hash(key) in stored
    assert key.encode() not in settings.database.read_bytes()


def test_without_quiet_the_command_says_that_the_key_is_shown_only_once(run):
    code, lines, _ = run("key", "create", "--name", "till", "--all-scopes")
    assert code == 0 and lines[0].startswith("evk_") and "not shown again" in lines[1]


@pytest.mark.parametrize(
    "words, shown",
    [
        (("--scope", "audit:read"), ["audit:read"]),
        (("--scope", "events", "--scope", "documents"), ["documents"]),
        (("--scope", "contacts"), []),
        (("--all-scopes",), []),
        (("--scope", "audit", "--quiet"), []),
    ],
)
def test_the_command_says_which_scopes_show_data_of_others(run, words, shown):
    _, lines, _ = run("key", "create", "--name", "till", *words)
    said = [line for line in lines if line.startswith("The scope")]
    assert [line.split()[2] for line in said] == shown
    assert all("personal data" in line or "whole contacts" in line for line in said)


def test_the_first_key_makes_the_first_admin_and_the_next_belongs_to_it(run, db):
    run("key", "create", "--name", "one", "--all-scopes")
    run("key", "create", "--name", "two", "--all-scopes")
    assert [key["admin_id"] for key in table(run, "key", "list")] == [1, 1]
    assert actions(db) == [("created", "admin"), ("created", "api_key"), ("created", "api_key")]


def test_all_scopes_equals_the_scopes_of_the_catalogue(run):
    run("key", "create", "--name", "all", "--all-scopes")
    assert table(run, "key", "list")[0]["scopes"] == SCOPES.split()
    assert len(api_keys.SCOPES) == 24


def test_an_unknown_scope_is_refused_with_the_nearest_name(run):
    code, lines, error = run(
        "key", "create", "--name", "till", "--scope", "paymets", "--scope", "event:read"
    )
    assert (code, lines) == (1, [])
    assert error == (
        "eventapi: unknown scope 'paymets'; did you mean payments?\n"
        "eventapi: unknown scope 'event:read'; did you mean events:read?\n"
    )
    assert table(run, "key", "list") == []


def test_a_key_needs_either_scopes_or_all_scopes(run):
    assert run("key", "create", "--name", "till")[0] == 2
    assert run("key", "create", "--name", "till", "--all-scopes", "--scope", "events")[0] == 2


def test_a_key_with_a_read_scope_can_only_read(run, app):
    key = run("key", "create", "--name", "board", "--scope", "events:read", "--quiet")[1][0]
    Client(app, key).get("/events", status=200)
    Client(app, key).post("/events", {"title": "x"}, status=403)


@pytest.mark.parametrize("expires", ["2001-01-01", "2027-02-30", "tomorrow"])
def test_an_expiry_in_the_past_or_with_an_invalid_date_is_refused(run, expires):
    code, _, error = run("key", "create", "--name", "till", "--all-scopes", "--expires", expires)
    assert code == 1 and error.count("\n") == 1


def test_a_key_works_until_the_end_of_its_last_day_in_the_time_zone_of_the_tenant(run):
    run("key", "create", "--name", "till", "--all-scopes", "--expires", "2099-06-30")
    assert table(run, "key", "list")[0]["expires_at"] == "2099-06-30T21:59:59Z"


def test_a_revoked_key_is_refused(run, app, db):
    key = run("key", "create", "--name", "till", "--all-scopes", "--quiet")[1][0]
    Client(app, key).get("/events", status=200)
    assert run("key", "revoke", "1") == (0, [], "")
    assert Client(app, key).get("/events", status=401).json["code"] == "invalid_api_key"
    assert run("key", "revoke", "1")[0] == 0
    assert actions(db).count(("revoked", "api_key")) == 1
    assert table(run, "key", "list")[0]["status"] == "revoked"


def test_rotation_ends_the_old_key_at_once_or_after_the_grace_period(run, app):
    old = run("key", "create", "--name", "till", "--scope", "events", "--quiet")[1][0]
    new = run("key", "rotate", "1", "--grace", "24", "--quiet")[1][0]
    for key in (old, new):
        Client(app, key).get("/events", status=200)
    newest = run("key", "rotate", "2", "--quiet")[1][0]
    Client(app, new).get("/events", status=401)
    Client(app, newest).get("/events", status=200)
    keys = table(run, "key", "list")
    assert [key["status"] for key in keys] == ["active", "revoked", "active"]
    assert keys[0]["expires_at"] and keys[2]["expires_at"] is None
    assert {tuple(key["scopes"]) for key in keys} == {("events",)}


def test_a_revoked_key_cannot_be_rotated(run):
    run("key", "create", "--name", "till", "--all-scopes")
    run("key", "revoke", "1")
    code, lines, error = run("key", "rotate", "1")
    assert code == 1 and lines == [] and "revoked" in error


def test_unknown_names_are_refused_with_a_single_message(run):
    for words in (
        ("key", "revoke", "9"),
        ("key", "rotate", "9"),
        ("admin", "disable", "9"),
        ("gateway", "remove", "none"),
        ("key", "create", "--name", "x", "--all-scopes", "--admin", "9"),
    ):
        code, lines, error = run(*words)
        assert (code, lines, error.count("\n")) == (1, [], 1), words


# Admins


def test_admins_are_added_listed_and_disabled_with_their_keys(run, app, db):
    assert run("admin", "add", "Grace Hopper", "--email", "grace@messe.test") == (0, ["1"], "")
    key = run("key", "create", "--name", "till", "--all-scopes", "--admin", "1", "--quiet")[1][0]
    Client(app, key).get("/events", status=200)
    assert run("admin", "disable", "1")[0] == 0
    Client(app, key).get("/events", status=401)
    assert table(run, "admin", "list")[0]["is_active"] is False
    assert table(run, "key", "list")[0]["status"] == "admin disabled"
    assert actions(db) == [("created", "admin"), ("created", "api_key"), ("updated", "admin")]
    assert run("key", "create", "--name", "x", "--all-scopes", "--admin", "1")[0] == 1


def test_an_admin_needs_a_name_and_a_plausible_address(run):
    assert run("admin", "add", "  ")[0] == 1
    assert run("admin", "add", "Grace\nHopper")[0] == 1
    assert run("admin", "add", "Grace", "--email", "nowhere")[0] == 1


# Flags and tier


def test_a_flag_takes_effect_in_a_running_app_at_once(run, organiser, db):
    organiser.get("/payments", status=200)
    assert run("flag", "disable", "invoices") == (0, [], "")
    assert organiser.get("/payments", status=403).json["code"] == "feature_disabled"
    assert {"name": "invoices", "enabled": False} in table(run, "flag", "list")
    run("flag", "enable", "invoices")
    organiser.get("/payments", status=200)
    run("flag", "enable", "invoices")
    assert actions(db) == [("updated", "flag")] * 2


def test_an_unknown_flag_is_refused_with_the_nearest_name(run):
    code, _, error = run("flag", "disable", "invoice")
    assert code == 1 and "invoices" in error


def test_the_tier_is_shown_and_set(run, organiser, db):
    assert run("tier", "show")[1] == ["Business+"]
    assert run("tier", "set", "Starter")[0] == 0
    assert organiser.get("/events", status=403).json["code"] == "plan_required"
    assert table(run, "tier", "show") == {"tier": "Starter"}
    assert run("tier", "set", "Platinum")[0] == 1
    assert actions(db) == [("updated", "tenant")]


def test_control_characters_in_the_data_do_not_reach_the_terminal(run, db):
    run("admin", "add", "Ada")
    db.connection.execute("UPDATE admins SET name = ?", ("Ada \x1b]0;title\x07\x9b2J Lovelace",))
    code, output, _ = run("admin", "list")
    assert code == 0 and "Ada \\x1b]0;title\\x07\\x9b2J Lovelace" in "".join(output)
    _, _, error = run("key", "list", "--config", "/none/\x1b[2J")
    assert "/none/\\x1b[2J" in error


def test_gateways_are_added_listed_and_removed(run):
    assert (
        run(
            "gateway", "add", "card", "Card payment", "--fee-percent", "1.4", "--fee-fixed", "0.25"
        )[0]
        == 0
    )
    (gateway,) = table(run, "gateway", "list")
    assert (gateway["gateway_key"], gateway["fee_percent"], gateway["fee_fixed"]) == (
        "card",
        1.4,
        0.25,
    )
    assert run("gateway", "add", "card", "Again")[0] == 1
    assert run("gateway", "add", "x", "X", "--fee-fixed", "0.255")[0] == 1
    assert run("gateway", "add", "x", "X", "--fee-percent", "-1")[0] == 1
    assert run("gateway", "remove", "card")[0] == 0
    assert table(run, "gateway", "list") == []


def test_a_gateway_is_journalled_as_it_was_entered(run, db):
    run("gateway", "add", "card", "Card payment", "--fee-percent", "1", "--fee-fixed", "0.25")
    run("gateway", "remove", "card")
    created, deleted = (
        json.loads(values)
        for (values,) in db.connection.execute(
            "SELECT coalesce(new_values, old_values) FROM audit_log WHERE entity_type = 'gateway' ORDER BY id"
        )
    )
    assert (created["fee_percent"], created["fee_fixed"]) == (1, 0.25) and deleted == created


def test_changes_by_the_command_line_are_in_the_audit_log(run, db):
    run("key", "create", "--name", "till", "--all-scopes")
    run("flag", "disable", "booths")
    assert journal.verify(db) == []


# Usage, configuration, schema


@pytest.mark.processes
@pytest.mark.parametrize(
    "words", [("admin", "add", "Ada"), ("flag", "disable", "plans"), ("demo",)]
)
def test_no_command_writes_while_a_restore_runs(run, settings, db, words):
    """It would write to the database that is being replaced, and report success."""
    with process_locks.alone(settings):
        code, _, error = run(*words)
        assert code == 1 and "an upgrade or a restore is running" in error and actions(db) == []
    assert run(*words)[0] == 0 and actions(db) != []


def test_a_command_without_a_database_leaves_no_trace_of_one(run, settings):
    for file in settings.data_dir.glob("eventapi.db*"):
        file.unlink()
    assert run("admin", "add", "Ada")[0] == 1
    assert run("migrate")[0] == 0


def test_wrong_usage_exits_with_code_2(run):
    for words in (
        ("nonsense",),
        ("key",),
        ("key", "revoke", "x"),
        ("flag", "list", "--jsn"),
        ("key", "rotate", "1", "--grace", "-1"),
    ):
        code, lines, error = run(*words)
        assert (code, lines) == (2, []) and error, words


def test_an_invalid_configuration_is_reported_in_a_single_message(run, tmp_path):
    code, _, error = run("--config", str(tmp_path / "none.conf"), "flag", "list")
    assert code == 1 and error.count("\n") == 1 and "none.conf" in error
    (tmp_path / "bad.conf").write_text("[eventapi]\nworkers = many\n")
    code, _, error = run("flag", "list", "--config", str(tmp_path / "bad.conf"))
    assert code == 1 and error.count("\n") == 1 and "workers" in error


@pytest.mark.processes
def test_help_is_printed_without_loading_jsonschema():
    """jsonschema takes as long to load as all commands."""
    code = (
        "import sys; from eventapi.__main__ import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "serve" in done.stdout
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "eventapi" in loaded and not loaded & {
        "jsonschema",
        "referencing",
        "bottle",
        "gunicorn",
        "reportlab",
    }


def test_without_a_database_every_command_names_the_remedy(run, settings):
    settings.database.unlink()
    for words in (
        ("key", "list"),
        ("serve",),
        ("worker", "--once"),
        ("check",),
        ("backup", str(settings.data_dir / "b.tar")),
    ):
        code, _, error = run(*words)
        assert code == 1 and "eventapi migrate" in error and error.count("\n") == 1, words
    assert not settings.database.exists()


def test_a_database_of_a_newer_program_is_not_changed(run, db):
    db.connection.execute("PRAGMA user_version = 9999")
    for words in (("flag", "list"), ("migrate",)):
        code, _, error = run(*words)
        assert code == 1 and "9999" in error and error.count("\n") == 1


def test_a_text_table_has_one_row_per_record(run):
    lines = run("flag", "list")[1]
    assert lines[0].split() == ["name", "enabled"] and ["booths", "yes"] in [
        line.split() for line in lines
    ]


@pytest.mark.processes
def test_a_closed_pipe_is_no_error(tmp_path, settings):
    command = f"{sys.executable} -m eventapi openapi | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=processes.environment(tmp_path),
        cwd=processes.ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("{", "")


# What the help, the log and the configuration say


def commands(parser=None):
    for _, child in (parser or make_parser()).children().values():
        yield from list(commands(child)) or [child]


def words_of(example):
    """Return the arguments of eventapi in an example, without what only the shell reads."""
    command = re.search(r"eventapi( .*?)?(?=$|\)| > |  #)", example)[0]
    return shlex.split(command)[1:]


@pytest.mark.parametrize("parser", list(commands()), ids=lambda parser: parser.prog)
def test_the_examples_of_a_command_are_valid(parser):
    assert parser.examples and all(parser.prog in example for example in parser.examples[-1:])
    for example in parser.examples:
        make_parser().parse_args(words_of(example))
        assert example in parser.format_help()


def groups(parser=None):
    """Yield each parser that has subcommands, also one inside another, such as `link create`."""
    parser = parser or make_parser()
    if parser.children():
        yield parser
        for _, child in parser.children().values():
            yield from groups(child)


@pytest.mark.parametrize("parser", list(groups()), ids=lambda parser: parser.prog)
def test_the_help_of_a_group_has_an_example_of_each_subcommand(parser):
    shown = parser.format_help().partition("\nexamples:\n")[2].splitlines()
    for _, child in parser.children().values():
        assert any(line.strip().startswith(child.prog) for line in shown) or parser.examples


def test_the_help_of_link_has_examples(run):
    code, lines, _ = run("link", "--help")
    assert code == 0
    assert lines[lines.index("examples:") + 1 :] == [
        "  eventapi link create door garden-fair-2027 --station 'Entrance West'",
        "  eventapi link list",
        "  eventapi link show 3",
        "  eventapi link revoke 3",
        "  eventapi link devices",
        "  eventapi link end-device 7",
    ]


@pytest.mark.parametrize("words", [("help",), ("help", "key"), ("help", "key", "create")])
def test_help_may_stand_before_the_command(run, words):
    code, lines, _ = run(*words)
    assert code == 0 and lines[0].startswith(
        f"usage: eventapi{' ' * (len(words) > 1)}{' '.join(words[1:])} ["
    )
    assert "examples:" in lines


def test_the_examples_of_eventapi_itself_are_valid():
    for example in make_parser().examples:
        make_parser().parse_args(words_of(example))


def test_a_data_directory_that_cannot_be_created_is_named_with_the_option(
    run, tmp_path, monkeypatch
):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", "/var/lib")

    monkeypatch.setattr(Path, "mkdir", refuse)
    code, _, error = run("migrate")
    assert code == 1 and f"cannot create {tmp_path}: permission denied for the user" in error
    assert "; use sudo, or set data_dir (EVENTAPI_DATA_DIR) to a directory" in error


def documented(parser, value):
    """Return whether a value printed with --json has exactly the documented fields, in their order."""
    return all(
        list(row) == list(parser.fields) for row in (value if isinstance(value, list) else [value])
    )


def test_every_list_has_json_with_the_documented_fields(run, db):
    run("key", "create", "--name", "till", "--all-scopes")
    run("gateway", "add", "card", "Card")
    db.connection.execute("""
        INSERT INTO mails (kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, state,
                           message_id, created_at, updated_at)
        VALUES ('invoice', 'invoice', 1, 1, 'a@example.org', 'x', '', 'en', 'failed', 'x', '2026-01-01',
                '2026-01-01')""")
    with db.write():
        sessions.add(db, api_key_id=1)
    found = {parser.prog: parser for parser in commands() if parser.fields}
    assert found.keys() == {
        f"eventapi {name}"
        for name in (
            "status",
            "settings list",
            "admin list",
            "key list",
            "flag list",
            "tier show",
            "gateway list",
            "mail list",
            "check",
            "audit verify",
            "pages check",
            "desk sessions",
            "link devices",
            "link list",
        )
    }
    for name in ("pages check", "link devices", "link list"):  # they need an event
        del found[f"eventapi {name}"]
    for name, parser in found.items():
        _, lines, _ = run(*name.split()[1:], "--json")
        value = json.loads("\n".join(lines))
        assert documented(parser, value) and (value or name == "eventapi check"), name


def test_the_last_entry_of_the_audit_log_can_be_read_from_json(run, db):
    run("flag", "disable", "plans")
    entry = table(run, "audit", "verify")["last_entry"]
    run("flag", "enable", "plans")
    assert run("audit", "verify", "--noted", entry)[0] == 0
    code, lines, error = run(
        "audit", "verify", "--json", "--noted", f"{entry.partition(':')[0]}:{'0' * 64}"
    )
    assert (
        code == 1
        and len(json.loads("\n".join(lines))["faults"]) == 1
        and "eventapi restore" in error
    )


def test_the_help_lists_scopes_flags_and_tiers(db, capsys):
    def text(*words):
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        return capsys.readouterr().out

    help = text("key", "create")
    assert all(scope in help for scope in [*SCOPES.split(), "applications:create", "public"])
    known = [name for (name,) in db.connection.execute("SELECT name FROM flags")]
    assert set(known) == set(api_keys.FLAGS)
    assert all(name in text("flag", "enable") for name in known)
    assert "Business+" in text("tier", "set")


def test_the_audit_log_names_the_operator(run, db, monkeypatch):
    monkeypatch.setenv("SUDO_USER", "grace")
    run("flag", "disable", "plans")
    assert db.connection.execute(
        "SELECT admin_name, api_key_id FROM audit_log ORDER BY id DESC"
    ).fetchone() == ("grace (command line)", None)


def test_a_wrong_grace_period_is_explained(run, capsys):
    code, _, error = run("key", "rotate", "1", "--grace", "soon")
    assert code == 2 and "'soon' must be a whole number of hours from 0 to 8760" in error


def test_booleans_are_booleans_in_json(run):
    run("key", "create", "--name", "one", "--all-scopes")
    (key,) = json.loads("\n".join(run("key", "list", "--json")[1]))
    assert key["admin_is_active"] is True


def test_an_unknown_record_is_reported_in_one_form(run):
    for words, noun in (
        (("key", "revoke", "99"), "API key 99"),
        (("mail", "retry", "99"), "mail 99"),
        (("admin", "disable", "99"), "admin 99"),
        (("gateway", "remove", "x"), "payment gateway x"),
    ):
        assert (
            run(*words)[2]
            == f"eventapi: {noun} not found; 'eventapi {words[0]} list' shows what exists\n"
        )


@pytest.mark.parametrize(
    "content, reason",
    [
        (None, "No such file or directory"),
        (b"GIF89a", "not a PNG or JPEG"),
        (png(9, 9)[:-9], "not complete"),
        (png(3000, 3000), "pixels"),
    ],
)
def test_a_logo_that_cannot_be_printed_prevents_the_start(run, tmp_path, content, reason):
    logo = tmp_path / "logo.png"
    if content is not None:
        logo.write_bytes(content)
    (tmp_path / "eventapi.conf").write_text(f"[eventapi]\norganiser_logo = {logo}\n")
    code, _, error = run("serve", "--check")
    assert (
        code == 1
        and error.count("\n") == 1
        and f"organiser_logo = '{logo}'" in error
        and reason in error
    )


def test_a_logo_is_read_when_the_configuration_is_loaded(tmp_path):
    (tmp_path / "logo.png").write_bytes(png(60, 20))
    settings = config.load(environ={"EVENTAPI_ORGANISER_LOGO": str(tmp_path / "logo.png")})
    assert (settings.organiser_logo.width, settings.organiser_logo.height) == (60, 20)
    assert config.load(environ={}).organiser_logo is None


def test_a_credential_of_systemd_overrides_the_file_and_is_never_shown(tmp_path):
    (tmp_path / "eventapi.conf").write_text("[eventapi]\nsmtp_password = old\nworkers = 3\n")
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "smtp_password").write_text("pass word\n")
    (folder / "of_another_program").write_text("x")
    environ = {
        "EVENTAPI_CONFIG": str(tmp_path / "eventapi.conf"),
        "CREDENTIALS_DIRECTORY": str(folder),
    }
    settings = config.load(environ=environ)
    assert (settings.smtp_password, settings.workers) == ("pass word", 3)
    assert (
        config.load(environ={**environ, "EVENTAPI_SMTP_PASSWORD": "mine"}).smtp_password == "mine"
    )
    (folder / "smtp_password").write_bytes(b"\xff secret")
    with pytest.raises(config.ConfigError, match="smtp_password: it is not UTF-8") as refused:
        config.load(environ=environ)
    assert "secret" not in str(refused.value)


def test_all_faults_of_the_configuration_are_reported_at_once(run, tmp_path, monkeypatch):
    file = tmp_path / "eventapi.conf"
    file.write_text(
        "# a comment\nlog_level = info\n[eventapi]\nworkers = many\n  threads = 99\n\ncurency = EUR\n"
        "smtp_password geheim\nworkers = 2\n[mail]\nsmtp_port = x\n"
    )
    monkeypatch.setenv("EVENTAPI_WORKRES", "3")
    monkeypatch.setenv("EVENTAPI_TAX_RATE", "lots")
    code, _, error = run("check")
    assert code == 1 and error.splitlines() == [
        f"eventapi: {line}"
        for line in (
            "unknown environment variable EVENTAPI_WORKRES; did you mean EVENTAPI_WORKERS?",
            "environment variable EVENTAPI_TAX_RATE: tax_rate = 'lots' must be a percentage from "
            "0 to 100 with at most two "
            "decimals",
            f"{file}:4: workers = 'many' must be a whole number from 1 to 64",
            f"{file}:5: threads = '99' must be a whole number from 2 to 64",
            f"{file}:7: unknown option curency; did you mean currency?",
            f"{file}:8: the line is neither a comment nor an option; write it as NAME = VALUE",
            f"{file}:9: workers is set for the second time; delete this line or line 4",
            f"{file}:10: [mail] is not allowed; the file must have exactly one section, [eventapi]",
            f"{file}:11: smtp_port = 'x' must be a whole number from 1 to 65535",
        )
    ]


def test_a_value_may_continue_in_indented_lines(tmp_path):
    file = tmp_path / "eventapi.conf"
    file.write_text(
        "[eventapi]\nTrusted_Proxies : 10.0.0.1,\n    # the other one\n    10.0.0.2\n\nworkers=3\n"
    )
    settings = config.load(file, environ={})
    assert (
        list(map(str, settings.trusted_proxies)) == ["10.0.0.1/32", "10.0.0.2/32"]
        and settings.workers == 3
    )


def test_a_line_of_a_value_may_look_like_an_option(tmp_path):
    file = tmp_path / "eventapi.conf"
    file.write_text(
        "[eventapi]\ntrusted_proxies = 10.0.0.1\n  fd00::1\n  cors_origins = https://a.example.org\n"
        "    https://b.example.org\n"
    )
    settings = config.load(file, environ={})
    assert list(map(str, settings.trusted_proxies)) == ["10.0.0.1/32", "fd00::1/128"]
    assert settings.cors_origins == ("https://a.example.org", "https://b.example.org")


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_misspelt_option_is_no_part_of_the_value_above(tmp_path, indent):
    file = tmp_path / "eventapi.conf"
    file.write_text(
        f"[eventapi]\n{indent}organiser_name = Rosen KG\n{indent}organiser_citty = Ulm\n"
    )
    with pytest.raises(config.ConfigError, match=":3: unknown option organiser_citty"):
        config.load(file, environ={})


@pytest.mark.parametrize("content", ["", "workers = 2\n", "[other]\n", "[eventapi]\n[eventapi]\n"])
def test_a_file_without_its_one_section_is_refused(tmp_path, content):
    (tmp_path / "eventapi.conf").write_text(content)
    with pytest.raises(config.ConfigError, match=r"section,? \[eventapi\]"):
        config.load(tmp_path / "eventapi.conf", environ={})


def test_a_log_line_cannot_be_forged():
    line = logs.line("info", 0, path='/a"\nlevel=error x=1', key=None, status=200)
    assert line == (
        'time=1970-01-01T00:00:00.000Z level=info path="/a\\"\\nlevel=error x=1" key=- status=200'
    )


def test_a_traceback_follows_its_line(capsys):
    record = logging.LogRecord(
        "eventapi.worker", logging.ERROR, "x.py", 1, "job %s failed", ("mails",), None
    )
    assert re.fullmatch(
        r'time=\S+Z level=error logger=eventapi.worker msg="job mails failed"',
        logs.Formatter().format(record),
    )


# Migrations


@pytest.mark.processes
def test_migrate_creates_the_database_and_may_run_twice_or_concurrently(tmp_path):
    folder = tmp_path / "new" / "data"
    tmp_path.joinpath("eventapi.conf").write_text("[eventapi]\n")
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "eventapi", "migrate"],
            cwd=processes.ROOT,
            stdout=subprocess.DEVNULL,
            env={**processes.environment(tmp_path), "EVENTAPI_DATA_DIR": str(folder)},
        )
        for _ in range(2)
    ]
    assert [process.wait(60) for process in both] == [0, 0]
    connection = database.connect(folder / "eventapi.db")
    migrations.check_schema_version(connection)
    connection.close()
    assert (folder / "eventapi.db").stat().st_mode & 0o777 == 0o640


TRACES = (
    "files/ab/cdef",
    "backups/eventapi-20260101T000000Z.tar",
    "eventapi.db.before-restore-1",
    "eventapi.running",
    "eventapi.db.lock",
)


def leave_traces(settings, lost, traces):
    """Leave nothing in the data directory but the configuration, an empty database if it is
    `lost` this way, and these traces of a former one.
    """
    for place in settings.data_dir.iterdir():
        if place.is_dir():
            shutil.rmtree(place)
        elif place.suffix != ".conf":
            place.unlink()
    if lost == "empty":
        settings.database.touch()
    for trace in traces:
        left = settings.data_dir / trace
        left.parent.mkdir(parents=True, exist_ok=True)
        left.touch()
        os.utime(left, (0, 0))  # a lock of this minute may be of a process that creates it


@pytest.mark.parametrize("lost", ["missing", "empty"])
def test_migrate_creates_no_empty_database_where_there_was_one(run, settings, lost):
    def check(trace):
        leave_traces(settings, lost, [trace])
        code, _, error = run("migrate")
        assert code == 1 and error.count("\n") == 1 and "--new" in error and "estore" in error
        assert ("eventapi-20260101T000000Z.tar" in error) == trace.startswith("backups")
        renamed = f"rename {settings.data_dir / trace}"
        assert (renamed in error) == ("before-restore" in trace)
        told = run("key", "list")[2]
        assert "missing or empty" in told
        assert told.index("eventapi restore") < told.index("eventapi migrate")
        assert not settings.database.exists() or not settings.database.stat().st_size

    check_each({trace: trace for trace in TRACES}, check)


@pytest.mark.parametrize("lost", ["missing", "empty"])
def test_migrate_new_creates_a_database_whatever_shows_that_there_was_one(run, settings, lost):
    leave_traces(settings, lost, TRACES)
    assert run("migrate")[0] == 1
    assert run("migrate", "--new")[0] == 0
    assert run("key", "list")[0] == 0


@pytest.mark.parametrize(
    "name",
    [
        "backups/before-the-fair",
        "backups/fair.bak",
        "fair.backup",
        "backups/fair.tar.gz",
        "backups/fair.tar.partial",
    ],
)
def test_migrate_finds_a_backup_by_any_name(run, settings, name):
    backup = settings.data_dir / name
    backup.parent.mkdir(exist_ok=True)
    assert run("backup", str(backup))[:2] == (0, [f"{backup}: the backup is complete"])
    for file in settings.data_dir.glob("eventapi.*"):
        if file.suffix != ".conf":
            file.unlink()
    code, _, error = run("migrate")
    assert code == 1 and f"{backup} shows that there was one" in error and "--new" in error
    assert (f"eventapi restore {backup}'" in error) == (not name.endswith(".partial")), error
    assert not settings.database.exists()
    backup.write_text("The newest backup is on the other disk.")
    if ".tar" not in name:  # a note is no sign of a database
        assert run("migrate")[0] == 0


@pytest.fixture
def next_migration(tmp_path, monkeypatch):
    """Add a migration to the existing ones."""

    def add(script):
        file = tmp_path / "9000_test.sql"
        file.write_text(script)
        known = versions.migration_files()
        monkeypatch.setattr(versions, "migration_files", lambda: [*known, (9000, file)])

    return add


def test_an_upgrade_makes_a_backup_first(run, settings, next_migration):
    next_migration("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;")
    code, lines, _ = run("migrate")
    assert code == 0 and "to 9000" in lines[-1]
    assert [
        file.name.startswith("before-migration-from-") for file in settings.backups.iterdir()
    ] == [True]
    assert run("migrate")[0] == 0
    assert len(list(settings.backups.iterdir())) == 1


def test_a_failed_migration_changes_nothing_and_names_the_backup(run, settings, next_migration, db):
    before = migrations.schema_version(db.connection)
    next_migration(
        "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT; DROP TABLE api_keys; SELECT nonsense;"
    )
    code, _, error = run("migrate")
    assert code == 1 and error.count("\n") == 1 and "eventapi restore" in error
    assert migrations.schema_version(db.connection) == before
    assert db.connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE name IN ('later', 'api_keys')"
    ).fetchone() == (1,)


def test_a_migration_that_violates_a_constraint_is_refused_in_one_line(run, next_migration, db):
    before = migrations.schema_version(db.connection)
    next_migration(
        "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT; INSERT INTO later VALUES (1), (1);"
    )
    code, _, error = run("migrate")
    assert (
        code == 1
        and error.count("\n") == 1
        and "UNIQUE constraint failed" in error
        and "eventapi restore" in error
    )
    assert migrations.schema_version(db.connection) == before


def test_when_the_second_migration_fails_the_first_is_rolled_back(
    run, settings, tmp_path, monkeypatch, db
):
    before, known = migrations.schema_version(db.connection), versions.migration_files()
    for number, script in (
        (9000, "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;"),
        (9001, "SELECT nonsense;"),
    ):
        (tmp_path / f"{number}.sql").write_text(script)
    monkeypatch.setattr(
        versions,
        "migration_files",
        lambda: [*known, *((number, tmp_path / f"{number}.sql") for number in (9000, 9001))],
    )
    assert run("migrate")[0] == 1
    assert migrations.schema_version(db.connection) == before
    assert not db.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'later'").fetchone()


def test_a_migration_that_breaks_foreign_keys_is_refused(run, db, next_migration, organiser):
    next_migration("DELETE FROM admins;")
    assert run("migrate")[0] == 1
    assert schema.broken_foreign_keys(db.connection) == []


# The server


@pytest.mark.processes
def test_serve_starts_the_requested_workers_and_stops_at_sigterm(tmp_path, settings):
    with processes.Server(tmp_path, "--workers", "2") as server:
        assert processes.get(f"{server.url}/api/v1/events")[0] == 401
        processes.until(lambda: len(processes.children(server.process.pid)) == 2)
        assert server.stop() == 0


@pytest.mark.processes
def test_serve_check_reports_whether_the_server_would_start_and_starts_nothing(
    run, settings, monkeypatch
):
    code, (line,), error = run("serve", "--check")
    assert (code, error) == (
        0,
        "",
    ) and line == f"the server starts with {settings.file} and responds to a request"
    monkeypatch.setenv("EVENTAPI_WORKERS", "many")
    code, _, error = run("serve", "--check")
    assert code == 1 and "workers = 'many'" in error
    monkeypatch.delenv("EVENTAPI_WORKERS")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    for words in (("serve", "--check"), ("worker", "--once")):
        code, _, error = run(*words)
        assert code == 1 and error == (
            f"eventapi: {settings.database}: Permission denied; let the user "
            f"{config.user()}, who runs the command, write there, or repair the disk\n"
        )


@pytest.mark.processes
def test_the_unix_socket_of_serve_is_private_and_a_taken_one_is_reported(tmp_path, settings):
    address = f"unix:{tmp_path}/web.sock"
    server = processes.start(tmp_path, "serve", "--bind", address, "--workers", "1")
    try:
        processes.until(lambda: (tmp_path / "web.sock").exists())
        assert (tmp_path / "web.sock").stat().st_mode & 0o007 == 0
        second = processes.eventapi(tmp_path, "serve", "--bind", address)
        assert (
            second.returncode == 1
            and second.stderr.count("\n") == 1
            and "listens there" in second.stderr
        )
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def test_a_taken_port_is_reported_at_once(run):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        code, _, error = run("serve", "--bind", f"127.0.0.1:{holder.getsockname()[1]}")
    assert code == 1 and error.count("\n") == 1 and "in use" in error


def test_serve_refuses_invalid_addresses_and_numbers(run):
    assert run("serve", "--bind", "nonsense")[0] == 1
    assert run("serve", "--workers", "0")[0] == 1


@pytest.mark.parametrize("address", ["0.0.0.0:8080", "[::]:8080", "192.0.2.1:8080"])
def test_serve_refuses_an_address_that_other_machines_reach(run, address):
    for words in (("serve",), ("serve", "--check")):
        code, _, error = run(*words, "--bind", address)
        assert code == 1 and "nginx" in error and "public_bind = yes" in error


@pytest.mark.parametrize("check", [[], ["--check"]])
@pytest.mark.parametrize("address", ["0.0.0.0:8080", "127.0.0.1:8080"])
def test_serve_refuses_gthread_if_other_machines_may_connect(run, monkeypatch, address, check):
    monkeypatch.setenv("EVENTAPI_SERVER", "gthread")
    monkeypatch.setenv("EVENTAPI_PUBLIC_BIND", "yes")
    code, _, error = run("serve", "--bind", address, *check)
    assert code == 1 and error.count("\n") == 1
    assert "server = own" in error and "nginx" in error and "public_bind = no" in error


@pytest.mark.processes
@pytest.mark.own_server("gthread is refused there")
def test_serve_listens_on_an_address_that_other_machines_reach_if_allowed(tmp_path, settings):
    port = processes.free_port()
    with processes.start(
        tmp_path, "serve", "--bind", f"0.0.0.0:{port}", EVENTAPI_PUBLIC_BIND="yes"
    ) as server:
        try:
            processes.until(lambda: processes.get(f"http://127.0.0.1:{port}/healthz")[0] == 200)
        finally:
            server.terminate()


@pytest.fixture
def broken_gunicorn(tmp_path):
    """Return a folder with a gunicorn of the future, which has another name for what only the own
    server uses.
    """
    source = Path(importlib.util.find_spec("gunicorn").origin).parent
    shutil.copytree(source, tmp_path / "future" / "gunicorn")
    version = tmp_path / "future" / "gunicorn" / "__init__.py"
    version.write_text(
        version.read_text() + '\nversion_info = (99, 0, 0)\n__version__ = "99.0.0"\n'
    )
    base = tmp_path / "future" / "gunicorn" / "workers" / "base.py"
    base.write_text(base.read_text().replace("PIPE", "WAKE_UP"))
    return tmp_path / "future"


@pytest.mark.processes
@pytest.mark.own_server("tries the own server")
def test_serve_falls_back_to_gthread_if_the_own_server_does_not_work(
    tmp_path, settings, broken_gunicorn
):
    future = {"PYTHONPATH": f"{broken_gunicorn}:{processes.ROOT}"}
    checked = processes.eventapi(tmp_path, "serve", "--check", **future)
    assert (checked.returncode, checked.stderr.count("\n")) == (0, 1), checked.stderr
    assert "gthread serves instead" in checked.stderr and "PIPE" in checked.stderr
    port = processes.free_port()
    with (
        open(tmp_path / "log", "w") as log,
        processes.start(
            tmp_path, "serve", "--bind", f"127.0.0.1:{port}", log=log, **future
        ) as server,
    ):
        try:
            processes.until(
                lambda: processes.get(f"http://127.0.0.1:{port}/api/v1/events")[0] == 401,
                timeout=90,
            )
        finally:
            server.terminate()
    assert "gthread serves instead" in (tmp_path / "log").read_text()
    refused = processes.eventapi(tmp_path, "serve", "--check", EVENTAPI_PUBLIC_BIND="yes", **future)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
    assert "PIPE" in refused.stderr and "public_bind = no" in refused.stderr


def test_the_newest_gunicorn_of_setup_cfg_counts_as_tested():
    setup = configparser.ConfigParser()
    setup.read(processes.ROOT / "setup.cfg")
    assert (
        f"gunicorn>=20.1,<{server_check.NEWEST_TESTED + 1}"
        in setup["options"]["install_requires"].split()
    )


@pytest.mark.processes
def test_serve_check_reports_a_server_that_does_not_start(tmp_path, settings):
    assert processes.eventapi(tmp_path, "serve", "--check").returncode == 0
    (tmp_path / "absent.py").write_text("raise ImportError('no such server')")
    checked = processes.eventapi(
        tmp_path,
        "serve",
        "--check",
        PYTHONPATH=f"{processes.ROOT}:{tmp_path}",
        GUNICORN_CMD_ARGS="-k absent.Worker",
    )
    assert checked.returncode == 1 and checked.stderr.count("\n") == 1, checked.stderr
    assert "does not respond" in checked.stderr
