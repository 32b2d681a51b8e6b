"""`eventapi` alone says what to do next, in each state of an installation. It changes nothing."""

import json
import os
import socket
import subprocess
import threading
import time

import pytest

from eventapi import paths
from eventapi.cli import status
from eventapi.domain.access import api_keys, people
from eventapi.domain.upkeep import housekeeping
from eventapi.errors import Problem

ORGANISER = "".join(
    f"organiser_{name} = x\n" for name in ("name", "street", "city", "tax_number", "email", "iban")
)
COMPLETE = (
    "[eventapi]\nbase_url = https://shows.example.org\nsmtp_host = mail\nsmtp_sender = a@example.org\n"
    + ORGANISER
)


@pytest.fixture(autouse=True)
def packages(monkeypatch):
    """All packages and fonts that PDFs require are installed."""
    monkeypatch.setattr(status.hybrid, "obstacle", lambda: None)


@pytest.fixture
def healthy(tmp_path):
    """Return a function that lets a server respond on a socket of this path, until the end of the
    test.
    """
    listeners = []

    def start(path, body=b'{"status":"ok","database":"ok","worker_age_seconds":3}'):
        path.parent.mkdir(parents=True, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        listeners.append(listener)
        threading.Thread(target=respond, args=(listener, body), daemon=True).start()
        return f"unix:{path}"

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def respond(listener, body):
    while True:
        try:
            client, _ = listener.accept()
        except OSError:  # the test has ended
            return
        client.recv(4096)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body)
        client.close()


@pytest.fixture
def installed(monkeypatch):
    """The program is installed by pip, in no checkout and by no package."""
    monkeypatch.setattr(status, "_checkout", lambda: None)
    monkeypatch.setattr("sys.argv", ["/opt/eventapi/bin/eventapi"])


@pytest.fixture
def packaged(monkeypatch, tmp_path):
    """The program is installed by the package, with its sockets, units and nginx below tmp_path."""
    monkeypatch.setattr(status, "OF_PACKAGE", paths.PACKAGE)
    for name in ("CONFIGURATIONS", "SOCKETS", "NGINX"):
        monkeypatch.setattr(status, name, tmp_path / name.lower())
    units = {"eventapi.service": "active", "eventapi@acme.service": "active"}
    monkeypatch.setattr(status.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda words, **_: subprocess.CompletedProcess(words, 0, units[words[-1]]),
    )
    (tmp_path / "nginx" / "sites-enabled").mkdir(parents=True)
    (tmp_path / "configurations").mkdir()
    return units


@pytest.fixture
def tasks(run):
    """Return a function that returns (exit code, [(what, commands, is_urgent)])."""

    def show(*words):
        code, lines, error = run(*words, "status", "--json")
        assert error == ""
        return code, [tuple(task.values()) for task in json.loads("\n".join(lines))["tasks"]]

    return show


def complete(db, settings, tmp_path):
    """Make an installation that lacks nothing: a key, an owner, a heartbeat, a verified backup and
    all options.
    """
    with db.write():
        people.invite(db, "Grace Hopper", "grace@example.org", "owner")
    (tmp_path / "eventapi.conf").write_text(COMPLETE)
    housekeeping.record_heartbeat(db)
    settings.backups.mkdir(exist_ok=True)
    name = time.strftime("eventapi-%Y%m%dT%H%M%SZ.tar", time.gmtime())
    for file in (name, f"{name}.verified"):
        (settings.backups / file).touch()


def test_if_nothing_is_missing_it_names_what_runs_and_the_reference(
    run, installed, organiser, db, settings, tmp_path, healthy, monkeypatch
):
    complete(db, settings, tmp_path)
    monkeypatch.setenv("EVENTAPI_BIND", healthy(tmp_path / "web.sock"))
    before = {
        file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if "-shm" not in file.name
    }
    code, lines, error = run()
    assert (code, error) == (0, "") and "Nothing to do." in lines
    assert "API reference: https://shows.example.org/docs" in lines
    hint = f"6 options of {tmp_path}/eventapi.conf can be edited at the desk after "
    assert any(line.startswith(hint) and "eventapi settings import'" in line for line in lines)
    text = "\n".join(lines)
    for part in (
        f"{tmp_path}/eventapi.conf",
        f"{tmp_path}/eventapi.db",
        "1 active",
        "responds at unix:",
        "seconds ago",
        "verified, ",
    ):
        assert part in text
    assert {
        file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if "-shm" not in file.name
    } == before


def test_without_a_database_it_names_the_command_that_creates_one(tasks, installed, settings):
    settings.database.unlink()
    code, found = tasks()
    ((what, commands, is_urgent),) = found
    assert (code, is_urgent, commands) == (1, True, ["/opt/eventapi/bin/eventapi migrate"])
    assert "eventapi restore FILE" in what and not settings.database.exists()


