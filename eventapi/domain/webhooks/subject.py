"""Webhooks: what it adds to what the service does with all records."""

from eventapi.domain.records.subject import Subject
from eventapi.domain.webhooks import subscriptions

WEBHOOKS = Subject(
    name="webhooks",
    checks={"webhooks": subscriptions.check},
    forgets=(subscriptions.delete_old_deliveries,),
)
