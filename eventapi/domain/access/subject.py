"""Access: what it adds to what the service does with all records."""

from eventapi.domain.access import links, reach, sessions
from eventapi.domain.records.subject import Subject

ACCESS = Subject(
    name="access",
    forgets=(links.delete_old, sessions.delete_old, reach.forget_former_addresses),
)