def test_in_a_checkout_without_a_database_it_names_make_run(tasks, settings):
    settings.database.unlink()
    code, ((_, commands, _),) = tasks()
    assert (code, commands) == (
        1,
        ["python3 -m eventapi migrate", f"make -C {paths.PACKAGE.parent} run"],
    )


def test_in_a_checkout_it_shows_the_sample_show_of_make_run(
    run, tasks, organiser, db, tmp_path, monkeypatch, healthy
):
    (tmp_path / ".run").mkdir()
    db.connection.execute("VACUUM INTO ?", (str(tmp_path / ".run" / "eventapi.db"),))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "demo.conf").write_text(
        f"[eventapi]\nbind = {healthy(tmp_path / 'web.sock')}\n"
    )
    monkeypatch.setattr(status, "_checkout", lambda: tmp_path)
    (tmp_path / "default.conf").write_text(f"[eventapi]\ndata_dir = {tmp_path}/none\n")
    monkeypatch.setattr(status.configuration, "DEFAULT_FILE", tmp_path / "default.conf")
    for name in ("EVENTAPI_CONFIG", "EVENTAPI_DATA_DIR"):
        monkeypatch.delenv(name)
    assert "sample show of make run" in run()[1][0]
    code, ((what, commands, is_urgent),) = tasks()
    assert (code, is_urgent) == (1, True) and "worker does not run" in what
    assert commands == [
        f"EVENTAPI_CONFIG={tmp_path}/conf/demo.conf EVENTAPI_DATA_DIR={tmp_path}/.run "
        "python3 -m eventapi worker"
    ]
    (tmp_path / "conf" / "demo.conf").write_text("[eventapi]\nbind = 127.0.0.1:1\n")
    assert "No server responds at 127.0.0.1:1." in tasks()[1][0][0]
    # make run PORT=8301
    (tmp_path / ".run" / "address").write_text(f"{healthy(tmp_path / 'port.sock')}\n")
    ((what, _, _),) = tasks()[1]
    assert "worker does not run" in what


@pytest.mark.parametrize(
    "version, remedy", [(9999, "nstall the newer version"), (1, "eventapi migrate")]
)
def test_a_database_of_another_version_is_urgent(tasks, installed, db, version, remedy):
    db.connection.execute(f"PRAGMA user_version = {version}")
    code, ((what, _, is_urgent),) = tasks()
    assert code == 1 and is_urgent and remedy in what


def test_a_damaged_database_is_urgent(tasks, installed, db, settings):
    mark = settings.database.with_name("eventapi.db.damaged")
    mark.write_text(f"{os.stat(settings.database).st_ino} row 7 missing\n")
    code, ((what, _, is_urgent),) = tasks()
    assert code == 1 and is_urgent and "row 7 missing" in what and "eventapi restore" in what


def test_a_new_installation_lacks_a_key_and_its_options(
    tasks, installed, db, tmp_path, monkeypatch, healthy
):
    housekeeping.record_heartbeat(db)
    monkeypatch.setenv("EVENTAPI_BIND", healthy(tmp_path / "web.sock"))
    code, found = tasks("--config", str(tmp_path / "eventapi.conf"))
    assert code == 0 and not any(is_urgent for _, _, is_urgent in found)
    program = f"/opt/eventapi/bin/eventapi --config {tmp_path}/eventapi.conf"
    assert [commands for _, commands, _ in found[:2]] == [
        [f"{program} admin invite 'Your Name' you@example.org"],
        [f"{program} key create --name first --all-scopes"],
    ]
    text = " ".join(what for what, _, _ in found)
    for part in (
        "organiser_name",
        "organiser_street, organiser_city, organiser_vat_id (or organiser_tax_number).",
        "Invoices name no bank account. Set organiser_iban with '/opt/eventapi/bin/eventapi",
        "Set organiser_email or imprint_url",
        "smtp_host",
        "base_url",
    ):
        assert part in text


def test_without_the_desk_nobody_has_to_be_invited(tasks, installed, db):
    with db.write():
        api_keys.set_flag(db, "desk", False)
    assert not any("sign in" in what for what, _, _ in tasks()[1])


def test_a_server_that_does_not_respond_is_urgent(
    tasks, installed, organiser, db, settings, tmp_path, monkeypatch, healthy
):
    complete(db, settings, tmp_path)
    for address in (
        f"unix:{tmp_path}/none.sock",
        "127.0.0.1:1",
        healthy(tmp_path / "other.sock", b"<html>hello"),
    ):
        monkeypatch.setenv("EVENTAPI_BIND", address)
        code, ((what, commands, is_urgent),) = tasks()
        assert (code, is_urgent) == (1, True) and address in what
        assert "listens at another address" in what  # the worker has a heartbeat
        assert commands == ["/opt/eventapi/bin/eventapi serve --with-worker"]
    db.connection.execute("DELETE FROM worker_heartbeats")
    assert "Start it, and the worker with it." in tasks()[1][0][0]


