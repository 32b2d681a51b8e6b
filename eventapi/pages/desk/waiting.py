"""What waits for the office, what is missing, and what comes next: lines of the first page of the desk.

Their figures are those of GET /events/{id}/overview.
"""

from dataclasses import dataclass

from eventapi import times
from eventapi.pages.desk import labels
from eventapi.pages.desk.writing import Writer
from eventapi.pages.office import setup

MOST_DATES = 6
MOST_OPEN = 2  # steps of setting up that are open and not needed
# Code of what waits -> its page, "" for none.
PAGES = {
    "overdue": "money?show=overdue",
    "mails_failed": "",
    "holds_ending": "hall/holds",
    "applications_new": "applications?status=new",
    "submissions": "exhibitors/submissions",
    "orders": "exhibitors/orders",
    "drafts": "money",
    "letters_due": "money/dunning",
    "unmatched": "money/bank",
    "credit": "money?show=all",
    "cancelled_paid": "exhibitors?show=cancelled",
    "nameless": "exhibitors?show=nameless",
    "no_link": "exhibitors",
    "without_page": "applications?lacks=page",
    "without_badge": "applications?lacks=badge",
    "to_print": "money/to_print",
    "place_undecided": "setup/details",
    "mails_waiting": "",
    "tasks": "tasks",
}
URGENT = ("overdue", "mails_failed", "holds_ending")
# Code -> the page of the one record, if there is only one. Other pages are lists with steps for many.
PAGE_OF_ONE = {
    "cancelled_paid": "exhibitors",
    "credit": "contacts",
    "nameless": "exhibitors",
    "no_link": "exhibitors",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One code of what waits.

    Attributes:
        code: that of the overview.
        count: number of records, as text.
        title: what they are.
        more: second line, or "".
        verb: what one does there, "" without an address.
        address: within the desk, or "".
        is_urgent: whether it stands at the top.
    """

    code: str
    count: str
    title: str
    more: str
    verb: str
    address: str
    is_urgent: bool


def lines(db, request, overview):
    """Return the Lines of an overview, or of None: urgent ones first, in the order of PAGES."""
    texts = labels.words(request)
    write = Writer(request.language, db.config.timezone)
    by_code = {each["code"]: each for each in overview["waiting"]} if overview else {}
    return [_line(db, texts, write, by_code[code]) for code in PAGES if code in by_code]


def groups(lines):
    """Return (word of the heading, Lines) of what is urgent, and of what waits, without empty groups."""
    urgent = [line for line in lines if line.is_urgent]
    others = [line for line in lines if not line.is_urgent]
    found = (("wait_urgent", urgent), ("wait_others", others))
    return [(word, group) for word, group in found if group]


def _line(db, texts, write, each):
    code, count = each["code"], each["count"]
    address = PAGES[code]
    if count == 1 and each["examples"] and code in PAGE_OF_ONE:
        address = f"{PAGE_OF_ONE[code]}/{each['examples'][0]['id']}"
    title = texts[f"wait_{code}"]
    if count == 1:
        title = texts.get(f"wait_one_{code}", title)
    return Line(
        code=code,
        count=write.number(count),
        title=title,
        more=" · ".join(_more(db, texts, write, each)),
        verb=texts[f"wait_do_{code}"] if address else "",
        address=address,
        is_urgent=code in URGENT,
    )


def _more(db, texts, write, each):
    """Return the parts of the second line: sum, age and names, or what one should know."""
    code, names = each["code"], [example["name"] for example in each["examples"]]
    parts = []
    if code == "credit" and each["count"] == 1 and names:
        amount = write.money(each["amount"], db.config.currency)
        return [texts["wait_credit_of"].format(name=names[0], amount=amount)]
    if each["amount"] is not None:
        word = "wait_sum" if each["count"] > 1 else "wait_amount"
        parts.append(texts[word].format(amount=write.money(each["amount"], db.config.currency)))
    if each["oldest_at"]:
        parts.append(_age(texts, write, each))
    if names and (not parts or code == "holds_ending"):
        parts.insert(0, ", ".join(names) + (" …" if each["count"] > len(names) else ""))
    if not parts and f"wait_help_{code}" in texts:
        parts.append(texts[f"wait_help_{code}"])
    return parts


def _age(texts, write, each):
    """Return since when the oldest record waits, or when the first hold ends."""
    day = times.local_date(each["oldest_at"], write.zone)
    days = times.days_between(day, times.today(write.zone))
    if each["code"] == "holds_ending":
        if days == 0:
            return texts["wait_ends_today"]
        if days == -1:
            return texts["wait_ends_tomorrow"]
        return texts["wait_ends"].format(day=write.day(day))
    if days <= 0:
        return texts["wait_since_today"]
    if days == 1:
        return texts["wait_since_yesterday"]
    return texts["wait_since"].format(n=write.number(days))


# What is missing


def steps(request, overview):
    """Return (step, sentence, whether it is needed) of the setup of an event that is not done.

    The settings of the organiser are left out: gaps.py says what they lack. So is what is optional.
    """
    if overview is None:
        return []
    texts = labels.words(request)
    found = [each for each in overview["setup"] if each["step"] != "company"]
    needed = [each for each in found if each["state"] == "needed"]
    is_open = [each for each in found if each["state"] == "open" and not setup.is_optional(each)]
    return [
        (each["step"], _reason(texts, each), each["state"] == "needed")
        for each in (*needed, *is_open[:MOST_OPEN])
    ]


def _reason(texts, each):
    """Return the sentence about a step: that of its first code, else that of the step, or ""."""
    for word in (*(f"needs_code_{code}" for code in each["codes"]), f"needs_help_{each['step']}"):
        if word in texts:
            return texts[word]
    return ""


# What comes next


def dates(request, overview):
    """Return (date, sentence) of the next dates of an overview, or of None."""
    if overview is None:
        return []
    texts = labels.words(request)
    write = Writer(request.language, "UTC")  # these dates have no time
    ahead = [each for each in overview["dates"] if each["count"] != 0]
    return [(write.day(each["date"]), _date(texts, write, each)) for each in ahead[:MOST_DATES]]


def _date(texts, write, each):
    word, count = f"date_{each['code']}", each["count"]
    if count == 1 and f"{word}_one" in texts:
        return texts[f"{word}_one"]
    return texts[word].format(n=write.number(count or 0))
