"""Layouts: rows of booths of a hall that are created in one request, all or nothing."""

import re

from eventapi import money
from eventapi.domain.halls import booth_types, booths
from eventapi.domain.records import references
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import BOOTH_TYPE, PLAN
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.validation.bodies import Body

sql = statements("booths")

MOST = 200  # booths of a request
LAST_DIGITS = re.compile(r"[0-9]+(?=[^0-9]*$)")
STEPS = {"right": (1, 0), "down": (0, 1), "left": (-1, 0), "up": (0, -1)}
# Field of a booth -> field of the row that it is made of, where the names differ
OF_ROW = {"booth_number": "first", "pos_x": "x", "pos_y": "y", "booth_type_id": "booth_type_key"}


def create(db, fields):
    """Create the booths of all rows, and return them.

    `fields` is the validated body `booth.layout`. A row without width and depth has the usual size of
    its booth type, otherwise 3 by 3 metres.

    Call this inside a write transaction. Raise 422 for an unknown plan or booth type, a first
    number without a digit, more than MOST booths, and what a booth may not be; 409 `duplicate` for
    a number that is taken, or twice in the rows.
    """
    faults = Faults()
    plan_id = references.named(db, {"plan_id": fields["plan_id"]}, faults, PLAN).get("plan_id")
    if sum(row["count"] * (1 + row.get("back_to_back", False)) for row in fields["rows"]) > MOST:
        faults.add(
            "/rows",
            "too_many",
            f"must have at most {MOST} booths in sum. Send the others in another request",
        )
    faults.raise_any()
    check, planned = Body("booth", "POST", db.config.timezone), []
    for place, row in enumerate(fields["rows"]):
        sized = {**_usual_size(db, row), **row}
        for body in _bodies(sized, f"/rows/{place}", faults):
            try:
                planned.append((place, check({**body, "plan_id": plan_id})))
            except Problem as problem:
                _add(faults, place, problem)
    faults.raise_any()
    _claim(db, db.one(sql.plan, id=plan_id)["event_id"], planned)
    return [_created(db, place, booth) for place, booth in planned]


def _usual_size(db, row):
    """Return the width and depth in metres of a row that names neither: those of its booth type, which
    the price in the form of exhibitors is for, otherwise 3 and 3.
    """
    if not {"width", "depth"} & row.keys():
        key = {"booth_type_key": row.get("booth_type_key")}
        booth_type_id = references.named(db, key, Faults(), BOOTH_TYPE).get("booth_type_id")
        booth_type = booth_type_id and booth_types.get(db, booth_type_id)
        if booth_type and booth_type["usual_width"] is not None:
            return {"width": booth_type["usual_width"], "depth": booth_type["usual_depth"]}
    return {"width": 3, "depth": 3}


def _bodies(row, at, faults):
    """Return the bodies of the booths of a row, [] if it has faults. Lengths are in metres."""
    lengths = {
        name: whole({"gap": 0, **row}, name, 3, faults, at)
        for name in ("x", "y", "width", "depth", "gap")
    }
    numbers = LAST_DIGITS.search(row["first"])
    if not numbers:
        faults.add(
            f"{at}/first", "no_digit", f"must have a digit that counts up, but is {row['first']}"
        )
    if not numbers or None in lengths.values():
        return []
    common = {
        "rotation": row.get("rotation", 0),
        "booth_type_key": row.get("booth_type_key"),
        **{name: money.unscaled(lengths[name], 3) for name in ("width", "depth")},
    }
    return [
        {
            **common,
            "booth_number": number,
            "pos_x": money.unscaled(x, 3),
            "pos_y": money.unscaled(y, 3),
        }
        for number, (x, y) in zip(_numbers(row, numbers), _positions(row, lengths), strict=True)
    ]


def _numbers(row, digits):
    """Yield the numbers of the booths of a row. Leading zeros keep their place."""
    first, text = row["first"], digits.group()
    for number in range(int(text), int(text) + row["count"] * (1 + row.get("back_to_back", False))):
        yield f"{first[: digits.start()]}{number:0{len(text)}}{first[digits.end() :]}"


def _positions(row, lengths):
    """Yield the position of each booth of a row in millimetres: (x, y)."""
    across, along = lengths["width"], lengths["depth"]
    if row.get("rotation", 0) % 180 == 90:
        # turned about its centre, a booth takes its depth across
        across, along = along, across
    right, down = STEPS[row.get("direction", "right")]
    for behind in range(1 + row.get("back_to_back", False)):
        x = lengths["x"] + behind * across * abs(down)
        y = lengths["y"] + behind * along * abs(right)
        for place in range(row["count"]):
            yield (
                x + place * right * (across + lengths["gap"]),
                y + place * down * (along + lengths["gap"]),
            )


def _claim(db, event_id, planned):
    """Raise 409 `duplicate` if a number is taken in the event, or twice in the rows."""
    seen = {}
    for place, booth in planned:
        number = booth["booth_number"]
        first = seen.setdefault(number.casefold(), (place, number))
        if first[1] is not number:
            raise Problem(
                "duplicate",
                f"The number {number} of row {place} is also in row {first[0]}. Send another "
                "`first`.",
                member="booth_number",
                pointer=f"/rows/{place}/first",
            )
        taken = db.value(sql.number_taken, event_id=event_id, booth_number=number)
        if taken is not None:
            raise Problem(
                "duplicate",
                f"Booth {taken} of the event already has the number {number}. Send another "
                "`first`.",
                member="booth_number",
                booth_id=taken,
                pointer=f"/rows/{place}/first",
            )


def _created(db, place, booth):
    """Create a booth and return it. The pointers of faults name the field of its row."""
    try:
        return booths.create(db, booth)
    except Problem as problem:
        faults = Faults()
        _add(faults, place, problem)
        faults.raise_any()
        raise


def _add(faults, place, problem):
    """Add the faults of a booth as those of its row, each once."""
    for entry in problem.errors or ():
        name, *rest = entry["pointer"].removeprefix("/").split("/")
        at = "/".join([f"/rows/{place}", OF_ROW.get(name, name), *rest])
        if (at, entry["code"]) not in {(known["pointer"], known["code"]) for known in faults}:
            faults.add(at, entry["code"], entry["detail"])
