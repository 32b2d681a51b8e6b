"""Newsletter: what it adds to what the service does with all records."""

from eventapi.domain.newsletter import mails, subscriptions
from eventapi.domain.records.subject import Mail, Subject

NEWSLETTER = Subject(
    name="newsletter",
    mails=(Mail(kind=subscriptions.KIND, contents=mails.confirmation),),
)
