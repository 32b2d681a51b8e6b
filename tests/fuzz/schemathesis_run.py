"""Run schemathesis against a server with the sample show: python -m tests.fuzz.schemathesis_run [EXAMPLES [PHASES]].

`make schemathesis` calls it. It fails if schemathesis has a complaint that is not listed with its reason (in
schemathesis.toml and schemathesis_hooks.py), if the server logs an error, or if `eventapi check` finds damage then.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.processes import ROOT, Server, eventapi

SCHEMATHESIS = ROOT / ".fuzz" / "bin" / "schemathesis"
SHORT = "examples,fuzzing"      # the phase coverage sends 30,000 requests, one for each limit and type of each field
# Faults of the generator, before it sends anything: one of Python 3.11 (AST), and one of its repetition of a case.
OF_THE_TOOL = re.compile("AST constructor recursion depth mismatch|Inconsistent results: A test case failed")


def main(examples="10", phases=SHORT):
    """Return the exit code: 0 if nothing was found."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        folder = Path(folder)
        settings = {"EVENTAPI_CONFIG": str(ROOT / "conf" / "demo.conf")}
        for words in (["migrate"], ["demo"]):
            _done(eventapi(folder, *words, **settings))
        key = _done(eventapi(folder, "key", "create", "--name", "schemathesis", "--all-scopes", "--quiet", **settings))
        log = folder / "server.log"
        with log.open("w") as file, Server(folder, log=file, **settings) as server:
            subprocess.run(
                [str(SCHEMATHESIS), "--config-file", "tests/fuzz/schemathesis.toml", "run",
                 f"{server.url}/openapi.json", "--phases", phases, "--max-examples", examples, "--workers", "2",
                 "--report", "json", "--report-json-path", str(folder / "report.json")],
                cwd=ROOT, env={**os.environ, "EVENTAPI_KEY": key.strip()})
        wrong = [line for line in log.read_text().splitlines() if "level=error" in line or "Traceback" in line]
        print("\n".join(wrong[:20]), end="")
        _done(eventapi(folder, "check", **settings))
        report = json.loads((folder / "report.json").read_text())
    found = [*report["failures"], *(part for part in report["errors"] if not OF_THE_TOOL.search(json.dumps(part)))]
    return int(bool(found or wrong))


def _done(command):
    """Return the output of a command. Raise AssertionError if it has failed."""
    assert command.returncode == 0, command.stdout + command.stderr
    return command.stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
