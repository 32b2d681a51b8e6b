"""Run the samples of a page: one bash process and one Python process, in a scratch folder, against
a real server.
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import pytest

from tests.docs.markdown import RUN, blocks, has_mail, name_of
from tests.support.processes import PYTHON, ROOT, Server, environment, eventapi, free_port

LIMIT = 120  # seconds until a block counts as hanging

# Both processes read lines "MODE FILE", run the file, write its output to FILE.out and FILE.err,
# and answer with its exit code. With the mode -e, bash ends at the first command that fails; the
# trap writes its line.
BASH = r"""
set -E -o pipefail
trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
while read -r mode file; do
  set "$mode"; . "$file" >"$file.out" 2>"$file.err" </dev/null; code=$?; set +e; echo $code
done
"""
PYTHON_LOOP = r"""
import contextlib, sys, traceback
names = {"__name__": "__main__"}
for file in (line.split()[1] for line in sys.stdin):
    code = 0
    with open(file + ".out", "w") as out, open(file + ".err", "w") as err, \
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            exec(compile(open(file).read(), file, "exec"), names)
        except BaseException:
            code = 1
            traceback.print_exc()
    print(code, flush=True)
"""
COMMANDS = {"bash": ["bash", "-c", BASH], "python": [PYTHON, "-W", "ignore", "-c", PYTHON_LOOP]}


@dataclass
class Done:
    """What a block has written, and its exit code."""

    code: int
    out: str
    err: str


class Process:
    """A process that runs blocks one after the other.

    `with` ends it and the processes that its blocks started.
    """

    def __init__(self, kind, folder, variables):
        self.folder, self.count = folder / kind, 0
        self.folder.mkdir()
        self.process = subprocess.Popen(
            COMMANDS[kind],
            cwd=folder / "work",
            env=variables,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def run(self, block):
        """Run a block and return a Done. The line numbers of its messages are those of the page."""
        self.count += 1
        file = self.folder / f"{self.count}"
        file.write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
        self.process.stdin.write(
            f"{'+e' if {'status', 'exit'} & block.marks.keys() else '-e'} {file}\n"
        )
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], LIMIT)[0]:
            code = f"no end within {LIMIT} s"
        else:
            code = int(self.process.stdout.readline() or self.process.wait(10))
        return Done(
            code,
            *(
                (
                    file.with_suffix(end)
                    .read_text(encoding="utf-8", errors="replace")
                    .replace("\r\n", "\n")
                )
                for end in (".out", ".err")
            ),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.process, suppress(ProcessLookupError):  # it may have ended already
            os.killpg(self.process.pid, signal.SIGKILL)


def serve(data, **options):
    """Start a server with a worker on a data directory. `with` stops it."""
    return Server(data, "--with-worker", "--workers", "1", **options)


def run_page(page, folder, template):
    """Run all samples of a page on a copy of the data directory `template`, with a server of its
    own.
    """
    shutil.copytree(template, folder / "data")
    with ExitStack() as stack:
        options = stack.enter_context(mailbox(folder / "work" / "mails")) if has_mail(page) else {}
        server = stack.enter_context(serve(folder / "data", **options))
        run_samples(page, folder, folder / "data", server)


def run_samples(page, folder, data, server):
    """Run all samples of a page in `folder`, with a server on the data directory `data`.

    Fail at the first fault.
    """
    (folder / "work").mkdir(exist_ok=True)
    (folder / "work" / "docs").symlink_to(ROOT / "docs")  # for samples.sh
    with ExitStack() as stack:
        variables, running = variables_for(folder, data, server), {}
        for block in blocks(page):
            if "file" in block.marks:
                (folder / "work" / block.marks["file"]).write_text(block.text, encoding="utf-8")
            if block.runs:
                kind = RUN[block.language]
                if kind not in running:
                    running[kind] = stack.enter_context(Process(kind, folder, variables))
                done = running[kind].run(block)
                try:
                    check(block, done)
                except (AssertionError, ValueError) as fault:
                    pytest.fail(
                        f"{name_of(page)}, line {block.line}: {fault}\n--- sample\n{block.text}"
                        f"--- output\n{done.out}\n--- errors\n{done.err}",
                        pytrace=False,
                    )


@contextmanager
def mailbox(folder):
    """Run an SMTP server that stores the mails as 1.eml, 2.eml and so on.

    Yield the options that send mails there.
    """
    from tests.support import mail_server  # skips the test without aiosmtpd

    folder.mkdir(parents=True)

    class Folder(mail_server.Inbox):
        async def handle_DATA(self, server, session, envelope):
            self.envelopes.append(envelope)
            file = folder / f"{len(self.envelopes)}.eml"
            file.with_suffix(".new").write_bytes(envelope.content)
            file.with_suffix(".new").rename(file)
            return "250 OK"

    server = mail_server.Server(Folder())
    server.start()
    try:
        yield {
            "EVENTAPI_SMTP_HOST": "127.0.0.1",
            "EVENTAPI_SMTP_PORT": str(server.port),
            "EVENTAPI_SMTP_SECURITY": "none",
            "EVENTAPI_SMTP_SENDER": "newsletter@messe.example",
        }
    finally:
        server.stop()


def variables_for(folder, data, server):
    """Return the environment of the samples: a scratch home with a curl that fails on an error
    status, and the key.
    """
    home = folder / "home"
    (home / "bin").mkdir(parents=True)
    (home / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n")
    for name, words in (("eventapi", f"{PYTHON} -m eventapi"), ("python3", PYTHON)):
        (home / "bin" / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (home / "bin" / name).chmod(0o755)
    return environment(
        data,
        HOME=str(home),
        CURL_HOME=str(home),
        TMPDIR=str(home),
        LC_ALL="C.UTF-8",
        TZ="Europe/Berlin",
        PORT=str(free_port()),
        PATH=f"{home}/bin:{os.environ['PATH']}",
        EVENTAPI_URL=server.url,
        EVENTAPI_KEY=(data / "key").read_text(),
    )


def make_template(folder, data):
    """Create a data directory with the settings of the sample organiser, a key, and the data
    `empty` or `demo`.
    """
    folder.mkdir()
    (folder / "eventapi.conf").write_text("[eventapi]\nwebhook_allowed_networks = 127.0.0.0/8\n")
    for words in (["migrate"], ["demo"])[: 2 if data == "demo" else 1]:
        done = eventapi(folder, *words)
        assert done.returncode == 0, done.stderr
    if data == "empty":  # as make run EMPTY=1
        words = [PYTHON, "-m", "eventapi.demo.organiser"]
        subprocess.run(words, env=environment(folder), cwd=ROOT, check=True)
    created = eventapi(folder, "key", "create", "--name", "docs", "--all-scopes", "--quiet")
    (folder / "key").write_text(created.stdout.strip())
    return folder


def check(block, done):
    """Raise AssertionError if a block that has run failed, or its output is not as shown."""
    status, code = block.marks.get("status"), int(block.marks.get("exit", 0))
    if status:
        errors = re.findall(r"returned error: (\d+)", done.err)
        assert errors == [status], (
            f"curl did not receive status {status}, but {errors or 'no error'}"
        )
    else:
        assert done.code == code, f"exit code {done.code} instead of {code}"
    shown = done.out + (done.err if code else "")  # a command that fails writes to stderr
    if block.output and block.output.language == "json":
        compare(json.loads(block.output.text), json.loads(shown))
    elif block.output:
        assert fits(block.output.text, shown), (
            f"the output is not as shown in line {block.output.line}"
        )


def fits(pattern, text):
    """Return whether a text is as the pattern, where … stands for anything.

    Spaces at the end of lines do not count.
    """
    text, pattern = (re.sub(r"[ \t]+$", "", part, flags=re.M).strip() for part in (text, pattern))
    return re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), text, re.S) is not None


def compare(expected, value, path=""):
    """Raise AssertionError, which names the place, if a JSON value is not as expected.

    "…" stands for any value, … in a string for any text, the key "…" for further fields, and "…" at
    the end of an array for further items.
    """
    place = f"not as shown at {path or '/'}"
    if expected == "…":
        return
    if isinstance(expected, dict) and isinstance(value, dict):
        names = expected.keys() - {"…"}
        assert names <= value.keys(), f"{place}: there is no {names - value.keys()}"
        assert "…" in expected or names == value.keys(), (
            f"{place}: there is also {value.keys() - names}"
        )
        for name in names:
            compare(expected[name], value[name], f"{path}/{name}")
    elif isinstance(expected, list) and isinstance(value, list):
        items = expected[:-1] if expected[-1:] == ["…"] else expected
        assert len(value) == len(items) or (items is not expected and len(value) > len(items)), (
            f"{place}: {len(value)} items instead of {len(items)}"
        )
        for number, (item, one) in enumerate(zip(items, value, strict=False)):
            compare(item, one, f"{path}/{number}")
    elif isinstance(expected, str) and isinstance(value, str):
        assert fits(expected, value), f"{place}: {value}"
    else:
        assert expected == value and isinstance(expected, bool) == isinstance(value, bool), (
            f"{place}: {value}"
        )
