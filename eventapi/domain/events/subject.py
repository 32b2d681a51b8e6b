"""Events: what it adds to what the service does with all records."""

from eventapi.domain.events import calendar_feed, events, schedules
from eventapi.domain.records.subject import Subject

EVENTS = Subject(
    name="events",
    checks={"events abroad": events.check},
    forgets=(calendar_feed.delete_old_entries,),
    merges_participants=(schedules.hand_over,),
)
