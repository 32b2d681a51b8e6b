"""Exhibitors as address cards: vCard 3.0 (RFC 2426), which every phone reads.

Long lines continue as those of a calendar do (RFC 2425, 5.8.1 and RFC 5545, 3.1).
"""

from eventapi.domain.events import icalendar

FORM = "text/vcard"


def card(title, exhibitor, address):
    """Return the card of an exhibitor as bytes.

    `title` is that of the show, `address` that of the page of the exhibitor.
    """
    numbers = ", ".join(booth["booth_number"] for booth in exhibitor["booths"])
    values = [
        ("BEGIN", "VCARD"),
        ("VERSION", "3.0"),
        ("FN", exhibitor["name"]),
        ("N", ";;;;"),
        ("ORG", exhibitor["name"]),
        ("EMAIL", exhibitor["email"]),
        ("TEL", exhibitor["phone"]),
        ("ADR;TYPE=WORK", exhibitor["city"] and f";;;{_escaped(exhibitor['city'])};;;"),
        ("URL", exhibitor["website"] or address),
        ("NOTE", f"{title}: {numbers}" if numbers else title),
        ("END", "VCARD"),
    ]
    plain = ("N", "ADR;TYPE=WORK", "BEGIN", "VERSION", "END", "URL")
    lines = [
        icalendar.folded(f"{name}:{value if name in plain else _escaped(value)}")
        for name, value in values
        if value
    ]
    return b"\r\n".join([*lines, b""])


def _escaped(text):
    for letter in "\\,;":
        text = text.replace(letter, "\\" + letter)
    return " ".join(text.split())
