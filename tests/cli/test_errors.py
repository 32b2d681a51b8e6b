"""Every error of the command line has one form: `eventapi: WHAT IS WRONG; REMEDY`, one line for
each fault.
"""

import errno
import re
import sqlite3

import pytest

from eventapi import config
from eventapi.cli import make_parser
from eventapi.cli.terminal import Refused
from eventapi.storage import errors, migrations, process_locks

# "must be X" says both what is wrong and what is right.
FORM = re.compile(r"eventapi: (?!eventapi)\S[^\n]*(; | must )\S[^\n]*[^.\n]")


def leaves(parser=None, words=()):
    """Yield (words, parser) of each command."""
    parser = parser or make_parser()
    below = parser.children()
    for name, (_, child) in below.items():
        yield from leaves(child, (*words, name))
    if not below:
        yield words, parser


LEAVES = dict(leaves())
GROUPS = sorted({words[:length] for words in LEAVES for length in range(1, len(words))})


@pytest.fixture
def refused(run, settings):
    """Return a function that runs a command, checks the form of its errors and returns (code, its
    lines).
    """

    def check(*words):
        code, output, error = run(*words)
        assert code in (1, 2) and output == [] and error.endswith("\n"), (words, error)
        for line in error.splitlines():
            assert FORM.fullmatch(line), (words, line)
        return code, error

    return check


def arguments(parser):
    """Return (positional arguments, options) of a command that its help shows."""
    shown = [
        action
        for action in parser._actions
        if action.help != "==SUPPRESS==" and action.dest != "help"
    ]
    return [one for one in shown if not one.option_strings], [
        one for one in shown if one.option_strings
    ]


def changed(word):
    """Return the word with one letter too much."""
    return f"{word}q"


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_a_misspelt_command_gets_a_suggestion(refused, words):
    code, error = refused(*words[:-1], changed(words[-1]))
    assert (
        code == 2 and f"'{changed(words[-1])}'" in error and f"did you mean {words[-1]}?" in error
    )


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_a_misspelt_option_gets_a_suggestion_before_anything_else_is_missing(refused, words):
    for option in [
        option for action in arguments(LEAVES[words])[1] for option in action.option_strings
    ]:
        code, error = refused(*words, changed(option), "x")
        assert code == 2 and f"unknown option {changed(option)}; did you mean {option}?" in error
    assert "unknown option --zzz" in refused(*words, "--zzz=1")[1]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_missing_values_and_surplus_words_are_answered_with_an_example(refused, words):
    positional, options = arguments(LEAVES[words])
    for action in options:
        if action.nargs != 0:
            assert refused(*words, action.option_strings[0])[0] == 2
        else:
            assert refused(*words, f"{action.option_strings[0]}=1")[0] == 2
    if [action for action in positional if action.nargs != "?"] or any(
        action.required for action in options
    ):
        code, error = refused(*words)
        assert code == 2 and "for example: eventapi " + " ".join(words) in error
    if not [action for action in positional if action.nargs == "+"]:
        given = [next(iter(action.choices or ["1"])) for action in positional]
        given += [
            word
            for action in options
            if action.required
            for word in (action.option_strings[0], "x")
        ]
        given += ["--all-scopes"] if words == ("key", "create") else []
        code, error = refused(*words, *given, "surplus")
        assert (
            code == 2
            and "unexpected argument 'surplus'" in error
            and "for example: eventapi" in error
        )


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_a_value_of_the_wrong_type_is_named_with_what_is_allowed(refused, words):
    positional, options = arguments(LEAVES[words])
    for action in [action for action in (*positional, *options) if action.type or action.choices]:
        code, error = refused(*words, *action.option_strings[:1], "nonsense")
        assert code == 2 and "'nonsense'" in error