def test_a_backup_that_was_not_copied_is_urgent(
    tasks, installed, organiser, db, settings, tmp_path, healthy, monkeypatch
):
    complete(db, settings, tmp_path)
    with open(tmp_path / "eventapi.conf", "a") as file:
        file.write("backup_copy_command = /usr/local/bin/copy-backup 'the other machine'\n")
    monkeypatch.setenv("EVENTAPI_BIND", healthy(tmp_path / "web.sock"))
    assert tasks() == (0, [])  # nothing was to be copied yet
    result, now = settings.backups / "copy.json", time.time()

    def copied(seconds, error=None):
        name = time.strftime("eventapi-%Y%m%dT%H%M%SZ.tar", time.gmtime(now - seconds))
        result.write_text(json.dumps({"copied": name, "error": error}))
        return tasks()

    assert copied(25 * 3600) == (0, [])
    code, ((what, commands, is_urgent),) = copied(
        3600, "/usr/local/bin/copy-backup ended with status 255: no route"
    )
    assert (code, is_urgent, commands) == (1, True, ["/opt/eventapi/bin/eventapi backup"])
    assert "ended with status 255: no route" in what
    code, ((what, *_),) = copied(50 * 3600)
    assert code == 1 and "2 days old" in what


@pytest.mark.parametrize("hours", [25, 27])
def test_a_backup_that_was_never_copied_is_urgent_after_26_hours(
    tasks, installed, organiser, db, settings, tmp_path, healthy, monkeypatch, hours
):
    complete(db, settings, tmp_path)
    organiser.make("/contacts", {"last_name": "Muster"})
    with open(tmp_path / "eventapi.conf", "a") as file:
        file.write("backup_copy_command = /usr/local/bin/copy-backup\n")
    monkeypatch.setenv("EVENTAPI_BIND", healthy(tmp_path / "web.sock"))
    now = time.time()
    monkeypatch.setattr(status.time, "time", lambda: now + hours * 3600)
    settings.backups.joinpath(
        time.strftime("eventapi-%Y%m%dT%H%M%SZ.tar.verified", time.gmtime(now + 3600))
    ).touch()
    _, urgent = tasks()
    told = [(what, is_urgent) for what, _, is_urgent in urgent if "copied" in what]
    assert told == (
        []
        if hours < 26
        else [
            (
                "No backup was ever copied to another machine. Correct "
                "backup_copy_command, or what it calls, and make a backup.",
                True,
            )
        ]
    )


@pytest.mark.parametrize("missing", ["worker", "backup", "mail", "tier"])
def test_what_stops_later_is_named_with_its_command(
    tasks, run, packaged, organiser, db, settings, tmp_path, healthy, missing
):
    complete(db, settings, tmp_path)
    healthy(tmp_path / "sockets" / "web.sock")
    (tmp_path / "nginx" / "sites-enabled" / "eventapi").write_text(
        f"server unix:{tmp_path}/sockets/web.sock;"
    )
    assert tasks() == (0, [])
    if missing == "worker":
        db.connection.execute("UPDATE worker_heartbeats SET seen_at = '2026-01-01T00:00:00Z'")
        wanted = (1, ["systemctl start eventapi-worker.service"])
    elif missing == "backup":
        for file in list(settings.backups.iterdir()):
            file.unlink()
        (settings.backups / "eventapi-20260101T000000Z.tar").touch()  # not verified
        organiser.post("/events", {"title": "x"}, status=201)
        db.connection.executescript(
            "DROP TRIGGER audit_log_is_append_only;"
            "UPDATE audit_log SET created_at = '2026-01-01T00:00:00Z'"
        )
        wanted = (
            1,
            [
                "systemctl enable --now eventapi-backup.timer",
                "systemctl start eventapi-backup.service",
            ],
        )
    elif missing == "mail":
        db.connection.execute("""
            INSERT INTO mails (kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, state,
                               message_id, created_at, updated_at)
            VALUES ('invoice', 'invoice', 1, 1, 'a@example.org', 'x', '', 'en', 'failed', 'x', '2026-01-01T00:00:00Z',
                    '2026-01-01T00:00:00Z')""")
        wanted = (0, ["eventapi mail list"])
    else:
        run("tier", "set", "Starter")
        wanted = (0, ["eventapi tier set Business+"])
    code, ((_, commands, _),) = tasks()
    assert (code, commands) == wanted


