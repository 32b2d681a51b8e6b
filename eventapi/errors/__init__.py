"""Errors that clients receive: problem documents (RFC 9457), each with a code whose meaning never
changes.
"""

import re

from eventapi.errors.codes import CODES
from eventapi.errors.synonyms import synonyms

MAX_FAULTS = 1000  # in one response: a malicious body could otherwise cause megabytes of faults
# for the unknown names of one object: a comparison with all known names is slow
MAX_SUGGESTIONS = 20


class Problem(Exception):
    """An error response.

    errors: list of faults, see `fault`.
    headers: further headers of the response.
    keeps: commit what the request has written so far although it is refused, for instance that a hold has expired.
    members: further fields of the problem document.
    """

    def __init__(self, code, detail, *, errors=None, headers=None, keeps=False, **members):
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers or {}
        self.members = members
        self.keeps = keeps
        self.status, self.title, _ = CODES[code]

    def document(self, base_url, request_id):
        """Return the problem document as a dict."""
        problem = {
            "type": f"{base_url}/problems/{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            **self.members,
        }
        if self.errors is not None:
            problem["errors"] = self.errors[:MAX_FAULTS]
        problem["meta"] = {"request_id": request_id}
        return problem


def fault(code, detail, *, pointer=None, parameter=None):
    """Return an entry of `errors`, with a JSON pointer (RFC 6901) into the body or the name of a
    query parameter.
    """
    place = {"pointer": pointer} if pointer is not None else {"parameter": parameter}
    return {**place, "code": code, "detail": detail}


def invalid(faults):
    """Return the 422 Problem for a list of faults."""
    count, where = f"{len(faults)} faults", "see `errors`"
    if len(faults) == 1:
        count = "one fault"
    elif len(faults) > MAX_FAULTS:  # those beyond may not have been searched for
        count, where = f"more than {MAX_FAULTS} faults", f"`errors` contains the first {MAX_FAULTS}"
    return Problem("validation_failed", f"The request has {count}; {where}.", errors=faults)


def internal_error():
    """Return the 500 Problem. Call this where the cause is logged."""
    return Problem(
        "internal_error",
        "The server failed. Send the request id to the administrator, who finds the "
        "cause in the log.",
    )


def damaged():
    """Return the 503 Problem of a damaged database. Call this where the cause is logged."""
    return Problem(
        "unhealthy",
        "The database is damaged; nothing was changed. The administrator finds the cause in "
        "the log, and restores a backup.",
        headers={"Retry-After": "60"},
    )


def invalid_at(pointer, code, detail):
    """Return the 422 Problem for one fault of the body, at a JSON pointer (RFC 6901)."""
    return invalid([fault(code, detail, pointer=pointer)])


def invalid_parameter(parameter, code, detail):
    """Return the 422 Problem for one fault of a query parameter, a header or a command line option."""
    return invalid([fault(code, detail, parameter=parameter)])


def suggestion(word, known, missing=()):
    """Return "; did you mean X?" with the known name that `word` probably means, or "" if there is
    none. A synonym may mean several names.

    `missing` are required names that were not sent: for one of them, its last word is enough.
    """
    word = word[:200]
    required = next((name for name in missing if name.endswith(f"_{word.lower()}")), None)
    if required:
        return f"; did you mean {required}?"
    near = synonyms(word, known)
    if near is None:
        near = _alike_names(word, known)
    return f"; did you mean {listed(near, 'or')}?" if near else ""


def _alike_names(word, known):
    """Return a list with the known name that is most like the word, [] if there is none."""
    from difflib import get_close_matches

    similar = get_close_matches(word, known, 10, 0.5)
    return [name for name in similar if _means(word, name)][:1]


def _means(word, name):
    """Return whether a name was probably meant: it has the same words, or one has the words of the
    other and no more letters than these besides them. A word in common is not enough:
    `invoice_number` does not mean `customer_number`.
    """
    short, long = sorted((re.findall("[a-z0-9]+", text.lower()) for text in (word, name)), key=len)
    whole, other = "".join(short), "".join(long)
    likeness = 0.7 if len(short) == len(long) else 0.85
    same = all(any(_alike(part, known, likeness) for known in long) for part in short) and 2 * len(
        whole
    ) >= len(other)
    return bool(short) and (same or _alike(whole, other, 0.9))


def _alike(word, other, likeness):
    """Return whether two words are alike, or have the same letters, as if some were typed in the
    wrong order.
    """
    from difflib import SequenceMatcher

    return sorted(word) == sorted(other) or SequenceMatcher(None, word, other).ratio() >= likeness


def listed(words, last="and"):
    """Return words as an English list: `a`, `a and b` or `a, b and c`.

    `last` is the word before the last of them.
    """
    *rest, end = map(str, words)
    return f"{', '.join(rest)} {last} {end}" if rest else end


def quoted(names, last="and"):
    """Return names of fields or actions, each in backticks, as `listed` does."""
    return listed((f"`{name}`" for name in names), last)


def not_found(noun, key):
    """Return the 404 Problem for a record that does not exist."""
    noun = noun.replace("_", " ")
    return Problem("not_found", f"{noun[0].upper()}{noun[1:]} {key} not found.")


class Faults(list):
    """A list of faults of a body, so that one response reports all of them."""

    def add(self, pointer, code, detail):
        """Add a fault at a JSON pointer."""
        self.append(fault(code, detail, pointer=pointer))

    def below(self, place, faults):
        """Add the faults of a part of the body, whose pointers are relative to `place`."""
        self.extend({**entry, "pointer": place + entry["pointer"]} for entry in faults)

    def raise_any(self):
        """Raise the 422 Problem if there are faults."""
        if self:
            raise invalid(list(self))
