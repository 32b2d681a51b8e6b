"""The command that says what to do next in this state of the installation. It only reads."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from eventapi import __version__, paths, times
from eventapi import config as configuration
from eventapi.cli import lacking
from eventapi.cli.terminal import command, lists, print_json, printable
from eventapi.domain.access import api_keys, people
from eventapi.domain.organiser import importing
from eventapi.domain.upkeep import copies, housekeeping, nightly
from eventapi.pictures.invoice import hybrid
from eventapi.storage import disk
from eventapi.storage.database import Database
from eventapi.storage.errors import Full, StorageError, damage
from eventapi.storage.migrations import SchemaError
from eventapi.storage.statements import statements

sql = statements("status")

OF_PACKAGE = Path("/usr/lib/python3/dist-packages/eventapi")
CONFIGURATIONS = Path("/etc/eventapi")
SOCKETS = Path("/run/eventapi")
NGINX = Path("/etc/nginx")
WORKER_LATE = 120  # seconds
BACKUP_LATE = 26 * 3600  # seconds
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Task:
    """What to do, and the commands that do it.

    The service does not work, or data is at risk, if it is urgent.
    """

    what: str
    commands: tuple = ()
    is_urgent: bool = False


@dataclass
class State:
    """What is known of the installation. What is not known is None."""

    version: str = __version__
    configuration: str | None = None
    database: str | None = None
    server: str | None = None
    worker_age_seconds: int | None = None
    verified_backup: str | None = None
    active_keys: int | None = None
    docs: str | None = None
    first_change: int | None = None
    disk: str | None = None
    tasks: list = field(default_factory=list)
    hints: list = field(default_factory=list)

    def add(self, what, *commands):
        """Add a Task for when there is time."""
        self.tasks.append(Task(what, commands))

    def add_urgent(self, what, *commands):
        """Add a Task for now."""
        self.tasks.append(Task(what, commands, is_urgent=True))


@dataclass(frozen=True)
class Place:
    """How this program is installed: by the package (with the name of the tenant, or ""), in a
    checkout, or otherwise.

    Attributes:
        program: words that call it with the configuration in use.
        address: where its server listens, HOST:PORT or unix:/path.
        is_sample: the data is that of `make run`.
    """

    program: str
    address: str
    tenant: str | None = None
    checkout: Path | None = None
    is_sample: bool = False

    def unit(self, name):
        """Return the name of a unit such as `eventapi-worker.service` for this tenant."""
        return name.replace(".", f"@{self.tenant}.") if self.tenant else name


def register(commands):
    """Declare the command, which runs if eventapi is called without one."""
    parser = command(
        commands,
        "status",
        show_status,
        "show what runs, and what to do next",
        "eventapi",
        "eventapi status --json",
    )
    lists(
        parser,
        version="version of the program",
        configuration="path of the configuration file, or null",
        database="path of the database, or null if it cannot be used",
        server="address that responds, or null",
        worker_age_seconds="seconds since the last heartbeat of the worker, or null",
        verified_backup="time of the newest verified backup in backup_dir, or null",
        active_keys="number of valid API keys, or null",
        disk="ok, low (less than 32 MB are free) or full (writes are refused), or null",
        docs="address of the API reference, or null",
        tasks="list of what to do: what, commands, is_urgent",
        hints="list of sentences on what is possible",
    )
    return parser


def show_status(args, config):
    """Print the state and what to do. Return 1 if something is urgent."""
    place, config = place_of(args, config)
    state = State()
    if config.file:
        state.configuration = str(config.file)
    _look_at_disk(state, place, config)
    config = _read_database(state, place, config)
    if config:
        _look_at_processes(state, place, config)
        if not place.is_sample:
            _look_at_backups(state, place, config)
            _look_at_copies(state, place, config)
            if config.live.has_started:
                state.tasks += _recommended(place, config)
            _look_at_file(state, place, config)
    if args.json:
        print_json({name: asdict(state)[name] for name in args.parser.fields})
    else:
        _print(state, place)
    return int(any(task.is_urgent for task in state.tasks))


def place_of(args, config):
    """Return the Place, and the configuration to look at: in a checkout without its own data that
    of `make run`.
    """
    given = f" --config {shlex.quote(str(args.config))}" if args.config else ""
    if paths.PACKAGE == OF_PACKAGE:
        tenant = ""
        if config.file and config.file.parent == CONFIGURATIONS and config.file.stem != "eventapi":
            tenant = config.file.stem
        return Place(f"eventapi{given}", f"unix:{SOCKETS / tenant / 'web.sock'}", tenant), config
    program = _called()
    checkout = _checkout()
    if checkout is None:
        return Place(program + given, config.bind), config

    sample = checkout / ".run"
    is_chosen = args.config or any(
        name in os.environ for name in ("EVENTAPI_CONFIG", "EVENTAPI_DATA_DIR")
    )
    has_sample = (sample / "eventapi.db").exists()
    if has_sample and not is_chosen and not config.database.exists():
        settings = f"EVENTAPI_CONFIG={checkout}/conf/demo.conf EVENTAPI_DATA_DIR={sample}"
        config = configuration.load(checkout / "conf" / "demo.conf", data_dir=sample)
        started = sample / "address"
        bind = started.read_text().strip() if started.exists() else config.bind  # make run PORT=...
        return Place(f"{settings} {program}", bind, checkout=checkout, is_sample=True), config
    is_sample = config.data_dir.absolute() == sample
    return Place(program + given, config.bind, checkout=checkout, is_sample=is_sample), config


def _checkout():
    """Return the root of the source tree if the program runs from there."""
    return paths.PACKAGE.parent if (paths.PACKAGE.parent / "Makefile").exists() else None


def _called():
    """Return the words that call this program as it was called."""
    name = sys.argv[0]
    if Path(name).name != "eventapi":
        return "python3 -m eventapi"
    return "eventapi" if shutil.which("eventapi") == os.path.abspath(name) else shlex.quote(name)


def _read_database(state, place, config):
    """Read the database.

    Return the configuration with its settings, or without them if one is not valid. If the database
    cannot be used, add the task that says what to do, and return None.
    """
    from eventapi.storage.migrations import ready

    if not config.database.exists() and place.checkout:
        state.add_urgent(
            f"The database {config.database} does not exist. Create it, or start a sample show, "
            "which has a database of its own.",
            f"{place.program} migrate",
            f"make -C {place.checkout} run",
        )
        return None
    try:
        ready(config)
        if reason := damage(config.database):
            raise StorageError(
                f"the database is damaged: {reason}. Restore a backup with 'eventapi restore FILE'"
            )
        state.database = str(config.database)
        db = Database(config, readonly=True)
    except (SchemaError, StorageError) as error:
        text = str(error)
        commands = [f"{place.program} migrate"] if "eventapi migrate" in text else []
        state.add_urgent(f"{text[0].upper()}{text[1:].rstrip('.')}.", *commands)
        return None
    with closing(db):
        try:
            db.follow()
        except configuration.ConfigError as error:
            for fault in error.faults:
                state.add_urgent(f"The server and the worker do not start. In the {fault}.")
        with db.snapshot():
            _look_at_data(state, place, db)
    return db.config


def _look_at_disk(state, place, config):
    """Report a disk that is full or nearly so, and one on which the next backup does not fit."""
    if not config.data_dir.is_dir():
        return
    room = disk.room(config)
    state.disk = room.state
    if room.state != "ok":
        refused = "Writes are refused." if room.state == "full" else "Soon, writes are refused."
        quota = ""
        if room.free >= disk.LOW:
            quota = " More is free than a write needs, so look at quotas, too."
        state.add_urgent(
            f"Free space: {room.free / 1e6:,.0f} MB on {disk.mount_of(config.data_dir)}. {refused} "
            f"Make room outside of {config.data_dir}.{quota}"
        )
    if not place.is_sample:
        try:
            nightly.require_space(config)
        except Full as error:
            state.add_urgent(f"The next backup does not fit: {error}.")
        except PermissionError:
            pass  # the nightly backup runs as a user who may open its folder


def _look_at_data(state, place, db):
    state.active_keys = sum(key["status"] == "active" for key in api_keys.keys(db))
    state.worker_age_seconds = housekeeping.worker_age(db)
    has_desk = {"name": "desk", "enabled": True} in api_keys.flags(db)
    has_people = any(person["role"] and person["is_active"] for person in people.all_people(db))
    if has_desk and not has_people and not place.is_sample:
        state.add(
            "Nobody can sign in to the desk. Invite the first person.",
            f"{place.program} admin invite 'Your Name' you@example.org",
        )
    if not state.active_keys:
        state.add(
            "There is no valid API key, so nobody can use the API. Create one.",
            f"{place.program} key create --name first --all-scopes",
        )
    if api_keys.tier(db) != "Business+":
        state.add(
            f"The plan tier {api_keys.tier(db)} does not include the API.",
            f"{place.program} tier set Business+",
        )
    if unsent := db.value(sql.unsent_mails):
        mails = "mail is" if unsent == 1 else "mails are"
        state.add(f"{unsent} {mails} failed or uncertain.", f"{place.program} mail list")
    if db.value(sql.is_overdue_without_levels, today=times.today(db.config.timezone)):
        state.add(
            "Invoices are overdue, and no dunning level is defined, so no dunning letter is sent. "
            "Create the levels with POST /api/v1/invoices/dunning-levels."
        )
    first = db.value(sql.first_change)
    if first:
        state.first_change = times.unix(first)


def _look_at_processes(state, place, config):
    """Ask the server for its health, and compare the heartbeat of the worker with the clock."""
    is_package = place.tenant is not None
    service = place.unit("eventapi.service")
    is_late = state.worker_age_seconds is None or state.worker_age_seconds > WORKER_LATE

    if _responds(place.address, service if is_package else None):
        is_unix = place.address.startswith("unix:")
        state.server = place.address if is_unix else f"http://{place.address}"
        if config.base_url or not is_unix:
            state.docs = f"{config.base_url or state.server}/docs"
    elif is_package:
        state.add_urgent(
            f"The web service does not run. If it does not start, systemctl status {service} says "
            "why.",
            f"systemctl start {place.unit('eventapi.socket')} {service}",
        )
    else:
        start = f"{place.program} serve --with-worker"
        if place.is_sample:
            start = f"make -C {place.checkout} run"
        remedy = "Start it, and the worker with it."
        if not is_late:
            remedy = (
                "The worker runs, so perhaps the server listens at another address (--bind). "
                "Otherwise start it."
            )
        state.add_urgent(f"No server responds at {place.address}. {remedy}", start)

    if is_late and (is_package or state.server):
        start = f"{place.program} worker"
        if is_package:
            start = f"systemctl start {place.unit('eventapi-worker.service')}"
        state.add_urgent(
            "The worker does not run, so no mail, webhook or import is processed.", start
        )


def _responds(address, service):
    """Return whether a server of eventapi responds.

    A stopped `service` is not asked: its socket would start it.
    """
    if service and shutil.which("systemctl"):
        asked = subprocess.run(["systemctl", "is-active", service], capture_output=True, text=True)
        if asked.stdout.strip() in ("inactive", "failed"):
            return False
    try:
        with _connected(address) as web:
            web.sendall(HEALTH)
            return b"worker_age_seconds" in b"".join(iter(lambda: web.recv(4096), b""))
    except OSError:
        return False


def _connected(address):
    """Return a socket that is connected with the server. Raise OSError."""
    if not address.startswith("unix:"):
        host, _, port = address.rpartition(":")
        host = "127.0.0.1" if host == "0.0.0.0" else host.strip("[]")
        return socket.create_connection((host, int(port)), 3)
    web = socket.socket(socket.AF_UNIX)
    try:
        web.settimeout(3)
        web.connect(address.removeprefix("unix:"))
    except OSError:
        web.close()
        raise
    return web


def _look_at_backups(state, place, config):
    """Compare the age of the newest verified backup with that of the data."""
    state.verified_backup = nightly.newest_verified(config)
    since = times.unix(state.verified_backup) if state.verified_backup else state.first_change
    if since is None or time.time() - since < BACKUP_LATE:
        return
    age = _age(time.time() - since)
    how_old = f"There is no verified backup in {config.backups}, and the data is {age} old"
    if state.verified_backup:
        how_old = f"The newest verified backup is {age} old"

    if place.tenant is not None:
        service = place.unit("eventapi-backup.service")
        state.add_urgent(
            f"{how_old}. If the backup fails, journalctl -u {service} says why.",
            f"systemctl enable --now {place.unit('eventapi-backup.timer')}",
            f"systemctl start {service}",
        )
    else:
        state.add_urgent(
            f"{how_old}. Run this every night, for example from cron.", f"{place.program} backup"
        )


def _look_at_copies(state, place, config):
    """Report that the last copy of a backup failed, or that the last one is old."""
    if not config.backup_copy_command:
        return
    copy = copies.last(config)
    copied = nightly.made_at(copy["copied"] or "")
    since = times.unix(copied) if copied else state.first_change
    if copy["error"]:
        what = f"The newest backup was not copied to another machine: {copy['error']}."
    elif since is None or time.time() - since < BACKUP_LATE:
        return
    elif copied is None:
        what = "No backup was ever copied to another machine."
    else:
        age = _age(time.time() - since)
        what = f"The newest copy of a backup on another machine is {age} old."

    again = f"{place.program} backup"
    if place.tenant is not None:
        again = f"systemctl start {place.unit('eventapi-backup.service')}"
    state.add_urgent(
        f"{what} Correct backup_copy_command, or what it calls, and make a backup.", again
    )


def _recommended(place, config):
    """Yield what the configuration lacks."""
    for sentence in lacking.sentences(config, place.program):
        yield Task(sentence)
    if obstacle := hybrid.obstacle():
        yield Task(obstacle.detail)
    if place.tenant is not None and not config.base_url and not NGINX.is_dir():
        yield Task(
            "Nothing forwards requests to the service. Install nginx, or another proxy.",
            ("apt install nginx",),
        )
    elif place.tenant is not None and NGINX.is_dir() and not _is_forwarded(place.address):
        site = f"eventapi-{place.tenant}" if place.tenant else "eventapi"
        yield Task(
            "nginx does not forward to the service. Edit the lines marked HERE in "
            f"{NGINX}/sites-available/{site}, then enable it.",
            (
                f"ln -s ../sites-available/{site} {NGINX}/sites-enabled/ && nginx -t && systemctl reload nginx",
            ),
        )


def _look_at_file(state, place, config):
    """Tell that options of the file can be edited at the desk instead."""
    count = len(importing.of_file(config))
    if count:
        options = "One option" if count == 1 else f"{count} options"
        after = f"'{place.program} settings import'"
        state.hints.append(f"{options} of {config.file} can be edited at the desk after {after}.")


def _is_forwarded(address):
    """Return whether an enabled file of nginx names the socket."""
    for file in (*NGINX.glob("sites-enabled/*"), *NGINX.glob("conf.d/*.conf")):
        try:
            if f"{address};" in file.read_text(errors="replace"):
                return True
        except OSError:  # a broken link, or a file that only root may read
            continue
    return False


# Output


def _age(seconds):
    """Return a time span in words, such as `5 minutes`."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}s"
    return f"{seconds:.0f} seconds"


