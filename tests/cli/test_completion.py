"""Completion of commands, options, values and ids, in the shells that are installed."""
import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from eventapi.cli import completion, make_parser
from eventapi.domain.access import api_keys
from tests.support import processes


@pytest.fixture(scope="module")
def bash():
    """Return a function that returns what bash offers at the end of a line."""
    script = completion.script(make_parser(), "bash")

    def offered(line, **environment):
        run = script + '_eventapi eventapi; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", f'COMP_LINE=$1 COMP_POINT=${{#1}}\n{run}', "bash", line], text=True,
                              capture_output=True, check=True, env={**os.environ, **environment})
        assert done.stderr == ""
        return done.stdout.split()
    return offered


@pytest.fixture
def place(folder, tmp_path):
    """Return a folder with the command `eventapi`, which uses the database of `folder`."""
    variables = " ".join(f"{name}={value}" for name, value in processes.environment(folder).items()
                         if name.startswith("EVENTAPI_") or name == "PYTHONPATH")
    program = tmp_path / "eventapi"
    program.write_text(f'#!/bin/sh\nexec env {variables} {processes.PYTHON} -m eventapi "$@"\n')
    program.chmod(0o755)
    for shell in completion.SCRIPTS:
        (tmp_path / f"completion.{shell}").write_text(completion.script(make_parser(), shell))
    return tmp_path


def walk(parser, words=()):
    yield words, parser
    for name, (_, child) in parser.children().items():
        yield from walk(child, (*words, name))


def test_bash_knows_every_command_and_option(bash):
    for words, parser in walk(make_parser()):
        line = " ".join(("eventapi", *words, ""))
        assert set(parser.children()) <= set(bash(line)), words
        long = {option for action in parser._actions for option in action.option_strings
                if option.startswith("--") and action.help != "==SUPPRESS=="}
        assert set(bash(f"{line}--")) == long, words


@pytest.mark.parametrize("line, wanted", [
    ("eventapi key create --scope applications:", ["read", "create"]),          # bash replaces what follows the colon
    ("eventapi key create --scope publ", ["public"]),
    ("eventapi key create --scope=even", ["events", "events:read"]),
    ("eventapi flag enable pl", ["plans"]),
    ("eventapi flag enable ", list(api_keys.FLAGS)),
    ("eventapi tier set B", ["Business", "Business+"]),
    ("eventapi mail list --state unc", ["uncertain"]),
    ("eventapi demo --size ", ["small", "fair", "messe"]),
    ("eventapi key create --name ", []),
    ("eventapi key create --name x --all", ["--all-scopes"]),
    ("eventapi --config /etc/eventapi/acme.conf key create --name list --all", ["--all-scopes"]),
    ("eventapi --config key key rev", ["revoke"]),
    ("sh/eventapi comp", ["completion"])])
def test_bash_completes_values(bash, line, wanted):
    assert sorted(bash(line)) == sorted(wanted)


def test_bash_completes_files(bash, tmp_path):
    (tmp_path / "b.tar").touch()
    for line in ("eventapi backup", "eventapi restore", "eventapi --config", "eventapi restore --force"):
        assert bash(f"{line} {tmp_path}/b") == [f"{tmp_path}/b.tar"]


def test_without_a_readable_configuration_bash_offers_no_ids_and_no_message(bash, tmp_path):
    for place in (tmp_path, "/nowhere"):
        assert bash(f"{place}/eventapi key revoke ") == []
        assert bash(f"{place}/eventapi key revoke --") == ["--help"]


@pytest.fixture
def tenants(tmp_path):
    """Return a folder with a command `eventapi` that prints as ids what it was called with."""
    (tmp_path / "eventapi").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "eventapi").chmod(0o755)
    (tmp_path / "completion.fish").write_text(completion.script(make_parser(), "fish"))
    return tmp_path


NAMED = pytest.mark.parametrize("option", ["--config acme.conf", "--config=acme.conf"])


@NAMED
def test_bash_asks_for_the_ids_of_the_tenant_that_the_command_line_names(bash, tenants, option):
    assert bash(f"{tenants}/eventapi {option} key revoke ") == ["--config", "acme.conf", "complete", "key"]


