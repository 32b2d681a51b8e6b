"""Fills an empty database with a believable trade show: one edition is over, one is running, one
accepts applications.

All records are created through the API, so that all rules apply, and in one transaction: nothing is
left behind if it fails. The dates are relative to today. The same day, size and configuration make
the same show, except for secrets, badge numbers and other values that must not be predictable.
"""

import random
from contextlib import closing

from eventapi.demo import office, organiser, season
from eventapi.demo.client import Agenda, Api, Failed, OneTransaction
from eventapi.domain.access import api_keys
from eventapi.storage import files
from eventapi.storage.database import Database
from eventapi.storage.migrations import SchemaError
from eventapi.storage.statements import statements

sql = statements("demo")

SIZES = {
    "small": season.Size(60, 240, 40, 48, 1),
    "fair": season.Size(600, 20000, 400, 4000, 1),
    "messe": season.Size(4500, 150000, 400, 4000, 0.25),
}
FEW = 1000  # visitors of a show that is made without reports of the progress


def make(config, size="small", say=lambda text: None):
    """Create the demo data. `size` is a key of SIZES; `say` reports the progress of large shows.

    Missing options of the organiser are stored as settings, those of a fictitious one. Features that
    are switched off are left out. Raise SchemaError if the database is not empty, its tier does not
    allow the API, or a record is refused. Nothing is stored then.
    """
    # see office.subscribe
    mail_server = {"smtp_host": "localhost", "smtp_sender": "newsletter@messe.example"}
    config = current(config).with_options(**mail_server)
    db = OneTransaction(config)
    known = {sha256 for sha256, _, _ in files.all_stored(config)}
    try:
        with db.whole():
            refuse(db)
            make_all(db, db.now, SIZES[size], say)
    except BaseException as error:
        for sha256, path, _ in list(files.all_stored(config)):
            if sha256 not in known:
                path.unlink(missing_ok=True)
        if isinstance(error, Failed):
            raise SchemaError(
                f"The sample trade show was not created, and nothing is stored: {error}"
            ) from error
        raise
    finally:
        db.close()


def current(config):
    """Return the configuration with the settings of the database."""
    with closing(Database(config, readonly=True)) as db:
        db.follow()
        return db.config


def refuse(db):
    """Raise SchemaError unless the database is empty, and its tier allows the API."""
    if db.value(sql.has_records):
        raise SchemaError(
            "The database is not empty. The sample trade show requires an empty database."
        )
    tier = api_keys.tier(db)
    if tier != "Business+":
        raise SchemaError(
            f"The sample trade show requires the plan tier Business+, but this tenant has {tier}. Run "
            "'eventapi tier set Business+' first."
        )


def make_all(db, now, size, say):
    """Create all records. The keys that they are created with are revoked at the end."""
    disabled = {flag["name"] for flag in api_keys.flags(db) if not flag["enabled"]}
    agenda = Agenda(db, now, random.Random(7))
    db.now = db.stamp = agenda.moment(season.BEGINNING, "08:00")
    organiser.write(db)
    team, keys = office.make_team(db)
    agenda.api = Api(db, keys[0][1], disabled)
    agenda.keys = [key for _, key in keys]
    season.plan(agenda, team, size)
    agenda.run(say if size.visitors > FEW else lambda text: None)
    for id, _ in keys:
        api_keys.revoke_key(db, id)
