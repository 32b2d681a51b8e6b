"""The command of the package, packaging/bin/eventapi: root's commands run as the user of the
service.

They have no privileges. The tests of attacks run the command as root, with nobody as the user of
the service, on a directory of that user.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.processes import ROOT, until

COMMAND = ROOT / "packaging" / "bin" / "eventapi"
USER = "nobody"
SHA256 = "ab" + "c" * 62
SECRET = "root:secret-hash"


@pytest.fixture
def command():
    loader = importlib.machinery.SourceFileLoader("command", str(COMMAND))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("command", loader))
    loader.exec_module(module)
    return module


# What root's command becomes


@pytest.fixture
def become(command, monkeypatch):
    """Return a function that runs the command as root on a machine with the tenant acme.

    The function returns (user, words for the program, options of setpriv, environment).
    """
    became = []

    class User:
        pw_gid, pw_dir = 999, "/var/lib/eventapi"

    def execve(path, line, environment):
        assert path == line[0] == "/usr/bin/setpriv"
        end = line.index("--")
        user = next(word.removeprefix("--reuid=") for word in line if word.startswith("--reuid="))
        assert line[end + 1 : end + 5] == ["/usr/bin/python3", "-P", "-m", "eventapi"]
        became.append((user, line[end + 5 :], line[1:end], environment))
        raise SystemExit(0)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "closerange", lambda low, high: None)
    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(command, "exists", lambda user: user in ("eventapi", "eventapi-acme"))
    monkeypatch.setattr(command.pwd, "getpwnam", lambda user: User)
    monkeypatch.setattr(command.os, "chdir", lambda folder: became.append(folder))

    def run(*words):
        became.clear()
        with pytest.raises(SystemExit):
            command.main(list(words))
        return became[-1]

    run.log = became
    return run


def test_root_switches_to_the_service_user_and_keeps_the_arguments(become):
    assert become("key", "create", "--name", "a b")[:2] == (
        "eventapi",
        ["key", "create", "--name", "a b"],
    )


@pytest.mark.parametrize(
    "words", [("serve",), ("migrate",), ("key", "list"), ("backup",), ("backup", "--help"), ()]
)
def test_no_command_gets_a_capability_of_root(become, words):
    options = become(*words)[2]
    assert {
        "--inh-caps=-all",
        "--ambient-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        "--init-groups",
    } <= set(options)
    assert not [option for option in options if "caps=+" in option or "dac" in option]


def test_servers_do_not_run_in_the_directory_of_the_caller(become):
    become("--config", "/root/x.conf", "worker", "--once")
    assert become.log[0] == "/"


@pytest.mark.parametrize(
    "words",
    [
        ("--config", "/etc/eventapi/acme.conf", "migrate"),
        ("--config=/etc/eventapi/acme.conf", "migrate"),
        ("--config", "/etc/../etc/eventapi/acme.conf", "migrate"),
        ("migrate", "--config", "/etc/eventapi/acme.conf"),
    ],
)
def test_a_tenant_has_its_own_user(become, words):
    assert become(*words)[0] == "eventapi-acme"


def test_a_configuration_without_a_user_belongs_to_the_service_user(become, monkeypatch):
    assert (
        become("--config", "/etc/eventapi/other.conf", "migrate")[0]
        == become("--config", "/root/acme.conf", "migrate")[0]
        == "eventapi"
    )
    monkeypatch.setenv("EVENTAPI_CONFIG", "/etc/eventapi/acme.conf")
    assert become("migrate")[0] == "eventapi-acme"


def test_the_environment_of_root_stays_with_root(become, monkeypatch):
    for name in ("AWS_SECRET_ACCESS_KEY", "LD_LIBRARY_PATH", "PYTHONPATH", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("EVENTAPI_LOG_LEVEL", "debug")
    environment = become("check")[3]
    assert not [
        name
        for name in ("AWS_SECRET_ACCESS_KEY", "LD_LIBRARY_PATH", "PYTHONPATH", "XDG_RUNTIME_DIR")
        if name in environment
    ]
    assert environment["EVENTAPI_LOG_LEVEL"] == "debug"


def test_no_code_from_the_data_directory_is_run(become):
    """The home directory of the user is the data directory."""
    environment = become("check")[3]
    assert (environment["HOME"], environment["PYTHONNOUSERSITE"]) == ("/nonexistent", "1")


def test_a_missing_user_is_an_error_with_a_remedy(command, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(command, "exists", lambda user: False)
    assert command.main(["check"]) == 1
    assert "the user eventapi does not exist; run " in capsys.readouterr().err


def test_another_user_runs_the_program_directly(command, monkeypatch):
    line = []
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "execv", lambda path, words: line.extend(words) or sys.exit())
    with pytest.raises(SystemExit):
        command.main(["backup", "x.tar"])
    assert line == ["/usr/bin/python3", "-P", "-m", "eventapi", "backup", "x.tar"]


# Attacks by the user of the service on root

as_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"),
    reason="needs root and setpriv, to change to the user of the service",
)


class Machine:
    """A machine with the program, a data directory of the service, and the directory `private`,
    which is of root.
    """

    def __init__(self, folder):
        self.folder, self.data, self.private = folder, folder / "data", folder / "private"
        for name in ("eventapi", "sql", "schemas", "conf"):
            shutil.copytree(
                ROOT / name, folder / "code" / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for place, mode, user in ((self.data, 0o750, USER), (self.private, 0o700, "root")):
            place.mkdir()
            place.chmod(mode)
            shutil.chown(place, user)
        (folder / "eventapi.conf").write_text(f"[eventapi]\ndata_dir = {self.data}\n")
        (folder / "eventapi.conf").chmod(0o644)  # another test may have changed the umask
        program = (
            f"import sys; sys.path.insert(0, {str(folder / 'code')!r}); from eventapi.cli import main; "
            "sys.exit(main())"
        )
        (folder / "command").write_text(
            "import importlib.machinery, importlib.util, sys\n"
            f"loader = importlib.machinery.SourceFileLoader('command', {str(COMMAND)!r})\n"
            "command = importlib.util.module_from_spec(importlib.util.spec_from_loader('command', loader))\n"
            "loader.exec_module(command)\n"
            f"command.service_user = lambda config: {USER!r}\n"
            f"command.PROGRAM = [{sys.executable!r}, '-P', '-c', {program!r}]\n"
            "if sys.argv[1] == 'status': command.PROGRAM = ['/bin/cat']; sys.argv[1:] = ['/proc/self/status']\n"
            "if sys.argv[1] == 'files': command.PROGRAM = ['/bin/ls']; sys.argv[1:] = ['-l', '/proc/self/fd']\n"
            "sys.exit(command.main(sys.argv[1:]))\n"
        )

    def start(self, *words, **more):
        environment = {
            **os.environ,
            "EVENTAPI_CONFIG": str(self.folder / "eventapi.conf"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.Popen(
            [sys.executable, self.folder / "command", *map(str, words)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def root(self, *words, **more):
        """Run a command as root to its end and return (status, output)."""
        process = self.start(*words, **more)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output + errors

    def service(self, *words):
        """Run a program as the user of the service, which is what an intruder in the service can
        do.
        """
        subprocess.run(
            [
                "setpriv",
                f"--reuid={USER}",
                "--regid=nogroup",
                "--clear-groups",
                "--",
                *map(str, words),
            ],
            check=True,
        )


@pytest.fixture
def machine():
    folder = Path(tempfile.mkdtemp(prefix="eventapi-command-"))
    try:
        folder.chmod(0o755)
        found = Machine(folder)
        tried = subprocess.run(
            [
                "setpriv",
                f"--reuid={USER}",
                "--regid=nogroup",
                "--clear-groups",
                "--",
                sys.executable,
                "-c",
                "import bottle, jsonschema",
            ],
            capture_output=True,
            text=True,
        )
        if tried.returncode:
            pytest.skip(f"{USER} cannot run {sys.executable}: {tried.stderr[-200:]}")
        yield found
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def installed(machine, template):
    """The machine with an empty database of the service, as `migrate` makes it."""
    for name, content in (("eventapi.db", template), ("eventapi.db.lock", b"")):
        path = machine.data / name
        path.write_bytes(content)
        path.chmod(0o640)
        shutil.chown(path, USER)
    return machine


@as_root
@pytest.mark.processes
def test_the_process_has_no_capability_and_cannot_get_one(machine):
    status = dict(
        line.split(":\t", 1) for line in machine.root("status")[1].splitlines() if ":\t" in line
    )
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {
        "0" * 16
    }
    assert status["NoNewPrivs"] == "1" and set(status["Uid"].split()) == {"65534"}


@as_root
@pytest.mark.processes
def test_the_process_inherits_no_file_of_the_caller(machine):
    with open(machine.private / "journal", "w") as file:
        listed = machine.root("files", pass_fds=[file.fileno()])[1]
    assert "/proc/" in listed and "private" not in listed


@as_root
@pytest.mark.processes
@pytest.mark.parametrize("lock", ["eventapi.db.lock", "eventapi.db", "eventapi.running"])
def test_a_link_in_place_of_a_lock_creates_no_file_of_root(machine, lock):
    machine.service("ln", "-s", machine.private / "ld.so.preload", machine.data / lock)
    statuses = [
        machine.root(*words)[0] for words in (("migrate",), ("key", "list"), ("worker", "--once"))
    ]
    assert statuses[-1] == 1 and list(machine.private.iterdir()) == []


@as_root
@pytest.mark.processes
@pytest.mark.parametrize("level", ["file", "folder", "all"])
def test_a_link_in_place_of_a_stored_file_puts_no_file_of_root_into_a_backup(installed, level):
    secret = installed.private / SHA256[:2] / SHA256[2:]
    secret.parent.mkdir()
    secret.write_text(SECRET)
    files = installed.data / "files"
    source, place = {
        "file": (secret, files / SHA256[:2] / SHA256[2:]),
        "folder": (secret.parent, files / SHA256[:2]),
        "all": (installed.private, files),
    }[level]
    installed.service("mkdir", "-p", place.parent)
    installed.service("ln", "-s", source, place)
    status, output = installed.root("backup")
    assert status == 1 and str(place) in output
    assert SECRET.encode() not in b"".join(
        file.read_bytes() for file in installed.data.rglob("*.tar*")
    )


@as_root
@pytest.mark.processes
def test_a_link_in_place_of_the_backups_writes_nothing_for_the_service(installed):
    installed.service("ln", "-s", installed.private, installed.data / "backups")
    for words in (("backup",), ("backup", installed.data / "backups" / "x.tar")):
        status, output = installed.root(*words)
        assert status == 1 and "ermission denied" in output
    assert list(installed.private.iterdir()) == []


@as_root
@pytest.mark.processes
def test_a_configuration_that_only_root_can_read_is_an_error_that_names_the_user(machine):
    (machine.private / "x.conf").write_text("[eventapi]\n")
    status, output = machine.root("--config", machine.private / "x.conf", "migrate")
    assert status == 1 and f"permission denied for the user {USER}" in output


# Files of root


@as_root
@pytest.mark.processes
def test_root_backs_up_to_and_restores_from_a_directory_of_root(installed):
    file = installed.private / "before-the-fair.tar"
    assert installed.root("backup", file) == (0, f"{file}: the backup is complete\n")
    facts = file.stat()
    assert (facts.st_uid, stat.S_IMODE(facts.st_mode), os.listdir(installed.private)) == (
        0,
        0o600,
        [file.name],
    )
    assert installed.root("gateway", "add", "stripe", "Stripe")[0] == 0
    status, output = installed.root("restore", file)
    assert status == 1 and "--force" in output
    status, output = installed.root("restore", "--force", file)
    assert status == 0 and f"restored from {file}" in output
    assert {place.owner() for place in installed.data.rglob("*")} == {USER}


@as_root
@pytest.mark.processes
def test_a_relative_path_and_a_link_of_root_are_followed(installed):
    (installed.folder / "short").symlink_to("private")
    assert installed.root("backup", "x.tar", cwd=installed.private) == (
        0,
        "x.tar: the backup is complete\n",
    )
    assert installed.root("restore", "short/../short/x.tar", cwd=installed.folder)[0] == 0
    assert installed.root("backup", "short/y.tar", "--", cwd=installed.folder)[0] == 0
    assert sorted(os.listdir(installed.private)) == ["x.tar", "y.tar"]


@as_root
@pytest.mark.processes
def test_in_a_directory_of_the_service_the_service_writes_the_backup(installed):
    file = installed.data / "x.tar"
    assert installed.root("backup", file) == (0, f"{file}: the backup is complete\n")
    assert file.owner() == USER and installed.root("restore", file)[0] == 0


@as_root
@pytest.mark.processes
def test_a_backup_of_root_is_not_overwritten_and_leaves_nothing_if_it_fails(installed):
    file = installed.private / "x.tar"
    file.write_text("precious")
    status, output = installed.root("backup", file)
    assert (
        status == 1
        and "already exists and is not overwritten" in output
        and file.read_text() == "precious"
    )
    file.unlink()
    file.symlink_to(installed.data / "elsewhere")
    assert installed.root("backup", file)[0] == 1 and file.is_symlink()
    (installed.data / "eventapi.db").write_bytes(b"x" * 10000)
    assert installed.root("backup", installed.private / "y.tar")[0] == 1
    assert installed.root("backup", installed.private / "y.tar", "--no-such-option")[0] == 2
    assert installed.root("backup", installed.private / "y.tar", "--help")[0] == 0
    status, output = installed.root("backup", installed.private / "none" / "y.tar")
    assert status == 1 and f"{installed.private}/none/y.tar: No such file or directory" in output
    assert os.listdir(installed.private) == ["x.tar"]


def writes_in(process, folder):
    """Return whether a process has a file in the folder open, also one without a name."""
    try:
        return any(
            str(file.readlink()).startswith(f"{folder}/")
            for file in Path(f"/proc/{process.pid}/fd").iterdir()
        )
    except FileNotFoundError:
        return False


@as_root
@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_backup_of_root_that_is_ended_leaves_nothing(installed, number):
    process = installed.start("backup", installed.private / "x.tar")
    until(lambda: writes_in(process, installed.private) or process.poll() is not None)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGKILL, 128 + signal.SIGTERM)
    assert os.listdir(installed.private) == (["x.tar"] if process.returncode == 0 else [])


WITHOUT_UNNAMED_FILES = """
import errno, os
opened = os.open
def named(path, flags, *more, **places):
    if flags & os.O_TMPFILE == os.O_TMPFILE:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")
    return opened(path, flags, *more, **places)
