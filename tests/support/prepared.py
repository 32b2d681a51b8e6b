"""Fixtures whose records are created once per process and copied into the database of each test."""

import shutil
import sqlite3
from copy import deepcopy

import pytest

from eventapi import times
from tests.support.shared_app import SharedApp

# a test that moves the clock must not move that of the records that others get, too
NOW = times.now


class Snapshots:
    """The filled databases: function that fills -> (database in memory, its app, records, stored
    files).
    """

    def __init__(self, folder, template):
        self.folder, self.template, self.taken = folder, template, {}

    def restore(self, fill, organiser, db):
        """Copy the database and the files that `fill` has made to `db`, and return a copy of what
        `fill` returned.

        Everything that was in `db` before is lost, so it must not hold records yet. The client
        `organiser` gets the key of the copy. In the returned copy, `organiser` and `db` replace
        those that `fill` was called with.
        """
        if fill not in self.taken:
            self.taken[fill] = self.take(fill)
        copy, app, records, files = self.taken[fill]
        written = db.connection.execute("SELECT 1 FROM audit_log LIMIT 1").fetchone()
        assert not written, f"{fill.__name__} must be the first fixture that writes"
        copy.backup(db.connection)
        for path, content in files.items():
            (db.config.data_dir / path).parent.mkdir(parents=True, exist_ok=True)
            (db.config.data_dir / path).write_bytes(content)
        organiser.key = app.organiser.key
        return deepcopy(records, {id(app.organiser): organiser, id(app.db): db})

    def take(self, fill):
        folder = self.folder / f"{fill.__name__}-{len(self.taken)}"
        folder.mkdir()
        with SharedApp(folder, self.template) as app, pytest.MonkeyPatch.context() as patch:
            patch.setattr(times, "now", NOW)
            records, copy = fill(app.organiser, app.db), sqlite3.connect(":memory:")
            app.db.connection.backup(copy)
            files = {
                path.relative_to(folder): path.read_bytes()
                for path in (folder / "files").rglob("*")
                if path.is_file()
            }
        return copy, app, records, files

    def close(self):
        for copy, *_ in self.taken.values():
            copy.close()
        shutil.rmtree(self.folder)


def prepared(fill):
    """Return a fixture with what `fill(organiser, db)` returns, in a copy of the database that it
    filled.

    A test may write to its copy. The fixture must be requested before fixtures that create records
    or keys.
    """

    @pytest.fixture(name=fill.__name__)
    def fixture(organiser, db, snapshots):
        return snapshots.restore(fill, organiser, db)

    return fixture
