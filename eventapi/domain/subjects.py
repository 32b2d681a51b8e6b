"""The subjects of the domain, in the order in which what they add is used.

A package that adds something has one line here; nothing is found by scanning folders.

Erasing depends on the order: submissions and profiles come before attachments, since they name
documents that are deleted there.
"""

from eventapi.domain.access.subject import ACCESS
from eventapi.domain.attachments.subject import ATTACHMENTS
from eventapi.domain.bank.subject import BANK
from eventapi.domain.billing.subject import BILLING
from eventapi.domain.books.subject import BOOKS
from eventapi.domain.datev.subject import DATEV
from eventapi.domain.dunning.subject import DUNNING
from eventapi.domain.einvoices_sent.subject import EINVOICES_SENT
from eventapi.domain.entrance.subject import ENTRANCE
from eventapi.domain.events.subject import EVENTS
from eventapi.domain.halls.subject import HALLS
from eventapi.domain.imports.subject import IMPORTS
from eventapi.domain.mail.subject import MAIL
from eventapi.domain.newsletter.subject import NEWSLETTER
from eventapi.domain.orders.subject import ORDERS
from eventapi.domain.people.subject import PEOPLE
from eventapi.domain.portal.subject import PORTAL
from eventapi.domain.public_forms.subject import PUBLIC_FORMS
from eventapi.domain.shows.subject import SHOWS
from eventapi.domain.submissions.subject import SUBMISSIONS
from eventapi.domain.webhooks.subject import WEBHOOKS

SUBJECTS = (
    BILLING,
    BANK,
    DUNNING,
    HALLS,
    ORDERS,
    ENTRANCE,
    EVENTS,
    SUBMISSIONS,
    PEOPLE,
    NEWSLETTER,
    ACCESS,
    SHOWS,
    ATTACHMENTS,
    PORTAL,
    IMPORTS,
    PUBLIC_FORMS,
    MAIL,
    WEBHOOKS,
    EINVOICES_SENT,
    BOOKS,
    DATEV,
)
MAILS = {mail.kind: mail for subject in SUBJECTS for mail in subject.mails}
