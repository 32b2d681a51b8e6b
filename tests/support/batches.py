"""Batches of the desk in tests: ticked records, the trial, and the button that does it."""

import re
from html import unescape

from tests.pages.conftest import token_of


def tried(visitor, page, address, ids, **fields):
    """Send ticked records of a page to a batch, such as `invoices/send`. Return the page of the trial."""
    pairs = [("form_token", token_of(page)), *(("ids", str(id)) for id in ids), *fields.items()]
    answer = visitor.app.post(f"/desk/batch/{address}", pairs, headers=visitor.headers, status=303)
    return follow(visitor, answer)


def pressed(visitor, trial, button="sure", status=303, **fields):
    """Press a button of the page of a batch, and return the page that follows.

    The form is sent as it is shown; `fields` replace what it says, None leaves a field out.
    """
    sent = form_of(trial) | {button: "1"} | fields
    pairs = [(name, value) for name, value in sent.items() if value is not None]
    answer = visitor.app.post(action_of(trial), pairs, headers=visitor.headers, status=status)
    return follow(visitor, answer) if status == 303 else answer


def done(visitor, page, address, ids, **fields):
    """Do a batch past its trial, with what the form says but for `fields`. Return the result."""
    return pressed(visitor, tried(visitor, page, address, ids), **fields)


def follow(visitor, answer):
    """Open the page that a redirection at the desk leads to."""
    return visitor.get("/desk/" + answer.headers["Location"].rpartition("desk/")[2])


def action_of(page):
    """Return the address that the form of a batch is sent to."""
    return "/desk/batch/" + re.search(r'action="[^"]*desk/batch/([^"]+)"', page.text)[1]


def form_of(page):
    """Return what a browser sends with the form of the page of a batch, without its buttons."""
    text = page.text[page.text.index("desk/batch/") :]
    sent = {}
    for tag in re.findall(r"<input\b[^>]*>", text):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        is_box = attributes.get("type") in ("checkbox", "radio")
        if "name" in attributes and (not is_box or re.search(r"\schecked\b", tag)):
            sent[attributes["name"]] = unescape(attributes.get("value", "on"))
    for name, options in re.findall(r'(?s)<select\b[^>]*name="([^"]+)"[^>]*>(.*?)</select>', text):
        chosen = re.search(r'value="([^"]*)"[^>]*\bselected', options)
        sent[name] = unescape(chosen[1]) if chosen else ""
    for name, value in re.findall(
        r'(?s)<textarea\b[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', text
    ):
        sent[name] = unescape(value)
    return sent