def test_a_group_without_a_command_lists_its_commands(refused):
    for words in GROUPS:
        code, error = refused(*words)
        names = {leaf[len(words)] for leaf in LEAVES if leaf[: len(words)] == words}
        assert code == 2 and all(name in error for name in names)


CASES = [  # command line, what is wrong, remedy
    ("key create --name x --scope evnts", "'evnts'", "did you mean events?"),
    ("key create --name x --scope qqq", "'qqq'", "use one of events,"),
    ("key create --name x --all-scopes --scope events", "--scope", "for example"),
    ("key create --name x --all-scopes --admin 9", "admin 9 not found", "'eventapi admin list'"),
    ("key create --name x --all-scopes --expires soon", "'soon'", "2027-01-31"),
    ("key create --name x --all-scopes --expires 2001-01-01", "2001-01-01", "has passed"),
    ("key revoke 9", "API key 9 not found", "'eventapi key list'"),
    ("key rotate 9", "API key 9 not found", "'eventapi key list'"),
    ("mail test office@example.org", "smtp_host and smtp_sender are not set", "set them in"),
    ("mail test office", "smtp_host", "set them in"),
    ("key rotate 1 --grace 9999", "'9999'", "from 0 to 8760"),
    ("admin disable 9", "admin 9 not found", "'eventapi admin list'"),
    ("admin link 9", "admin 9 not found", "'eventapi admin list'"),
    ("admin invite 9", "admin 9 not found", "'eventapi admin list'"),
    ("admin invite Ada", "needs an e-mail address", "enter one"),
    ("admin invite Ada x", "'x'", "use the form name@example.com"),
    ("admin invite Ada a@example.org --role ownr", "'ownr'", "did you mean owner?"),
    ("admin invite Ada a@example.org --scope team --role door", "--role", "for example"),
    ("admin rights 1", "--role or --scope is missing", "for example"),
    ("admin invite Ada a@example.org --scope evnts", "'evnts'", "did you mean events?"),
    ("desk end --all 3", "not allowed", "for example"),
    ("desk end --admin 9", "admin 9 not found", "'eventapi admin list'"),
    ("key create --name x --scope team", "only people have the scope team", "leave it out"),
    ("admin add Ada --email x", "'x'", "use the form name@example.com"),
    ("flag enable plan", "'plan'", "did you mean plans?"),
    ("tier set Busines", "'Busines'", "did you mean Business?"),
    ("gateway add /x X", "'/x'", "must begin with a letter or digit"),
    ("gateway add x X --fee-percent 101", "'101'", "at most 100"),
    ("gateway add x X --fee-fixed 0.255", "'0.255'", "at most 2 decimals"),
    ("gateway add offset Ours", "key offset marks", "use another key"),
    ("gateway remove nope", "payment gateway nope not found", "'eventapi gateway list'"),
    ("mail retry 4", "mail 4 not found", "'eventapi mail list'"),
    ("mail list --state qeued", "'qeued'", "did you mean queued?"),
    ("demo --size big", "'big'", "use small, fair or messe"),
    ("audit verify --noted 7", "'7' is not ID:HASH", "'eventapi audit verify'"),
    ("restore /none/at/all.tar", "/none/at/all.tar not found", "check the path"),
    ("backup /none/b.tar", "/none: No such file or directory", "check the path"),
    ("serve --bind nonsense", "'nonsense'", "must be HOST:PORT or unix:/path"),
    ("serve --workers 0", "'0'", "must be a whole number from 1 to 64"),
    ("serve --bind 0.0.0.0:80", "0.0.0.0:80", "listen on 127.0.0.1"),
    ("serve --bind 192.0.2.1:80", "192.0.2.1:80", "public_bind = yes"),
    ("--confg /x key list", "--confg", "did you mean --config?"),
    ("--config /none.conf key list", "/none.conf: No such file or directory", "check the path"),
    ("-x key list", "'-x'", "for example: eventapi key list"),
]


