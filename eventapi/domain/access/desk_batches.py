"""Batches of the desk: what somebody does with many records, a part of them at a time.

A batch has an entry for each record. The trial of a part is stored before anything is done; its
result is stored in the transactions that do it. So a page shows what is stored, and a press that
comes twice finds the result. An entry has the id of its record, codes and amounts, and no name.
"""

import json
from datetime import timedelta

from eventapi import times
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("desk_batches")

MOST = 5000  # records of a batch
PART = 200  # entries that are tried, done or taken back at once
KEPT = timedelta(days=7)


def create(db, admin_id, resource, action, ids, fields, back):
    """Store a batch that was not tried yet, and return its id.

    `ids` are those of the records in their order, `fields` the texts of its form by name, `back` is
    the address within the desk that it was started from.
    """
    id = db.insert(
        sql.add,
        admin_id=admin_id,
        resource=resource,
        action=action,
        fields=as_json(fields),
        back=back,
        size=len(ids),
        now=db.now,
    )
    db.run(sql.add_entries, id=id, ids=as_json(ids))
    return id


def get(db, id, admin_id):
    """Return a batch of this admin with `fields` as a dict, or None."""
    row = db.one(sql.get, id=id, admin_id=admin_id)
    if row:
        row["fields"] = json.loads(row["fields"])
    return row


def part(db, batch, begins=None):
    """Return the entries of the part in hand, or of the one that begins at this place.

    Each is {place, record_id, trial, result, undone}; the last three are dicts or None.
    """
    if begins is None:
        begins = batch["begins"]
    rows = db.all(sql.entries, id=batch["id"], begins=begins, ends=begins + PART)
    return [_parsed(row) for row in rows]


def acted_on(entries):
    """Return those entries of a part that are done: what the trial has refused is left alone."""
    return [each for each in entries if each["trial"] is None or each["trial"]["status"] < 400]


def done(db, batch):
    """Return the entries that were done, the last one first, as `part` does."""
    return [_parsed(row) for row in db.all(sql.done, id=batch["id"])]


def sums(db, batch):
    """Return {currency, count, amount, undone} of what was done, for each currency.

    The currency is empty for what has no amount; amounts are in minor units.
    """
    return db.all(sql.sums, id=batch["id"])


def keep_trial(db, batch, entries, trials):
    """Store the trials of entries."""
    db.run_many(
        sql.keep_trial,
        [
            {"id": batch["id"], "place": each["place"], "entry": as_json(trial)}
            for each, trial in zip(entries, trials, strict=True)
        ],
    )


def begin(db, batch, begins):
    """Take the part that begins at this place in hand. The write transaction has read the batch."""
    db.run(sql.begin, id=batch["id"], begins=begins)


def keep_results(db, batch, entries, results, *, fields, left):
    """Store what came of entries of the part in hand.

    `fields` are the texts of the form that it was done with; `left` says whether entries of the part
    are left.
    """
    db.run_many(
        sql.keep_result,
        [
            {"id": batch["id"], "place": each["place"], "entry": as_json(result)}
            for each, result in zip(entries, results, strict=True)
        ],
    )
    state = "running" if left else "done"
    db.run(sql.mark, id=batch["id"], state=state, fields=as_json(fields))


def is_undone(db, batch, entry):
    """Return whether an entry was taken back, or could not be."""
    return db.value(sql.undone, id=batch["id"], place=entry["place"]) is not None


def keep_undone(db, batch, entry, result):
    """Store what came of taking an entry back."""
    db.run(sql.keep_undone, id=batch["id"], place=entry["place"], entry=as_json(result))


def delete_old(db, size):
    """Delete batches seven days after their trial. Return the number of deleted rows."""
    with db.write():
        before = times.after(db.now, -KEPT)
        entries = db.run(sql.drop_old_entries, before=before, size=size)
        return entries + db.run(sql.drop_old, before=before, size=size)


def _parsed(row):
    for name in ("trial", "result", "undone"):
        row[name] = row[name] and json.loads(row[name])
    return row
