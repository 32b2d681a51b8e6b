"""Newsletter: what it adds to what the service does with all records."""

from eventapi.domain.newsletter import mails, subscriptions
from eventapi.domain.records import entities
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql = statements("newsletter")

NEWSLETTER = Subject(
    name="newsletter",
    mails=(Mail(kind=subscriptions.KIND, contents=mails.confirmation),),
    deletes=((entities.NEWSLETTER_SUBSCRIBER, sql.drop_of_records),),
    merges_contacts=(subscriptions.hand_over,),
)
