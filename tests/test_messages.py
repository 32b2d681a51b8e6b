"""Error texts: what every text in the source must be like, whichever error it belongs to."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from eventapi.errors import CODES, listed, not_found, quoted

SOURCE = Path(__file__).parents[1] / "eventapi"
# function -> position of its text. `Problem` and `not_found` make whole details, the others
# fragments about a field.
TEXT_AT = {"Problem": 1, "fault": 1, "add": 2, "invalid_at": 2, "invalid_parameter": 2}
# A sentence that begins with one of these says what to do.
REMEDIES = (
    "add",
    "anonymise",
    "ask",
    "assign",
    "cancel",
    "change",
    "choose",
    "close",
    "correct",
    "create",
    "credit",
    "deactivate",
    "delete",
    "enable",
    "install",
    "invite",
    "issue",
    "keep",
    "leave",
    "make",
    "move",
    "order",
    "read",
    "record",
    "refresh",
    "refund",
    "reinstate",
    "remove",
    "repeat",
    "request",
    "reserve",
    "restore",
    "scan",
    "send",
    "set",
    "to",
    "upload",
    "use",
    "withdraw",
)
CONTRACTION = re.compile(
    r"\b\w+n't\b|\b(?:it|that|there|what|we|you|they|he|she)'(?:s|re|ve|ll)\b", re.I
)


class Text:
    """A text in the source, with `{}` in place of each value."""

    def __init__(self, path, call, name, node):
        self.place = f"{path.relative_to(SOURCE)}:{call.lineno}"
        self.name, self.node, self.text = name, node, written(node)
        first = call.args[0] if call.args else None
        self.code = first.value if isinstance(first, ast.Constant) else None

    def __repr__(self):
        return f"{self.place}: {self.text}"


def written(node):
    """Return the text of an expression, with `{}` for values."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return written(node.left) + written(node.right)
    return "{}"


@cache
def texts():
    """Return the texts of all errors in the source.

    It takes a second, so it is not done at import: each worker of `make test` imports all tests.
    """
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            name = isinstance(call, ast.Call) and getattr(
                call.func, "attr", getattr(call.func, "id", None)
            )
            place = TEXT_AT.get(name)
            if place is not None and len(call.args) > place:
                text = Text(path, call, name, call.args[place])
                if " " in text.text:
                    found.append(text)
    return found


def broken(rule, among=None):
    """Return the texts that break a rule, among all or among these."""
    if among is None:
        among = texts()
    return [text for text in among if rule(text)]


def values(node):
    """Return the expressions inside a text."""
    return [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]


def test_the_texts_are_found():
    assert (
        len(texts()) > 200 and len({text.code for text in texts() if text.name == "Problem"}) > 30
    )


def test_a_detail_is_a_sentence_and_a_fault_is_a_fragment():
    details, faults = (
        [text for text in texts() if (text.name == "Problem") is wanted] for wanted in (True, False)
    )
    assert not broken(
        lambda text: not re.match(r"[A-Z`{]", text.text) or text.text[-1] not in ".}", details
    )
    assert not broken(
        lambda text: text.text[-1] == "." or re.match(r"[A-Z](?!O\b|[A-Z])", text.text), faults
    )


def test_texts_are_plain_english():
    for unwanted in (
        "  ",
        "None",
        "True",
        "False",
        "There is no",
        "there is nothing",
        "names no",
        "put anew",
    ):
        assert not broken(lambda text, unwanted=unwanted: unwanted in text.text), unwanted
    assert not broken(lambda text: CONTRACTION.search(text.text))


def test_a_conflict_says_what_to_do():
    """A sentence after the first begins with an imperative or is computed, or the text says that
    there is no way.
    """

    def is_silent(text):
        sentences = [part.strip() for part in re.split(r"[.:](?: |$)|, or |, then ", text.text)[1:]]
        return (
            not text.text.rstrip(".").endswith("{}")
            and "can no longer" not in text.text
            and not any(
                part.startswith("{}") or part.lower().startswith(REMEDIES) for part in sentences
            )
        )

    conflicts = [
        text
        for text in texts()
        if text.name == "Problem" and text.code in CODES and CODES[text.code][0] == 409
    ]
    assert not broken(is_silent, conflicts)


def test_lists_amounts_and_numbers_are_formatted():
    """`listed`, `quoted`, `formats.money` and `counted` write what a bare join, amount or number
    would not.
    """

    def calls(text, *names):
        found = [
            call
            for value in values(text.node)
            for call in ast.walk(value)
            if isinstance(call, ast.Call)
        ]
        return [
            call
            for call in found
            if getattr(call.func, "attr", getattr(call.func, "id", None)) in names
        ]

    assert not broken(
        lambda text: any(
            getattr(call.func.value, "value", "") in (" and ", " or ")
            for call in calls(text, "join")
        )
    )
    bare = ("major", "unscaled", "len")
    details = [text for text in texts() if text.name == "Problem"]
    assert not broken(
        lambda text: any(value in calls(text, *bare) for value in values(text.node)), details
    )


@pytest.mark.parametrize(
    ("words", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (iter("abc"), "a, b and c")]
)
def test_a_list_reads_like_english(words, text):
    assert listed(words) == text


def test_names_are_quoted():
    assert quoted(["amount", "currency", "status"], "or") == "`amount`, `currency` or `status`"


def test_an_unknown_record_is_not_found():
    assert not_found("booth_type", 7).detail == "Booth type 7 not found."
    assert not_found("API key", 9).detail == "API key 9 not found."


def test_a_fault_names_the_value_as_it_was_sent(organiser):
    sent = {
        "company_name": 5,
        "email": "nobody",
        "country": None,
        "language": "deutsch",
        "phone": "1" * 300,
        "custom_fields": True,
        "tags": ["a", 7],
    }
    errors = organiser.post("/contacts", sent, status=422).json["errors"]
    assert {entry["pointer"]: entry["detail"] for entry in errors} == {
        "/company_name": "must be a string or null, but is 5",
        "/email": "must be an e-mail address, but is nobody",
        "/country": "must be a string, but is null",
        "/phone": "must have at most 50 characters, but has 300",
        "/language": "must be a language tag (BCP 47) such as de-AT, but is deutsch",
        "/custom_fields": "must be an object, but is true",
        "/tags/1": "must be a string, but is 7",
    }
    errors = organiser.get("/contacts?order=up&page=0&ids=1,x", status=422).json["errors"]
    assert {entry["parameter"]: entry["detail"] for entry in errors} == {
        "order": "must be one of: ASC, DESC, but is up",
        "page": "must be at least 1, but is 0",
        "ids": "must be an integer, but is x",
    }
    long = organiser.post("/contacts", {"email": "x" * 200}, status=422).json["errors"][0]["detail"]
    assert long == f"must be an e-mail address, but is {'x' * 60}…", "a long value is cut"
