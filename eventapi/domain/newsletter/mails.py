"""The mail that asks a subscriber of the newsletter to confirm."""

from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, harmless
from eventapi.domain.newsletter import subscriptions, tokens


def confirmation(db, mail):
    """Return the contents of the mail that asks a subscriber to confirm.

    Raise Gone if the subscription is no longer pending.
    """
    row = subscriptions.row(db, mail["entity_id"])
    if row is None or row["status"] != "pending":
        raise Gone("the subscription is no longer pending")

    language = mail["language"] or subscriptions.language(db, row)  # that of the subject
    texts = mail_words.WORDS[language]
    name = harmless(row["name"])
    sender = mail_words.sender(db.config)
    secret = tokens.secret(db)
    confirm = tokens.confirm_url(secret, mail["base_url"], row)
    stop = tokens.unsubscribe_url(secret, mail["base_url"], row)

    paragraphs = [
        greeting(texts, name),
        texts["newsletter_confirmation"].format(sender=sender, email=row["email"]),
        (texts["newsletter_confirmation_button"], confirm),
        texts["newsletter_confirmation_ignore"],
        texts["newsletter_confirmation_stop"],
        (texts["newsletter_confirmation_stop_button"], stop),
        *mail_words.closing(db.config, language),
    ]
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return Contents(name=name, language=language, paragraphs=paragraphs, headers=headers)