os.open = named
"""


@as_root
@pytest.mark.processes
def test_where_files_need_a_name_a_backup_of_root_works_and_leaves_nothing_when_it_is_terminated(
    installed,
):
    """As on NFS: the command cannot open a file without a name."""
    program = installed.folder / "command"
    program.write_text(
        program.read_text().replace(
            "command.service_user =", WITHOUT_UNNAMED_FILES + "command.service_user ="
        )
    )
    assert installed.root("backup", installed.private / "x.tar")[0] == 0
    process = installed.start("backup", installed.private / "y.tar")
    until(lambda: len(os.listdir(installed.private)) > 1 or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert os.listdir(installed.private) in (["x.tar"], ["x.tar", "y.tar"], ["y.tar", "x.tar"])


@as_root
@pytest.mark.processes
def test_a_second_name_for_a_file_of_root_is_no_backup(installed):
    shared = installed.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    secret = installed.private / "shadow"
    secret.write_text(SECRET)
    os.link(secret, shared / "x.tar")
    status, output = installed.root("restore", shared / "x.tar")
    assert status == 1 and "not a regular file with one name" in output
    installed.service("ln", "-s", secret, shared / "y.tar")
    status, output = installed.root("restore", shared / "y.tar")
    assert status == 1 and "ermission denied" in output and SECRET not in output


@as_root
def test_root_opens_no_file_whose_path_others_can_change(command, tmp_path, monkeypatch):
    folder = Path(tempfile.mkdtemp(prefix="eventapi-command-"))
    try:
        folder.chmod(0o755)
        (folder / "root").mkdir(mode=0o755)
        (folder / "link").symlink_to("root")
        assert (
            command.root_entry(f"{folder}/root/x")[1]
            == command.root_entry(f"{folder}/link/x")[1]
            == "x"
        )
        (folder / "loop").symlink_to("loop")
        assert command.root_entry(f"{folder}/loop/x") is None
        (folder / "root").chmod(0o775)
        assert (
            command.root_entry(f"{folder}/root/x") is command.root_entry(f"{folder}/link/x") is None
        )
        (folder / "root").chmod(0o755)
        shutil.chown(folder / "root", USER)
        assert (
            command.root_entry(f"{folder}/root/x")
            is command.root_entry(f"{folder}/root/a/../../x")
            is None
        )
        monkeypatch.setenv("SUDO_UID", "65534")
        assert command.root_entry(f"{folder}/root/x")[1] == "x"
        os.lchown(folder / "link", 1, 1)
        assert command.root_entry(f"{folder}/link/x") is None
    finally:
        shutil.rmtree(folder)


# The data of tenants


def move(old, new, user="root"):
    """Return (exit status, error text) of packaging/move-data."""
    done = subprocess.run(
        [ROOT / "packaging" / "move-data", old, new, user], capture_output=True, text=True
    )
    return done.returncode, done.stderr


@pytest.fixture
def tenant(tmp_path):
    """Return (old data directory, new data directory, its user).

    The old one exists and contains a file.
    """
    old = tmp_path / "eventapi" / "acme"
    old.mkdir(parents=True)
    (old / "eventapi.db").write_text("data")
    return old, tmp_path / "eventapi-acme", old.owner()


def test_the_data_of_a_tenant_is_moved_once(tenant):
    old, new, user = tenant
    inode = old.stat().st_ino
    assert move(old, new, user) == move(old, new, user) == (0, "")
    assert (
        not old.exists()
        and new.stat().st_ino == inode
        and (new / "eventapi.db").read_text() == "data"
    )


def test_an_empty_directory_that_a_unit_has_created_does_not_hide_the_data(tenant):
    old, new, user = tenant
    new.mkdir()
    assert move(old, new, user) == (0, "") and (new / "eventapi.db").exists()


def test_data_in_both_places_is_not_mixed(tenant):
    old, new, user = tenant
    new.mkdir()
    (new / "eventapi.db").write_text("other")
    status, error = move(old, new, user)
    assert status == 1 and "cannot be renamed" in error
    assert [(place / "eventapi.db").read_text() for place in (old, new)] == ["data", "other"]


def test_a_missing_directory_is_an_error_and_no_reason_for_an_empty_one(tenant):
    old, new, user = tenant
    shutil.rmtree(old)
    status, error = move(old, new, user)
    assert status == 1 and "not mounted?" in error and not new.exists()


def test_a_link_in_place_of_the_data_is_not_followed(tenant, tmp_path):
    old, new, user = tenant
    old.rename(tmp_path / "stolen")
    old.symlink_to(tmp_path / "stolen")
    status, error = move(old, new, user)
    assert status == 1 and "Find out who put it there" in error and not os.path.lexists(new)


@as_root
def test_a_directory_of_another_user_is_not_taken_for_the_data_of_the_tenant(tenant):
    """The user of the default service can put a directory of its own in this place."""
    old, new, _ = tenant
    shutil.chown(old, USER)
    status, error = move(old, new, "root")
    assert (
        status == 1 and "does not belong to root but to the user id 65534" in error and old.exists()
    )


@as_root
@pytest.mark.parametrize(
    "prepare",
    [
        lambda data, folder: data.symlink_to(folder),
        lambda data, folder: (data.mkdir(), shutil.chown(data, USER)),
        lambda data, folder: data.write_text(""),
    ],
)
def test_a_tenant_gets_no_directory_that_somebody_else_has_prepared(tmp_path, prepare):
    script = (ROOT / "packaging" / "bin" / "eventapi-instance").read_text()
    functions = script[: script.index("[ $# -ge 1 ] || usage")]
    data = tmp_path / "data"
    checked = ["sh", "-c", functions + 'check_data "$1" root', "sh", data]
    assert subprocess.run(checked, capture_output=True).returncode == 0
    prepare(data, tmp_path)
    done = subprocess.run(checked, capture_output=True, text=True)
    assert done.returncode == 1 and "find out who put it there" in done.stderr


def test_removing_a_tenant_names_the_data_that_it_does_not_delete(tmp_path):
    script = (ROOT / "packaging" / "bin" / "eventapi-instance").read_text()
    functions = script[: script.index("[ $# -ge 1 ] || usage")]
    config = tmp_path / "acme.conf"
    config.write_text(
        "[eventapi]\n# data_dir = /no\ndata_dir = /var/lib/eventapi/acme\nbackup_dir: /srv/backup\n"
        "organiser_logo = /srv/logo.png\n"
    )
    named = ["sh", "-c", functions + 'elsewhere "$1" /var/lib/eventapi-acme', "sh", config]
    assert subprocess.check_output(named, text=True).split() == [
        "/var/lib/eventapi/acme",
        "/srv/backup",
    ]
    config.write_text(
        "[eventapi]\ndata_dir = /var/lib/eventapi-acme\nbackup_dir = /var/lib/eventapi-acme/backups\n"
    )
    assert subprocess.check_output(named, text=True) == ""
    config.unlink()
    assert subprocess.check_output(named, text=True) == ""
