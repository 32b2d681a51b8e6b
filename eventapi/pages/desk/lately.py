"""What owners should know of the last two weeks, on the first page: changes of bank account, rights
and team. It stands there also where no mail leaves.
"""

from collections import Counter

from eventapi.domain.access import notices, people, roles
from eventapi.domain.mail import words as mail_words
from eventapi.pages.desk import labels
from eventapi.pages.desk.writing import Writer

MOST = 10  # changes of each kind that the page shows


def of(db, request):
    """Return (moment, sentence) of each change, newest first; nothing for those who are no owners."""
    if not is_owner(db, request):
        return []
    write = Writer(request.language, db.config.timezone)
    shown, counts = [], Counter()
    for change in notices.lately(db, request.who.admin_id):
        counts[change["notice"]] += 1
        if counts[change["notice"]] <= MOST:  # many of one kind hide none of another
            shown.append((write.moment(change["at"]), _sentence(request, change)))
    return shown


def is_owner(db, request):
    """Return whether the session is that of an owner, and not of an API key."""
    if roles.TEAM not in request.who.scopes or request.who.key_id:
        return False
    return people.get(db, request.who.admin_id)["role"] == people.OWNER


def _sentence(request, change):
    texts = labels.words(request)
    notice = change["notice"]
    if "is_active" in change:
        notice = "person_enabled" if change["is_active"] else "person_disabled"
    names = mail_words.WORDS[request.language]
    return texts[f"lately_{notice}"].format(
        by=_author(texts, change),
        person=change.get("person"),
        role=_role(names, change.get("role")),
        old_role=_role(names, change.get("old_role")),
        changes=", ".join(_account(texts, *each) for each in change.get("changes", {}).items()),
    )


def _author(texts, change):
    if change["by"] is None:
        return texts["lately_by_nobody"]
    return texts["lately_by_key"].format(by=change["by"]) if change["with_key"] else change["by"]


def _role(names, role):
    return names[f"role_{role or 'none'}"]


def _account(texts, option, ends):
    """Return what has changed of an option, with the last characters of its accounts."""
    name = texts[f"lately_{option}"]
    if not ends:
        return name
    old, new = ([f"…{end}" for end in found] or ["–"] for found in ends)
    return texts["lately_ends"].format(name=name, old=", ".join(old), new=", ".join(new))
