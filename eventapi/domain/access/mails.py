"""The mail that tells of a change of somebody's access.

It has no secret, and nothing that was typed.
"""

import json

from eventapi.domain.access import reach
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone
from eventapi.languages import formats

# notices that name an address -> name of the text without one
ADDRESSED = {"further_link": "further_link_shown", "address_changed": "address_removed"}


def notice(db, mail):
    """Return the contents of a notice. `details` of the mail say what has changed.

    Raise Gone if the participant or the application was deleted.
    """
    event = reach.about(db, mail["entity_type"], mail["entity_id"])
    if event is None:
        raise Gone("the participant or the application was deleted")

    details = json.loads(mail["details"])
    language = mail["language"]
    texts = mail_words.WORDS[language]
    contact = event["contact_email"] or db.config.organiser_email or mail_words.sender(db.config)
    values = {
        "title": event["title"],
        "contact": contact,
        "address": details.get("address"),
        "day": formats.moment(details["changed_at"], event["timezone"], language),
    }

    text = details["notice"]
    if not values["address"]:
        text = ADDRESSED.get(text, text)
    paragraphs = [texts["hello_nobody"], texts[text].format(**values)]
    if details.get("rights"):
        rights = ", ".join(texts[f"right_{right}"] for right in details["rights"])
        paragraphs.append(texts["further_link_rights"].format(rights=rights))
    if details.get("ended"):
        addresses = ", ".join(details["ended"])
        paragraphs.append(texts["merged_ended"].format(addresses=addresses, contact=contact))
    paragraphs.append(texts["notice_wrong"].format(**values))
    paragraphs += mail_words.closing(db.config, language)
    return Contents(language=language, paragraphs=paragraphs)
