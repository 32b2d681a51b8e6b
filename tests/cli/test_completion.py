"""Completion of commands, options and values, in the shells that are installed."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from eventapi.cli import completion, make_parser
from eventapi.domain.access import api_keys


@pytest.fixture(scope="module")
def bash():
    """Return a function that returns what bash offers at the end of a line."""
    script = completion.script(make_parser(), "bash")

    def offered(line, **environment):
        run = script + '_eventapi eventapi; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "-c", f"COMP_LINE=$1 COMP_POINT=${{#1}}\n{run}", "bash", line],
            text=True,
            capture_output=True,
            check=True,
            env={**os.environ, **environment},
        )
        assert done.stderr == ""
        return done.stdout.split()

    return offered


@pytest.fixture
def place(tmp_path):
    """Return a folder with the scripts, and with a backup file."""
    for shell in completion.SCRIPTS:
        (tmp_path / f"completion.{shell}").write_text(completion.script(make_parser(), shell))
    (tmp_path / "one.tar").touch()
    return tmp_path


def walk(parser, words=()):
    yield words, parser
    for name, (_, child) in parser.children().items():
        yield from walk(child, (*words, name))


def test_bash_knows_every_command_and_option(bash):
    for words, parser in walk(make_parser()):
        line = " ".join(("eventapi", *words, ""))
        assert set(parser.children()) <= set(bash(line)), words
        long = {
            option
            for action in parser._actions
            for option in action.option_strings
            if option.startswith("--") and action.help != "==SUPPRESS=="
        }
        assert set(bash(f"{line}--")) == long, words


@pytest.mark.parametrize(
    "line, wanted",
    [
        # bash replaces what follows the colon
        (
            "eventapi key create --scope applications:",
            ["read", "create"],
        ),
        ("eventapi key create --scope publ", ["public"]),
        ("eventapi key create --scope=even", ["events", "events:read"]),
        ("eventapi flag enable pl", ["plans"]),
        ("eventapi flag enable ", list(api_keys.FLAGS)),
        ("eventapi tier set B", ["Business", "Business+"]),
        ("eventapi mail list --state unc", ["uncertain"]),
        ("eventapi demo --size ", ["small", "fair", "messe"]),
        ("eventapi key create --name ", []),
        ("eventapi key create --name x --all", ["--all-scopes"]),
        (
            "eventapi --config /etc/eventapi/acme.conf key create --name list --all",
            ["--all-scopes"],
        ),
        ("eventapi --config key key rev", ["revoke"]),
        ("sh/eventapi comp", ["completion"]),
    ],
)
def test_bash_completes_values(bash, line, wanted):
    assert sorted(bash(line)) == sorted(wanted)


class Terminal:
    """An interactive shell in a terminal."""

    def __init__(self, *words, cwd, **environment):
        self.main, side = pty.openpty()
        self.shell = subprocess.Popen(
            words,
            stdin=side,
            stdout=side,
            stderr=side,
            cwd=cwd,
            start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": str(cwd), "TERM": "dumb", **environment},
        )
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
def test_tab_in_an_interactive_bash(place):
    with Terminal("bash", "--norc", "--noprofile", "-i", cwd=place, PS1="> ") as bash:
        bash.type("source completion.bash; echo rea''dy\n", "ready")
        assert "eventapi flag enable plans " in bash.type("eventapi fl\ten\tpl\t", "plans ")
        assert "--scope events:read " in bash.type(
            "\x15eventapi key create --scope events:r\t", "read "
        )
        assert "--scope=events:read " in bash.type(
            "\x15eventapi key create --scope=events:r\t", "read "
        )
        assert "restore one.tar " in bash.type("\x15eventapi restore on\t", "one.tar ")
        assert "--config one.tar " in bash.type("\x15eventapi key list --config on\t", "one.tar ")


@pytest.mark.processes
@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_values_and_files(place):

    def offered(line):
        done = subprocess.run(
            ["fish", "-N", "-c", f"source completion.fish; complete -C '{line}'"],
            text=True,
            capture_output=True,
            cwd=place,
            env={**os.environ, "HOME": str(place)},
        )
        assert done.stderr == ""
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    assert "key" in offered("eventapi ") and offered("eventapi key rot") == ["rotate"]
    assert offered("eventapi key create --scope events:") == ["events:read"]
    assert offered("eventapi flag enable pl") == ["plans"] and "--grace" in offered(
        "eventapi key rotate --"
    )
    assert offered("eventapi restore on") == ["one.tar"] == offered("eventapi key list --config on")


@pytest.mark.processes
@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_tab_in_an_interactive_zsh(place):
    shutil.copy(place / "completion.zsh", place / "_eventapi")
    with Terminal("zsh", "-f", "-i", cwd=place) as zsh:
        zsh.type(
            f"fpath=({place} $fpath); autoload -U compinit; compinit -u; echo rea''dy\n", "ready\r"
        )
        zsh.type("eventapi flag enable pl\t", "plans")
        zsh.type("\x15eventapi key create --scope events:r\t", "read")
        zsh.type("\x15eventapi key create --scope=events:r\t", "read")
        zsh.type("\x15eventapi restore on\t", "one.tar")
