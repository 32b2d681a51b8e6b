"""`eventapi-instance status`, packaging/tenant-status: one line for each tenant.

A script stands for the command of the package. packaging/try reads the state of real tenants.
"""

import importlib.machinery
import importlib.util
import json
import time
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from tests.support.processes import ROOT

SCRIPT = ROOT / "packaging" / "tenant-status"
FIELDS = {
    "name",
    "configuration",
    "state",
    "urgent",
    "database",
    "worker_age_seconds",
    "verified_backup",
    "error",
}


def printed(**changed):
    """Return what `eventapi status --json` prints: a service that runs, with a backup of 5 hours."""
    made = datetime.now(timezone.utc) - timedelta(hours=5, minutes=1)
    state = {
        "database": "/var/lib/eventapi-acme/eventapi.db",
        "worker_age_seconds": 3,
        "verified_backup": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tasks": [{"what": "No mail is sent.", "commands": [], "is_urgent": False}],
    }
    return json.dumps({**state, **changed})


def urgent(*texts):
    """Return the tasks of a status with urgent ones."""
    return [{"what": text, "commands": [], "is_urgent": True} for text in texts]


@pytest.fixture
def machine(tmp_path, monkeypatch, capsys):
    """Return a machine without systemd: `add` adds an instance with the shell commands that its
    `eventapi status --json` is, `status` returns (exit status, output).
    """
    loader = importlib.machinery.SourceFileLoader("tenant_status", str(SCRIPT))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("tenant_status", loader)
    )
    loader.exec_module(module)
    configurations = tmp_path / "configurations"
    configurations.mkdir()
    # each configuration is the script that answers for its tenant
    command = tmp_path / "stand-in"
    command.write_text('#!/bin/sh\n[ "$1 $3 $4" = "--config status --json" ] && exec sh "$2"\n')
    command.chmod(0o755)
    users = set()

    def getpwnam(user):
        if user not in users:
            raise KeyError(user)
        return SimpleNamespace(pw_name=user)

    def add(name, script):
        (configurations / f"{name}.conf").write_text(script)
        users.add(f"eventapi-{name}")

    def answers(name, text):
        (tmp_path / f"{name}.out").write_text(text)
        add(name, f"cat {tmp_path}/{name}.out")

    def status(*words):
        code = module.main(["status", *words])
        return code, capsys.readouterr().out

    monkeypatch.setattr(module, "COMMAND", str(command))
    monkeypatch.setattr(module, "CONFIGURATIONS", str(configurations))
    monkeypatch.setattr(module, "SYSTEMD", str(tmp_path / "systemd"))
    monkeypatch.setattr(module.pwd, "getpwnam", getpwnam)
    return SimpleNamespace(
        add=add,
        answers=answers,
        status=status,
        module=module,
        configurations=configurations,
        folder=tmp_path,
    )


def test_each_instance_has_a_line_and_the_default_one_is_the_first(machine):
    machine.answers("acme", printed())
    machine.answers("eventapi", printed(worker_age_seconds=None, verified_backup=None))
    assert machine.status() == (
        0,
        "NAME      STATE  WORKER     BACKUP   FIRST PROBLEM\n"
        "eventapi  ok     never ran  none\n"
        "acme      ok     runs       5 hours\n",
    )


def test_one_urgent_tenant_makes_the_exit_status_1(machine):
    machine.answers("acme", printed())
    machine.answers(
        "b-2", printed(tasks=urgent("The disk is full.", "Old."), worker_age_seconds=7260)
    )
    code, output = machine.status()
    assert code == 1
    assert output.splitlines()[1:] == [
        "acme  ok        runs                 5 hours",
        "b-2   2 urgent  stopped 2 hours ago  5 hours  The disk is full.",
    ]