def _print(state, place):
    sample = ", with the sample show of make run" if place.is_sample else ""
    print(f"eventapi {state.version}{sample}")
    for name, text in _rows(state, place):
        print(f"  {name:14} {printable(text)}")

    for title, urgent in (("To do now:", True), ("To do next:", False)):
        tasks = [task for task in state.tasks if task.is_urgent is urgent]
        if tasks:
            print(f"\n{title}")
        for task in tasks:
            print(f"- {printable(task.what)}")
            for line in task.commands:
                print(f"    {line}")

    print("" if state.tasks else "\nNothing to do.")
    for hint in state.hints:
        print(printable(hint))
    if state.docs:
        print(f"API reference: {state.docs}")
    print("All commands:  eventapi --help")


def _rows(state, place):
    """Return (name, text) of what is known: less without a database, and no backup of a sample."""
    rows = [
        ("configuration", state.configuration or "none: every option has its default"),
        ("database", state.database or "not usable"),
    ]
    if state.database is None:
        return rows

    keys = "unknown" if state.active_keys is None else f"{state.active_keys} active"
    server = f"responds at {state.server}" if state.server else "does not respond"
    worker = "never ran"
    if state.worker_age_seconds is not None:
        worker = f"last heartbeat {_age(state.worker_age_seconds)} ago"
    rows += [("API keys", keys), ("server", server), ("worker", worker)]
    if place.is_sample:
        return rows

    backup = "none verified"
    if state.verified_backup:
        backup = f"verified, {_age(time.time() - times.unix(state.verified_backup))} old"
    return [*rows, ("backup", backup)]