def test_a_tenant_of_the_package_has_its_own_units_socket_and_site(
    tasks, packaged, organiser, settings, tmp_path, monkeypatch
):
    monkeypatch.setenv("EVENTAPI_CONFIG", str(tmp_path / "configurations" / "acme.conf"))
    (tmp_path / "configurations" / "acme.conf").write_text(COMPLETE)
    code, found = tasks()
    assert code == 1 and [commands for _, commands, _ in found] == [
        ["eventapi admin invite 'Your Name' you@example.org"],
        ["systemctl start eventapi@acme.socket eventapi@acme.service"],
        ["systemctl start eventapi-worker@acme.service"],
        [
            f"ln -s ../sites-available/eventapi-acme {tmp_path}/nginx/sites-enabled/ && nginx -t && "
            "systemctl reload nginx"
        ],
    ]


def test_a_server_at_the_second_address_of_its_host_is_found(
    tasks, organiser, installed, monkeypatch
):
    """Debian lists ::1 before 127.0.0.1 for localhost, and gunicorn listens at the latter."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=respond, args=(listener, b'{"worker_age_seconds":3}'), daemon=True
        ).start()
        port = listener.getsockname()[1]
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda *_, **__: [
                (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)),
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
            ],
        )
        monkeypatch.setenv("EVENTAPI_BIND", f"localhost:{port}")
        found = tasks()[1]
        listener.shutdown(socket.SHUT_RDWR)
    assert not [what for what, _, _ in found if "No server responds" in what]


def test_a_tenant_is_found_by_a_relative_path(tasks, packaged, tmp_path, monkeypatch):
    (tmp_path / "configurations" / "acme.conf").write_text(COMPLETE)
    monkeypatch.chdir(tmp_path / "configurations")
    assert ["systemctl start eventapi@acme.socket eventapi@acme.service"] in [
        commands for _, commands, _ in tasks("--config", "acme.conf")[1]
    ]


def test_a_stopped_service_of_the_package_is_not_asked(
    tasks, packaged, organiser, tmp_path, healthy
):
    """Its socket would start it."""
    healthy(tmp_path / "sockets" / "web.sock")
    packaged["eventapi.service"] = "inactive"
    assert "The web service does not run" in tasks()[1][1][0]


def test_without_nginx_the_package_names_it_until_there_is_an_address(tasks, packaged, tmp_path):
    (tmp_path / "nginx" / "sites-enabled").rmdir()
    (tmp_path / "nginx").rmdir()
    assert ["apt install nginx"] in [commands for _, commands, _ in tasks()[1]]
    (tmp_path / "eventapi.conf").write_text(COMPLETE)
    assert ["apt install nginx"] not in [commands for _, commands, _ in tasks()[1]]


def test_a_wrong_identifier_of_the_organiser_is_named_with_its_cause(
    tasks, installed, db, tmp_path, monkeypatch, healthy
):
    housekeeping.record_heartbeat(db)
    (tmp_path / "eventapi.conf").write_text(
        "[eventapi]\norganiser_bic = BYLADEM\norganiser_vat_id = ATU13585627\n"
    )
    monkeypatch.setenv("EVENTAPI_BIND", healthy(tmp_path / "web.sock"))
    code, found = tasks("--config", str(tmp_path / "eventapi.conf"))
    texts = [what for what, _, _ in found]
    assert code == 0
    assert (
        "Invoices cannot be sent: organiser_bic = 'BYLADEM' must be a BIC with 8 or 11 characters, such as "
        f"BYLADEM1001; it has 7. Correct it in {tmp_path}/eventapi.conf."
    ) in texts
    assert (
        "organiser_vat_id begins with AT, but organiser_country is DE. Correct one of them, unless the organiser "
        "is registered for VAT abroad."
    ) in texts


def test_a_package_that_the_pdf_of_an_invoice_lacks_is_named(
    tasks, installed, db, tmp_path, monkeypatch
):
    (tmp_path / "eventapi.conf").write_text("[eventapi]\n")
    monkeypatch.setattr(
        status.hybrid, "obstacle", lambda: Problem("fonts_missing", "Install fonts-dejavu-core.")
    )
    _, found = tasks("--config", str(tmp_path / "eventapi.conf"))
    assert ("Install fonts-dejavu-core.", [], False) in found


def test_overdue_invoices_without_a_dunning_level_are_named(tasks, installed, organiser, db):
    def named():
        return [what for what, _, _ in tasks()[1] if "dunning level" in what]

    contact = organiser.make(
        "/contacts", {"company_name": "Rosen KG", "address": "Weg 5", "city": "Dresden"}
    )
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "invoice_number": "OLD-1",
            "issue_date": "2020-01-01",
            "due_date": "2020-02-01",
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 100}],
        },
    )
    assert named() == []
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    assert named() == [
        "Invoices are overdue, and no dunning level is defined, so no dunning letter is sent. Create "
        "the levels with POST /api/v1/invoices/dunning-levels."
    ]
    organiser.make("/invoices/dunning-levels", {"name": "Reminder", "days": 7})
    assert named() == []
