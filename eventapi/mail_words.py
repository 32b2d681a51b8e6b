"""What mails say, and the pages that their links lead to, in each language."""

ENGLISH = {
    "newsletter_confirmation_subject": "Please confirm: newsletter of {sender}",
    "hello": "Hello {name},", "hello_nobody": "Hello,",
    "newsletter_confirmation": "The newsletter of {sender} was asked for with the address {email}. Is that right? Then please confirm it here:",
    "newsletter_confirmation_button": "Confirm",
    "newsletter_confirmation_ignore": "If it was not you, there is nothing to do: without confirmation you get no newsletter.",
    "newsletter_confirmation_stop": "You do not want to be asked again? Then say so here:",
    "newsletter_confirmation_stop_button": "No newsletter",
    "invoice_subject": "Invoice {number}", "credit_note_subject": "Credit note {number}", "invoice_reminder_subject": "Reminder: invoice {number}",
    "invoice": "enclosed you find our invoice {number} over {currency} {total}.",
    "credit_note": "enclosed you find our credit note {number} over {currency} {total}.",
    "pay_by": "Please pay {currency} {open} by {due_date}, stating {number}.",
    "invoice_reminder": "our invoice {number} of {issue_date} has been due since {due_date}, and {currency} {open} of it are open. It is enclosed once more.",
    "invoice_reminder_early": "we remind you of our invoice {number} of {issue_date}, of which {currency} {open} are open. It is enclosed once more.",
    "invoice_reminder_paid": "If you have paid meanwhile, please disregard this mail.",
    "regards": "Kind regards",
    "confirm_title": "Newsletter", "confirm_question": "Do you want the newsletter of {sender} at {email}?", "confirm_button": "Yes, I want the newsletter",
    "confirm_done": "Thank you. You get the newsletter of {sender} at {email}.",
    "unsubscribe_title": "Newsletter", "unsubscribe_question": "Do you want to get the newsletter of {sender} no more at {email}?",
    "unsubscribe_button": "Unsubscribe", "unsubscribe_done": "You are unsubscribed: {email} gets no more newsletters of {sender}.",
    "unknown": "This link leads nowhere. It may be incomplete, or have been replaced by a newer one.",
}
GERMAN = {
    "newsletter_confirmation_subject": "Bitte bestätigen: Newsletter von {sender}",
    "hello": "Guten Tag {name},", "hello_nobody": "Guten Tag,",
    "newsletter_confirmation": "der Newsletter von {sender} wurde mit der Adresse {email} bestellt. Ist das richtig? Dann bestätigen Sie es bitte hier:",
    "newsletter_confirmation_button": "Bestätigen",
    "newsletter_confirmation_ignore": "Waren Sie es nicht, so ist nichts zu tun: Ohne Bestätigung erhalten Sie keinen Newsletter.",
    "newsletter_confirmation_stop": "Sie möchten nicht mehr gefragt werden? Dann sagen Sie es hier:",
    "newsletter_confirmation_stop_button": "Kein Newsletter",
    "invoice_subject": "Rechnung {number}", "credit_note_subject": "Rechnungskorrektur {number}", "invoice_reminder_subject": "Erinnerung: Rechnung {number}",
    "invoice": "anbei erhalten Sie unsere Rechnung {number} über {total} {currency}.",
    "credit_note": "anbei erhalten Sie unsere Rechnungskorrektur {number} über {total} {currency}.",
    "pay_by": "Bitte zahlen Sie {open} {currency} bis zum {due_date} unter Angabe von {number}.",
    "invoice_reminder": "unsere Rechnung {number} vom {issue_date} ist seit dem {due_date} fällig; offen sind {open} {currency}. Wir legen sie noch einmal bei.",
    "invoice_reminder_early": "wir erinnern an unsere Rechnung {number} vom {issue_date}, von der {open} {currency} offen sind. Wir legen sie noch einmal bei.",
    "invoice_reminder_paid": "Sollten Sie inzwischen gezahlt haben, betrachten Sie diese Mail bitte als gegenstandslos.",
    "regards": "Mit freundlichen Grüßen",
    "confirm_title": "Newsletter", "confirm_question": "Möchten Sie den Newsletter von {sender} an {email} erhalten?",
    "confirm_button": "Ja, ich möchte den Newsletter", "confirm_done": "Vielen Dank. Sie erhalten den Newsletter von {sender} an {email}.",
    "unsubscribe_title": "Newsletter", "unsubscribe_question": "Möchten Sie den Newsletter von {sender} an {email} nicht mehr erhalten?",
    "unsubscribe_button": "Abmelden", "unsubscribe_done": "Sie sind abgemeldet: {email} erhält keinen Newsletter von {sender} mehr.",
    "unknown": "Dieser Link führt nirgendwohin. Er ist unvollständig, oder ein neuerer hat ihn ersetzt.",
}
WORDS = {"en": ENGLISH, "de": GERMAN}
SPEAK_GERMAN = ("DE", "AT", "LI")


def language(tag, config):
    """The language that we speak for a language tag; where it says nothing to us, that of the organiser's country."""
    spoken = (tag or "")[:2].lower()
    if spoken in WORDS:
        return spoken
    return "de" if not tag and config.organiser_country in SPEAK_GERMAN else "en"


def words(tag, config):
    return WORDS[language(tag, config)]


def sender(config):
    """Who writes, as a person reads it."""
    return config.organiser_name or config.smtp_sender