@NAMED
@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_asks_for_the_ids_of_the_tenant_that_the_command_line_names(tenants, option):
    done = subprocess.run(["fish", "-N", "-c", f"set PATH {tenants} $PATH; source {tenants}/completion.fish; "
                           f"complete -C 'eventapi {option} key revoke a'"], capture_output=True, text=True,
                          env={**os.environ, "HOME": str(tenants)})
    assert done.stderr == "" and "acme.conf" in done.stdout


@pytest.fixture(scope="module")
def filled(folder, key):
    """Create a second key, whose name a shell must not run, a revoked one, and a backup."""
    processes.eventapi(folder, "key", "create", "--name", "till $(touch x) `id`", "--scope", "events")
    processes.eventapi(folder, "key", "create", "--name", "gone", "--scope", "events")
    processes.eventapi(folder, "key", "revoke", "3")
    (folder / "backups").mkdir(exist_ok=True)
    (folder / "backups" / "one.tar").touch()
    (folder / "backups" / "$(id).tar").touch()


class Terminal:
    """An interactive shell in a terminal."""

    def __init__(self, *words, cwd, **environment):
        self.main, side = pty.openpty()
        self.shell = subprocess.Popen(words, stdin=side, stdout=side, stderr=side, cwd=cwd, start_new_session=True,
                                      env={"PATH": os.environ["PATH"], "HOME": str(cwd), "TERM": "dumb", **environment})
        os.close(side)
        self.text = ""

    def type(self, keys, wanted):
        """Send keys, and wait until the output contains a text. Return the output since then."""
        self.text = ""
        os.write(self.main, keys.encode())
        deadline = time.monotonic() + 60
        while wanted not in self.text and time.monotonic() < deadline:
            if select.select([self.main], [], [], 0.2)[0]:
                self.text += os.read(self.main, 4096).decode(errors="replace")
        assert wanted in self.text, repr(self.text)
        return self.text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.kill()
        self.shell.wait()
        os.close(self.main)


@pytest.mark.processes
def test_tab_in_an_interactive_bash(filled, place):
    with Terminal("bash", "--norc", "--noprofile", "-i", cwd=place, PS1="> ") as bash:
        bash.type(f"PATH={place}:$PATH; source {place}/completion.bash; echo rea''dy\n", "ready")
        assert "eventapi flag enable plans " in bash.type("eventapi fl\ten\tpl\t", "plans ")
        assert "--scope events:read " in bash.type("\x15eventapi key create --scope events:r\t", "read ")
        said = bash.type("\x15eventapi key revoke \t\t", "till")
        said += bash.type("", "> eventapi key revoke ") if "> eventapi" not in said else ""
        assert "1  test" in said and "2  till $(touch x) `id`" in said and "gone" not in said
        assert "eventapi key revoke 2 " in bash.type("2\t\x0c", "eventapi key revoke 2 ")
        assert "backups/one.tar " in bash.type("\x15eventapi restore \t", "one.tar ")
        assert not (place / "x").exists()


@pytest.mark.processes
@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_values_and_ids(filled, place):

    def offered(line):
        done = subprocess.run(["fish", "-N", "-c", f"set PATH {place} $PATH; source {place}/completion.fish; "
                               f"complete -C '{line}'"], capture_output=True, text=True, cwd=place,
                              env={**os.environ, "HOME": str(place)})
        assert done.stderr == ""
        return [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert "key" in offered("eventapi ") and offered("eventapi key rot") == ["rotate"]
    assert offered("eventapi key create --scope events:") == ["events:read"]
    assert offered("eventapi flag enable pl") == ["plans"] and "--grace" in offered("eventapi key rotate --")
    assert offered("eventapi key revoke ") == ["1", "2"] and not (place / "x").exists()


@pytest.mark.processes
@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_tab_in_an_interactive_zsh(filled, place):
    shutil.copy(place / "completion.zsh", place / "_eventapi")
    with Terminal("zsh", "-f", "-i", cwd=place) as zsh:
        zsh.type(f"PATH={place}:$PATH; fpath=({place} $fpath); autoload -U compinit; compinit -u; echo rea''dy\n",
                 "ready\r")
        zsh.type("eventapi flag enable pl\t", "plans")
        zsh.type("\x15eventapi key create --scope events:r\t", "read")
        assert "gone" not in zsh.type("\x15eventapi key revoke \t\t", "till $(touch x)")
        assert not (place / "x").exists()


def test_the_hidden_command_is_not_offered(bash):
    assert "complete" not in bash("eventapi ") and "complete " not in make_parser().format_help()
