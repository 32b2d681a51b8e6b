"""Exhibitors as address cards: vCard 3.0 (RFC 2426), which every phone reads."""

FORM = "text/vcard"


def card(title, exhibitor, address):
    """Return the card of an exhibitor.

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
    return "".join(
        _folded(f"{name}:{value if name in plain else _escaped(value)}")
        for name, value in values
        if value
    )


def _escaped(text):
    for letter in "\\,;":
        text = text.replace(letter, "\\" + letter)
    return " ".join(text.split())


def _folded(line):
    """Return a line of at most 75 bytes each, continued after a space (RFC 2425, 5.8.1)."""
    parts, part = [], ""
    for letter in line:
        if len((part + letter).encode()) > (74 if parts else 75):
            parts.append(part)
            part = ""
        part += letter
    return "\r\n ".join([*parts, part]) + "\r\n"