def test_worker_and_backup_of_a_tenant_without_a_database_are_unknown(machine):
    missing = urgent("Database /d/eventapi.db is missing.")
    machine.answers(
        "acme",
        printed(database=None, worker_age_seconds=None, verified_backup=None, tasks=missing),
    )
    code, output = machine.status()
    assert code == 1
    line = output.splitlines()[1]
    assert line.split(maxsplit=5) == [
        "acme", "1", "urgent", "-", "-", "Database /d/eventapi.db is missing."
    ]  # fmt: skip


def test_a_wrong_configuration_is_one_line_and_does_not_hide_others(machine):
    machine.add(
        "acme", "echo \"eventapi: acme.conf:12: currency = 'EURO' is wrong\nmore\" >&2; exit 1"
    )
    machine.answers("b", printed())
    code, output = machine.status()
    assert code == 1
    assert output.splitlines()[1:] == [
        "acme  unreadable  -       -        acme.conf:12: currency = 'EURO' is wrong",
        "b     ok          runs    5 hours",
    ]


def test_json_has_the_same_fields_for_each_instance(machine):
    machine.answers("acme", printed(tasks=urgent("The disk is full.")))
    machine.add("b", "echo 'eventapi: no such option' >&2")
    code, output = machine.status("--json")
    acme, b = json.loads(output)
    assert code == 1 and set(acme) == set(b) == FIELDS
    assert (acme["state"], acme["urgent"]) == ("urgent", ["The disk is full."])
    assert acme["configuration"] == str(machine.configurations / "acme.conf")
    assert (b["state"], b["error"]) == ("unreadable", "no such option")


def test_a_tenant_that_hangs_is_unreadable_after_its_time(machine, monkeypatch):
    """Also if a process that it has left behind keeps its output open."""
    monkeypatch.setattr(machine.module, "TIME_LIMIT", 1)
    machine.add("acme", "sleep 30 & echo '{'")
    machine.answers("b", printed())
    started = time.monotonic()
    code, output = machine.status()
    assert time.monotonic() - started < 20
    assert code == 1
    assert "acme  unreadable" in output and "did not end within 1 seconds" in output
    assert "b     ok" in output


def test_four_are_asked_at_once(machine):
    """Each of the first four waits until all four have begun."""
    meet = (
        f"touch {machine.folder}/$$.begun; "
        f"for i in $(seq 100); do [ $(ls {machine.folder}/*.begun | wc -l) -lt 4 ] || break; "
        f"sleep 0.1; done; ls {machine.folder}/*.begun | wc -l >&2"
    )
    for name in "abcd":
        machine.add(name, meet)
    _, output = machine.status("--json")
    assert [found["error"] for found in json.loads(output)] == ["4"] * 4


@pytest.mark.parametrize(
    "output, said",
    [
        ("nonsense", "something else than its state"),
        ("[]", "something else than its state"),
        ("{}", "something else than its state"),
        (printed(tasks=[{"what": 3, "is_urgent": True}]), "something else than its state"),
        (printed(database=7), "something else than its state"),
        (printed(worker_age_seconds=10**400), "something else than its state"),
        (printed(verified_backup="yesterday"), "something else than its state"),
        ("[" * 100_000, "something else than its state"),
        ("x" * 2_000_000, "more than 1,000,000 bytes"),
        ("", "printed nothing"),
    ],
    # an id made of the text would not fit into the environment
    ids=[
        "text",
        "list",
        "object",
        "task",
        "database",
        "age",
        "backup",
        "depth",
        "length",
        "nothing",
    ],
)
def test_output_of_another_form_is_unreadable_and_does_not_hide_others(machine, output, said):
    machine.answers("acme", output)
    machine.answers("b", printed())
    code, shown = machine.status()
    assert code == 1 and said in shown and "b     ok" in shown


