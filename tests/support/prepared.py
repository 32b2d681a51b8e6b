"""Fixtures whose records are created once per module and copied into the database of each test."""
import shutil
import sqlite3
from copy import deepcopy

import pytest

from tests.support.shared_app import SharedApp


class Snapshots:
    """The filled databases of one module, by the function that fills them: function -> (database in memory, key, records)."""

    def __init__(self, folder, template):
        self.folder, self.template, self.taken = folder, template, {}

    def restore(self, fill, organiser, db):
        """Copy the database that `fill` has filled into `db`, and return a copy of what `fill` returned.

        The client `organiser` gets the key of the copy. Everything that was in `db` before is lost, so it must not hold records yet.
        """
        if fill not in self.taken:
            self.taken[fill] = self.take(fill)
        copy, key, records = self.taken[fill]
        assert not db.connection.execute("SELECT 1 FROM audit_log LIMIT 1").fetchone(), f"{fill.__name__} must be the first fixture that writes"
        copy.backup(db.connection)
        organiser.key = key
        return deepcopy(records)

    def take(self, fill):
        folder = self.folder / f"{fill.__name__}-{len(self.taken)}"
        folder.mkdir()
        with SharedApp(folder, self.template) as app:
            records, copy = fill(app.organiser, app.db), sqlite3.connect(":memory:")
            app.db.connection.backup(copy)
        return copy, app.organiser.key, records

    def close(self):
        for copy, _, _ in self.taken.values():
            copy.close()
        shutil.rmtree(self.folder)


def prepared(fill):
    """Return a fixture with the records that `fill(organiser, db)` creates, in a copy of its database. A test may write to its copy.

    The fixture must be requested before fixtures that create records or keys.
    """
    @pytest.fixture(name=fill.__name__)
    def fixture(organiser, db, snapshots):
        return snapshots.restore(fill, organiser, db)
    return fixture
