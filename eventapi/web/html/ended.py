"""The page about a form that was sent without a session, or that somebody else had begun.

It shows what was typed, with the labels of the form. Where the form can still be saved, the page
sends all of its fields once more to the same address, which is the address of the page. At the desk
it asks for address and password in the same form: the fields of SIGN_IN, which belong to no form
and are taken out of each one before anything else reads it.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

from eventapi.web.html import form_bodies, page_requests
from eventapi.web.rest import Response

# `sign_in_done` is the button of somebody who has signed in in another tab.
SIGN_IN = ("sign_in_email", "sign_in_password", "sign_in_code", "sign_in_token", "sign_in_done")
# Fields that are neither shown nor sent again, and are typed once more: passwords and codes.
SECRET = re.compile(r".*password.*|(.*_)?(code|secret)|pending")
# codes that everybody may see
PLAIN = frozenset(("postal_code", "country_code"))
# the name of a file that must be chosen once more
APART = frozenset(("filename", *SIGN_IN))
PURPOSE = "sign in and save"  # of the token `sign_in_token`
ROOM = 16 * 1024  # bytes that the fields of SIGN_IN may add to a form
SPARE = 10  # fields that they are at most


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """What somebody has typed to sign in with a form. `is_done`: in another tab, as they say.

    `token` is one for PURPOSE, or names what was shown before the code.
    """

    email: str
    password: str = field(repr=False)
    code: str = field(repr=False)
    token: str = field(repr=False)
    is_done: bool

    @property
    def has_pending(self) -> bool:
        """Return whether the password was shown before, and only the code is missing."""
        return bool(self.token) and "." not in self.token and not (self.email or self.password)

    @property
    def is_tried(self) -> bool:
        """Return whether somebody wants to sign in with this form."""
        return not self.is_done and bool(
            self.email or self.password or self.code or self.has_pending
        )


def take_sign_in(fields: dict[str, list[str]]) -> SignIn | None:
    """Take the fields of SIGN_IN out of the texts of a form. Return them, or None if it has none."""
    taken = {name: fields.pop(name)[0] for name in SIGN_IN if name in fields}
    if not taken:
        return None
    return SignIn(
        email=taken.get("sign_in_email", "").strip(),
        password=taken.get("sign_in_password", ""),
        code=taken.get("sign_in_code", "").strip(),
        token=taken.get("sign_in_token", ""),
        is_done="sign_in_done" in taken,
    )


def is_secret(name: str) -> bool:
    """Return whether the field of this name is for a password or a code."""
    end = name.rpartition("/")[2]
    return end not in PLAIN and SECRET.fullmatch(end) is not None


def without_secrets(fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the texts of a form that may be shown and sent again."""
    return {
        name: texts for name, texts in fields.items() if name not in APART and not is_secret(name)
    }


def repeated(fields: dict[str, list[str]]) -> list[tuple[str, str]] | None:
    """Return (name, text) of the hidden fields that send a form again.

    None if that would be too large a form with what somebody types to sign in.
    """
    pairs = [(name, text) for name, texts in without_secrets(fields).items() for text in texts]
    is_small = len(urlencode(pairs)) <= form_bodies.LARGEST - ROOM
    return pairs if is_small and len(pairs) <= form_bodies.MOST - SPARE else None


def page(
    state: str | None,
    *,
    kind: str,
    language: str,
    home: str,
    place: str | None = None,
    status: int = 403,
    hidden: list[tuple[str, str]] | None = None,
    kept: list[tuple[str, str]] = (),
    has_file: bool = False,
    asks: dict | None = None,
    note: str | None = None,
    headers: dict | None = None,
) -> Response:
    """Return the page `ended`.

    `state` is None without a form, `over` if it can be sent again, `large` if it cannot, `others`
    if somebody else has begun it, `unproved` if nothing says who has. `kind` is that of the link,
    `home` the relative address that the page leads to, `place` the name in its head, which at the
    desk is that of the desk. `hidden` are (name, text) of what it sends again, `kept` (label, text)
    of what was typed. `asks` are the values of the fields with which the form signs in, if it does:
    {email, token, is_code}; `is_code` says that only the code is missing. `note` is a sentence at
    the top.
    """
    texts = page_requests.words(page_requests.COMMON, language)
    titles = {"over": "ended_over", "large": "ended_over", "others": "ended_others"}
    title = texts[titles.get(state, "tab_ended")]
    if kind == "admin":
        place = texts["ended_desk"]
    return page_requests.message_page(
        "ended",
        status=status,
        language=language,
        title=title,
        event={"title": place} if place else None,
        keeps_form=state is not None,
        state=state,
        kind=kind,
        home=home,
        hidden=hidden or [],
        kept=kept,
        has_file=has_file,
        asks=asks,
        refusal=note,
        headers=headers,
    )