def test_output_of_a_tenant_cannot_control_the_terminal(machine):
    hostile = "Run\x1b]0;title\x07 \x1b[2J\u202etxt\r\nNAME\x9b1m \ud800"
    machine.answers("acme", printed(tasks=urgent(hostile)))
    machine.add("b", "printf 'eventapi: \\033[31mred\\a\\n' >&2")
    _, table = machine.status()
    assert len(table.splitlines()) == 3
    assert all(letter.isprintable() for letter in table.replace("\n", ""))
    _, text = machine.status("--json")
    assert text.replace("\n", "").isascii() and "\x1b" not in text
    assert json.loads(text)[0]["urgent"] == [hostile]


def test_only_configurations_with_a_possible_name_and_a_user_are_tenants(machine):
    for name in ("a b", "Acme", "a;id", "-x", "ac\nme", "a" * 21, "acme.conf"):
        machine.answers(name, printed())
    machine.answers("acme", printed())
    (machine.configurations / "nobody.conf").write_text("")  # no user
    (machine.configurations / "acme.way-back").write_text("")
    _, output = machine.status()
    assert [line.split()[0] for line in output.splitlines()] == ["NAME", "acme"]


def test_a_configuration_that_is_a_broken_link_is_unreadable(machine):
    """The command of the tenant follows the link, as its user."""
    machine.answers("acme", printed())
    link = machine.configurations / "acme.conf"
    link.unlink()
    link.symlink_to(machine.folder / "nowhere")
    code, output = machine.status()
    assert code == 1 and "acme  unreadable" in output and "cannot open" in output


def test_options_in_the_environment_of_root_do_not_reach_the_tenants(machine, monkeypatch):
    monkeypatch.setenv("EVENTAPI_DATA_DIR", "/srv/other")
    machine.add("acme", 'echo "${EVENTAPI_DATA_DIR-none}" >&2')
    assert json.loads(machine.status("--json")[1])[0]["error"] == "none"


@pytest.fixture
def enabled(machine, monkeypatch):
    """Return what enables units (`add`) of a machine with systemd, on which none is enabled."""
    (machine.folder / "systemd").mkdir()
    systemctl = machine.folder / "systemctl"
    systemctl.write_text(
        "#!/bin/sh\n[ $1 = is-enabled ] || exit 9\nshift\n"
        f"for unit; do grep -qx $unit {machine.folder}/enabled && echo enabled || echo disabled; done\n"
    )
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{machine.folder}:/usr/bin:/bin")
    file = machine.folder / "enabled"
    file.write_text("")
    return SimpleNamespace(add=lambda unit: file.write_text(f"{file.read_text()}{unit}\n"))


def test_with_systemd_a_disabled_default_instance_has_no_line_and_a_disabled_tenant_is_not_asked(
    machine, enabled
):
    machine.answers("eventapi", printed(tasks=urgent("It does not run.")))
    machine.answers("acme", printed(tasks=urgent("It does not run.")))
    assert machine.status()[0] == 0
    assert machine.status()[1].splitlines()[1:] == ["acme  disabled  -       -"]


@pytest.mark.parametrize("unit", ["socket", "service", "worker", "backup"])
def test_with_systemd_an_instance_is_asked_if_one_of_its_units_is_enabled(machine, enabled, unit):
    of = {
        "socket": ("eventapi.socket", "eventapi@acme.socket"),
        "service": ("eventapi.service", "eventapi@acme.service"),
        "worker": ("eventapi-worker.service", "eventapi-worker@acme.service"),
        "backup": ("eventapi-backup.timer", "eventapi-backup@acme.timer"),
    }
    for name in of[unit]:
        enabled.add(name)
    machine.answers("eventapi", printed(tasks=urgent("It does not run.")))
    machine.answers("acme", printed(tasks=urgent("It does not run.")))
    code, output = machine.status()
    assert code == 1 and output.count("1 urgent") == 2


def test_a_machine_without_instances_says_so(machine):
    assert machine.status() == (0, "There is no tenant, and the default instance is disabled.\n")
    assert machine.status("--json") == (0, "[]\n")