@pytest.mark.parametrize("line, wrong, remedy", CASES, ids=[case[0] for case in CASES])
def test_an_error_names_the_value_and_the_remedy(refused, line, wrong, remedy):
    error = refused(*line.split())[1]
    assert wrong in error and remedy in error[error.index(wrong) :]


# What can fail in each command that opens the database

CLOSED = {("status",), ("migrate",), ("openapi",), ("restore",), ("completion",), ("mail", "test")}
OPENS = [words for words in LEAVES if words not in CLOSED]
FILLED = {
    "key create": "--name x --all-scopes",
    "key revoke": "1",
    "key rotate": "1",
    "admin add": "Ada",
    "admin disable": "1",
    "admin enable": "1",
    "admin invite": "Ada ada@example.org",
    "admin link": "1",
    "admin reset": "1",
    "admin rights": "1 --role door",
    "flag enable": "plans",
    "flag disable": "plans",
    "tier set": "Starter",
    "gateway add": "x X",
    "gateway remove": "x",
    "mail retry": "1",
    "pages check": "fair",
    "worker": "--once",
    "desk link": "1",
    "desk end": "1",
    "settings set": "payment_days 30",
    "settings unset": "payment_days",
    "link create door": "fair",
    "link show": "1",
    "link revoke": "1",
    "link end-device": "1",
}


@pytest.mark.parametrize("words", OPENS, ids=" ".join)
def test_a_database_that_cannot_be_used_is_reported_with_the_remedy(refused, settings, words):
    given = [*words, *FILLED.get(" ".join(words), "").split()]
    connection = sqlite3.connect(settings.database)
    connection.execute("PRAGMA user_version = 9999")
    assert "install the newer version" in refused(*given)[1]
    connection.execute("PRAGMA user_version = 1")
    assert "run 'eventapi migrate'" in refused(*given)[1]
    connection.close()
    settings.database.write_bytes(b"no database" * 1000)
    assert "restore a backup with 'eventapi restore FILE'" in refused(*given)[1]
    settings.database.unlink()
    assert "run 'eventapi migrate' to create one" in refused(*given)[1]


def failures(user):
    """Yield (exception, line on stderr) for what storage and the operating system report."""
    yield errors.Busy(), "another change is taking long; try again"
    yield (
        errors.Full("database error: database or disk is full"),
        ("database error: database or disk is full; free space on the disk of data_dir"),
    )
    yield (
        errors.Damaged("database error: malformed"),
        ("database error: malformed; restore a backup with 'eventapi restore FILE'"),
    )
    yield (
        errors.StorageError("database error: x"),
        "database error: x; 'eventapi check' looks for damage",
    )
    yield (
        PermissionError(errno.EACCES, "Permission denied", "/x"),
        (f"/x: Permission denied; use sudo, or let the user {user}, who runs the command, open it"),
    )
    yield (
        OSError(errno.ENOSPC, "No space left on device", "/x"),
        "/x: No space left on device; free space on that disk",
    )
    yield (
        OSError(errno.EIO, "Input/output error"),
        "[Errno 5] Input/output error; check the path and the disk",
    )
    yield (
        process_locks.InUse("an upgrade or a restore is running; wait until it is done"),
        ("an upgrade or a restore is running; wait until it is done"),
    )
    yield (
        migrations.SchemaError("The database is not empty. The show requires an empty one."),
        ("the database is not empty; the show requires an empty one"),
    )
    yield Refused("mail 7\nis sent; Wait"), "mail 7 is sent; Wait"


def test_an_error_of_the_storage_or_the_system_gets_its_remedy(run, monkeypatch):
    for error, line in failures(config.user()):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr("eventapi.config.load", fail)
        assert run("key", "list") == (1, [], f"eventapi: {line}\n")


def test_a_file_name_keeps_its_capital_letter(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Fair.tar").touch()
    assert refused("restore", "Fair.tar")[1].startswith("eventapi: Fair.tar is ")
