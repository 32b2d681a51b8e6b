"""The jobs of the worker that change much: for how long does a piece of each hold the write lock?"""

from functools import partial

from eventapi.domain.privacy import remnants
from eventapi.storage import maintenance
from eventapi.worker import expiry, housekeeping
from tests.load.writes import Write

PIECES = 3  # pieces of a job; the audit log has more than four years, which load.conf keeps


def jobs():
    """Return the jobs as Writes. Each call runs one piece of a job, or all of a short one."""
    pieces = [
        Write(name_of(piece), partial(one_piece, piece), rounds=PIECES)
        for piece in housekeeping.pieces()
    ]
    return [
        *pieces,
        Write("erase words of anonymised contacts", erase_words, rounds=1),
        Write(
            "expiry of holds",
            lambda records, _: expiry.run(records.db, stopping=never),
            rounds=PIECES,
        ),
        Write(
            "statistics of all tables", lambda records, _: maintenance.analyze(records.db), rounds=1
        ),
    ]


def name_of(piece):
    """Return module and name of a function, also of one with a fixed size."""
    function = getattr(piece, "func", piece)
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def one_piece(piece, records, _):
    piece(records.db)


def erase_words(records, _):
    """Erase the words that anonymised contacts have left in the full-text index, at whatever hour."""
    words = records.db.values(remnants.sql.with_words)
    if words:
        remnants._erase_words(records.db, words, never)


def never():
    return False
