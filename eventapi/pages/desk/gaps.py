"""What the settings of the organiser lack, as the pages of the desk say it: a sentence, and the links
to the fields. Those who may not fill them in read whom to tell.
"""

from dataclasses import dataclass

from eventapi.config import SETTINGS
from eventapi.domain.access import people
from eventapi.domain.organiser import missing as organiser
from eventapi.pages.desk import api, labels
from eventapi.web.rest import mail_base_url

WRONG = "wrong_identifier"
NO_ACCOUNT = "no_bank_account"
OF_SERVER = ("no_mail_server", "no_base_url")  # only the administrator can change that


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that is missing.

    Attributes:
        code: that of missing.CODES.
        text: the sentence about it.
        links: (label, page of the organiser, setting) for those who may fill it in.
        ask: whom others tell, or "".
    """

    code: str
    text: str
    links: tuple
    ask: str


def told(db, request, has_show):
    """Return the Lacks that the person is told about.

    Everybody is told that no mail leaves. Once there is a show, those who read invoices are told what
    keeps them from being sent or paid, and those who read shows what keeps their pages from the public.
    """
    gaps = [gap for gap in organiser.of(db.config) if _is_told(request, gap, has_show)]
    return [_lack(db, request, gap) for gap in gaps]


def _is_told(request, gap, has_show):
    if gap.code == "no_mail_server":
        return True
    if gap.code == "no_base_url" and mail_base_url():  # the service is tried on one machine
        return False
    scope = "events" if gap.blocks == (organiser.PUBLIC,) else "invoices"
    return has_show and api.may(request, scope)


def no_account(db, request, word):
    """Return the Lack of a bank account with another sentence, or None if there is one."""
    for gap in organiser.of(db.config):
        if gap.code == NO_ACCOUNT:
            return _lack(db, request, gap, word)
    return None


def of_names(db, request, names):
    """Return setting -> Lack of those settings among `names`, whose text is the name of the setting."""
    found = {}
    for gap in organiser.of(db.config):
        for name in set(gap.settings) & set(names):
            lack = _lack(db, request, organiser.Gap(gap.code, (name,), gap.blocks), f"lacks_{name}")
            found[name] = lack
    return found


def _lack(db, request, gap, word=None):
    texts = labels.words(request)
    named = ", ".join(texts.get(f"lacks_{name}", name) for name in gap.settings)
    text = texts[word or f"missing_{gap.code}"].format(settings=named)
    links = tuple(
        (label(texts, name, is_wrong=gap.code == WRONG), SETTINGS[name].page, name)
        for name in gap.settings
        if may_change(request, db.config, name)
    )
    ask = "" if links or gap.code in OF_SERVER else whom_to_tell(db, request, gap.settings)
    return Lack(gap.code, text, links, ask)


def label(texts, name, *, is_wrong=False):
    """Return the text of the link to a setting."""
    if f"enter_{name}" in texts and not is_wrong:
        return texts[f"enter_{name}"]
    return texts["correct"].format(name=texts.get(f"lacks_{name}", name))


def may_change(request, config, name):
    """Return whether the person may change an option: it is a setting that the administrator leaves
    to the organiser.
    """
    is_open = name in SETTINGS and not config.live.is_closed(name)
    return is_open and api.may(request, "settings", writes=True)


def whom_to_tell(db, request, names):
    """Return the sentence that says who can fill in these options: the owners, or the administrator."""
    texts = labels.words(request)
    is_open = any(name in SETTINGS and not db.config.live.is_closed(name) for name in names)
    owners = [person["name"] for person in people.owners(db)] if is_open else []
    if not owners:
        return texts["tell_administrator"]
    *others, last = owners
    named = f" {texts['or']} ".join([", ".join(others), last] if others else [last])
    return texts["tell_owners"].format(names=named)
