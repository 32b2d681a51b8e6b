"""Visits and the scans that led to them."""

from datetime import timedelta

from tests.load.seeding.tables import put, say
from tests.load.seeding.words import NOW

SCAN = """
INSERT INTO check_in_scans (event_id, event_participant_id, day, action, check_in_type, badge_number, station,
                            scanned_at, is_live, force, effect, code, check_in_id, admin_id, created_at, updated_at)
SELECT event_id, event_participant_id, day, '{action}', 'scan', badge_number, station,
       {at}, 1, 0, {effect}, {code}, id, 1, created_at, updated_at
  FROM check_ins WHERE {condition}"""


def fill_visits(connection, show):
    put(
        connection,
        "check_ins",
        "event_id,event_participant_id,day,check_in_type,badge_number,station,checked_in_at,"
        "ends_at,closed_by,admin_id,created_at,updated_at",
        (visit(number, show) for number in range(show.visits)),
    )
    for action, at, effect, code, condition in (
        ("check_in", "checked_in_at", "'opened'", "NULL", "TRUE"),
        ("check_out", "ends_at", "'closed'", "NULL", "closed_by IS NOT NULL"),
        ("check_in", "checked_in_at", "NULL", "'already_checked_in'", "id % 50 = 0"),
    ):
        connection.execute(
            SCAN.format(action=action, at=at, effect=effect, code=code, condition=condition)
        )
    say("check_in_scans")


def visit(number, show):
    """Return a row of check_ins.

    The prime spreads the visits over the participants; one of ten checks out.
    """
    place, is_out = number * 7919 % len(show.participants), number % 10 == 0
    event, _, _, _, badge = show.participants[place]
    day = min(
        NOW.date(), show.days[event - 1] + timedelta(days=number // len(show.participants) % 4)
    )
    at = f"{day}T{9 + number % 7:02}:{number % 60:02}:{number // 60 % 60:02}Z"
    return (
        event,
        place + 1,
        str(day),
        "scan",
        badge,
        f"Gate {number % 40}",
        at,
        f"{day}T17:00:00Z" if is_out else f"{day}T23:59:59Z",
        "check_out" if is_out else None,
        1,
        at,
        at,
    )
