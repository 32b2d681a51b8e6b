"""Halls: what it adds to what the service does with all records."""

from eventapi.domain.halls import booking
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("booth_reservations")

HALLS = Subject(
    name="halls",
    erases=(sql.blank,),
    merges_participants=(booking.hand_over,),
)
