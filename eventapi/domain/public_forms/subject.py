"""Public forms: what it adds to what the service does with all records."""

from eventapi.domain.public_forms import drafts, mails
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql = statements("drafts")

PUBLIC_FORMS = Subject(
    name="public_forms",
    mails=(Mail(kind=drafts.KIND, contents=mails.confirmation, prepare=mails.with_secret),),
    previews={name: mails.preview for name in drafts.TEXTS.values()},
    forgets=(drafts.delete_old,),
    erases_first=(sql.drop_of_contact,),
)
