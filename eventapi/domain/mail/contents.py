"""What a mail contains, and the paragraphs that mails of several subjects share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SECRET = "…"  # in the address of a link in a preview, which has no secret
LINK = re.compile(r"[/@]|\w\.\w")  # text that a mail program may turn into a link
ENCODED = "=?"  # with it, a word begins that is encoded for a header


class Gone(Exception):
    """The record of the mail no longer exists, or has changed so that the mail would be wrong.

    The mail is not sent.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a mail contains beside its recipient's address and its subject.

    name: of the recipient, or None.
    paragraphs: texts, and (text, address) of links.
    headers: name -> value, beside those of every mail.
    attachments: (file name, bytes) of each file.
    """

    name: str | None = None
    language: str
    paragraphs: Sequence
    headers: Mapping = field(default_factory=dict)
    attachments: Sequence = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The preview that somebody wants of a mail about an event.

    name: of the text of the mail, such as `application_approved`.
    event: dict of the event, with id, event_key and title.
    language: of the request, or None.
    text: of the organiser, in place of the stored one, or None.
    record_id: of the application or participant that the mail is about; None stands for an invented
        one.
    base_url: public address with which links begin, "" if it is not known.
    """

    name: str
    event: Mapping
    language: str | None = None
    text: str | None = None
    record_id: int | None = None
    base_url: str = ""

    def own(self, stored):
        """Return the organiser's own text. `stored` is that of the event, or None."""
        return stored if self.text is None else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A mail as it would be sent now. `is_sample`: the record that it is about is invented."""

    subject: str
    contents: Contents
    is_sample: bool


def greeting(texts, name):
    """Return the first paragraph, with the name if there is one."""
    if not name:
        return texts["hello_nobody"]
    return texts["hello"].format(name=one_line(name))


def harmless(name):
    """Return a name that anybody may have entered, or None if it contains something like a link."""
    return None if LINK.search(name or "") else name


def own_paragraphs(text):
    """Return the paragraphs of a text that the organiser has written for this mail, or an empty
    list without one.
    """
    if not text:
        return []
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return [paragraph.strip() for paragraph in re.split(r"\n\n+", lines)]


def one_line(text):
    """Return text for a header: without line breaks and control characters, at most 200 characters.

    No word looks as if it were encoded for a header (RFC 2047): the library and mail programs would
    decode it, and a decoded line break begins another header.
    """
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
    return line.replace(ENCODED, "= ?")[:200]
