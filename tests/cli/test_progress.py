"""The progress of long jobs: on a terminal, in a log, and nothing at all for short jobs."""

import io
import re
import sys
import time

import pytest

from eventapi import cli, journal
from eventapi.domain.upkeep import checks, nightly, progress, restoring
from eventapi.domain.upkeep.progress import Progress, duration
from eventapi.storage import backups, maintenance, migrations, schema

PARTS = {"copy": 3, "check": 1}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, stream, quiet=0.0, log_every=0.01):
    """Return what a job that is at half of its second part writes to `stream` within some rounds."""
    for name, value in (("QUIET", quiet), ("REDRAW", 0.01), ("LOG_EVERY", log_every)):
        monkeypatch.setattr(progress, name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("backup", PARTS) as job:
        job.report("check", 1, 2)
        until = time.monotonic() + 5
        while stream.getvalue().count("%") < 3 and time.monotonic() < until and quiet == 0:
            time.sleep(0.01)
    return stream.getvalue()


def test_a_terminal_shows_one_line_that_is_rewritten(monkeypatch):
    text = shown(monkeypatch, Terminal())
    assert re.search(r"\r\x1b\[Kbackup: check, 87 %, about \d+ s left", text)
    assert "\n" not in text and text.endswith("\r\x1b[K"), "and the line is gone at the end"
    assert all(len(line) <= progress.WIDTH for line in text.split("\r\x1b[K"))


def test_other_outputs_get_log_lines(monkeypatch):
    lines = shown(monkeypatch, io.StringIO()).splitlines()
    assert len(lines) >= 3
    assert re.fullmatch(
        r'time=\S+Z level=info logger=eventapi.cli msg="backup: check, 87 %, about \d+ s left"',
        lines[1],
    )


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_short_job_shows_nothing(monkeypatch, stream):
    assert shown(monkeypatch, stream(), quiet=60, log_every=60) == ""


def test_a_name_that_is_too_long_for_the_line_is_cut(monkeypatch):
    job = Progress("backup", {"x" * 100: 1})
    assert len(job.text()) > progress.WIDTH > 0
    monkeypatch.setattr(progress, "QUIET", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("backup", {"x" * 100: 1}):
        time.sleep(0.05)
    assert max(len(line) for line in sys.stderr.getvalue().split("\r\x1b[K")) == progress.WIDTH


@pytest.mark.parametrize(
    "seconds, text", [(0, "1 s"), (59.4, "59 s"), (125, "2 min 5 s"), (4210, "1 h 10 min")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def told(act):
    """Return the parts that a job reports, in order, and check that none goes backwards or beyond
    its end.
    """
    found = {}

    def report(part, done, total):
        assert 0 <= found.get(part, 0) <= done
        found[part] = done

    act(report)
    return list(found)


def test_every_job_reports_its_parts_in_their_order(organiser, db, settings):
    organiser.make("/contacts", {"last_name": "Tantau"})
    # too short to be reported
    wanted = [name for name in checks.PARTS if name not in (journal.VERIFYING, "files")]
    assert told(lambda report: checks.findings(db, report)) == wanted
    files = []
    found = told(lambda report: files.append(nightly.back_up(settings, report)[0]))
    assert found == [
        *backups.PARTS,
        nightly.UNPACKING,
        *[name for name in checks.CONTENTS if name in wanted],
    ]
    db.close()
    found = told(lambda report: restoring.restore(settings, files[0], report=report))
    assert found == [backups.READING, schema.INTEGRITY] and set(found) <= restoring.PARTS.keys()


def test_a_migration_reports_each_schema(tmp_path):
    path, steps = tmp_path / "eventapi.db", []
    migrations.migrate(path, last=2)
    migrations.migrate(
        path, last=5, report=lambda part, done, total: steps.append((part, done, total))
    )
    assert steps == [(migrations.UPGRADING, done, 3) for done in range(3)]


def test_vacuum_says_what_it_takes_and_changes_nothing_without_now(
    organiser, db, capsys, monkeypatch
):
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(db.path.parent))
    with db.write():
        db.connection.execute("INSERT INTO blanks (zeros) VALUES (zeroblob(5000000))")
        db.connection.execute("DELETE FROM blanks")
    contact = organiser.make("/contacts", {"last_name": "Tantau"})
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    db.empty_log()
    size = db.path.stat().st_size
    assert cli.main(["vacuum"]) == 0 and db.path.stat().st_size == size
    said = capsys.readouterr()
    assert (
        "takes about 1 s" in said.out
        and "unused parts of the file: 1." in said.out
        and said.err == ""
    )
    assert cli.main(["vacuum", "--now"]) == 0 and db.path.stat().st_size < size - 4_000_000
    assert cli.main(["vacuum"]) == 0
    said = capsys.readouterr().out
    assert re.search("rewritten, [78] MB before, [23] MB now", said) and "the file: 0." in said


def test_an_interrupted_check_of_the_structure_is_not_taken_for_a_sound_one(
    organiser, db, monkeypatch
):
    monkeypatch.setattr(maintenance, "STEPS", 10)
    calls = iter(range(3))

    def interrupted(*_):
        if next(calls, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schema.integrity_faults(db.connection, report=interrupted)
    assert schema.integrity_faults(db.connection) == [], "and the connection can be used again"
