"""Contents of the mails to the people of the office: links to sign in, notices and test mails.

No notice has a secret. Of what was typed there are only names of persons, and none that a mail
program may turn into a link.
"""

import json

from eventapi.domain.access import browsers, invitations, links, notices
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, harmless
from eventapi.languages import formats

# notice -> name of the text that says what to do if it was somebody else; else `not_you`
NOT_YOU = {
    "code_guessing": "not_you_code_guessing",
    "email_changed": "not_you_email_changed",
    "rights_changed": "not_you_owner",
    "person_invited": "not_you_owner",
    "bank_changed": "not_you_owner",
}


def with_secret(db, mail):
    """Return the mail with `secret`, a new one of its person, or None if there is none any more."""
    return {**mail, "secret": invitations.new_secret(db, mail)}


def sign_in(db, mail):
    """Return the contents of an invitation, or of the mail with a link that somebody asked for.

    Raise Gone if the person was deactivated, or has another address by now.
    """
    if mail["secret"] is None:
        raise Gone("the person has no active account with this address any more")
    person = notices.addressee(db, mail["entity_id"])
    texts = mail_words.WORDS[mail["language"]]
    text, about, inviter = "sign_in", "sign_in", None
    if mail["text"] == invitations.INVITATION:
        inviter = json.loads(mail["details"])["by"]
        text, about = "invitation" if inviter else "invitation_nobody", "invitation"
    values = {"organiser": mail_words.sender(db.config), "inviter": inviter}
    paragraphs = [
        greeting(texts, harmless(person["name"])),
        texts[text].format(**values),
        (texts[f"{about}_button"], links.address(mail["base_url"], mail["secret"])),
        texts[f"{about}_ignore"],
    ]
    return _contents(db, person, mail["language"], paragraphs)


def notice(db, mail):
    """Return the contents of a notice: what has changed, when, by whom, and what to do if that is
    wrong.

    Raise Gone if its person was deactivated, or has no address any more. The notice to a former
    address is sent all the same.
    """
    person = _person(db, mail)
    language, name = mail["language"], mail["text"]
    texts = mail_words.WORDS[language]
    facts = json.loads(mail["details"])
    values = {
        "organiser": mail_words.sender(db.config),
        "at": formats.moment(facts["at"], db.config.timezone, language),
        "by": _author(texts, facts),
        "person": harmless(facts.get("person")) or texts["nameless"],
    }
    contact = db.config.organiser_email or mail_words.sender(db.config)
    paragraphs = [
        greeting(texts, harmless(person["name"])),
        texts[_text(name, facts)].format(**values),
        *_facts(texts, name, facts),
        texts[NOT_YOU.get(name, "not_you")].format(contact=contact),
        (texts["account_button"], f"{mail['base_url']}/desk/account"),
    ]
    return _contents(db, person, language, paragraphs)


def test(db, mail):
    """Return the contents of a test mail. Raise Gone as `notice` does."""
    person = _person(db, mail)
    texts = mail_words.WORDS[mail["language"]]
    paragraphs = [
        greeting(texts, harmless(person["name"])),
        texts["mail_test"].format(organiser=mail_words.sender(db.config)),
    ]
    return _contents(db, person, mail["language"], paragraphs)


def _person(db, mail):
    """Return the person of a mail. Raise Gone if it must not be sent any more."""
    person = notices.addressee(db, mail["entity_id"])
    if person is None:
        raise Gone("the person has no active account any more")
    if not person["email"] and mail["text"] != notices.TO_FORMER_ADDRESS:
        raise Gone("the person has no address any more")
    return person


def _contents(db, person, language, paragraphs):
    reply_to = db.config.organiser_email
    return Contents(
        name=harmless(person["name"]),
        language=language,
        paragraphs=[*paragraphs, *mail_words.closing(db.config, language)],
        headers={"Reply-To": reply_to} if reply_to else {},
    )


def _author(texts, facts):
    """Return who has caused a notice."""
    if facts["by"] is None:
        return texts["by_command_line"]
    name = harmless(facts["by"]) or texts["nameless"]
    return texts["by_api_key"].format(name=name) if facts["with_key"] else name


def _text(name, facts):
    """Return the name of the first text of a notice."""
    if facts.get("is_removed"):
        return "password_removed"
    if "is_active" in facts:
        return "person_enabled" if facts["is_active"] else "person_disabled"
    return name


def _facts(texts, name, facts):
    """Yield the paragraphs of a notice that say more."""
    lines = []
    if name == "new_device":
        lines.append(
            texts["device"].format(name=browsers.named(facts["agent"]) or texts["unknown_device"])
        )
    if facts.get("address"):
        lines.append(texts["network_address"].format(address=facts["address"]))
    if name == "recovery_code_used":
        lines.append(texts["codes_left"].format(left=facts["left"]))
    if name == "rights_changed" and "role" in facts:
        old, new = (_role(texts, facts[field]) for field in ("old_role", "role"))
        lines.append(texts["rights_before"].format(role=old))
        lines.append(texts["rights_now"].format(role=new))
    if name == "person_invited":
        lines.append(texts["rights_of_person"].format(role=_role(texts, facts["role"])))
    if name == "bank_changed":
        lines += [_bank_line(texts, option, *change) for option, change in facts["changes"].items()]
    if lines:
        yield "\n".join(lines)


def _role(texts, role):
    return texts[f"role_{role}"] if role else texts["role_none"]


def _bank_line(texts, option, *change):
    """Return what has changed of the bank account: of numbers, the last four characters."""
    if not change:
        return texts[f"{option}_changed"]
    old, new = (", ".join(ends) or texts["none"] for ends in change)
    return texts[f"{option}_changed"].format(old=old, new=new)
