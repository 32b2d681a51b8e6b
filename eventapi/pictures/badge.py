"""Badges: cards of 86 by 54 mm with name, company, role and QR code, singly or ten to an A4 page
with crop marks.

All lengths are in millimetres. A badge is a dict: `id`, `name`, `company`, `role`, `number` (badge
number), `code` (text of the QR code), `language`, `category` and its `color`, and of the event
`event` (name), `from`, `to` (dates), `city`, `image` and, if it is known, `venue`.
domain/people/badge_sheets.py reads it.
"""

from eventapi.languages import formats, names
from eventapi.pictures import qr
from eventapi.pictures.letters import LINE_HEIGHT, em, fit, splits
from eventapi.pictures.shapes import Area, Bitmap, Group, Lines, Picture, Text, contained, rectangle
from eventapi.pictures.style import INK, LINE, PAPER, PLAIN, QUIET, ink_on

WIDTH, HEIGHT = 86, 54
PAGE = 210, 297
ACROSS, DOWN = 2, 5
PER_PAGE = ACROSS * DOWN
LEFT, TOP = (PAGE[0] - ACROSS * WIDTH) / 2, (PAGE[1] - DOWN * HEIGHT) / 2
MARK_LENGTH, MARK_GAP = 5, 2  # crop marks: their length and their distance from the cards
MARGIN = 5  # of a card
HEADER = 14.5  # height
BAND = 10  # height, at the bottom
STRIPE = 2  # height of the stripe in the colour of the role at the top
IMAGE = 26, 9  # largest width and height of the image of the event or of the logo
MODULE = 0.9  # width of a QR module: large enough to scan from half a metre
MIN_SIZE, PREFERRED_SIZE = 2.2, 2.6  # font sizes
NAME, LEAST_NAME = 7.5, 3.4  # largest font size of a name; the least at which it stays on two lines
NUMBER = 2.1  # font size of the number: half of all are not wider than the code
# Colour-blind people can distinguish these colours, and the band also shows the role as a word.
# White text is readable on each.
COLORS = {
    "exhibitor": "#0b4f8a",
    "co_exhibitor": "#00707a",
    "sponsor": "#7a5c00",
    "speaker": "#6b2a8c",
    "visitor": "#2b6e2f",
    "press": "#b8430a",
    "staff": "#a81f2b",
}
WORDS = {
    "en": {"badge": "Badge", "badges": "Badges"},
    "de": {"badge": "Ausweis", "badges": "Ausweise"},
}


def picture(badge, brand=PLAIN):
    """Return the Picture of one badge."""
    parts = (Area((rectangle(0, 0, WIDTH, HEIGHT),), PAPER), *card(badge, brand, 0, 0))
    title = f"{WORDS[badge['language']]['badge']} – {badge['name']}"
    return Picture(
        f"badge{badge['id']}", WIDTH, HEIGHT, title, _description(badge), badge["language"], parts
    )


def sheets(badges, brand=PLAIN):
    """Yield pages with ten badges each, to be printed at actual size and cut along the crop marks.

    The title is in the language of the first badge.
    """
    language = badges[0]["language"]
    title = f"{WORDS[language]['badges']} – {badges[0]['event']}"
    for first in range(0, len(badges), PER_PAGE):
        cards = [
            Group(
                tuple(
                    card(
                        badge, brand, LEFT + place % ACROSS * WIDTH, TOP + place // ACROSS * HEIGHT
                    )
                )
            )
            for place, badge in enumerate(badges[first : first + PER_PAGE])
        ]
        parts = (Lines(tuple(_crop_marks()), QUIET, 0.15), *cards)
        yield Picture(
            f"sheet{first // PER_PAGE + 1}",
            *PAGE,
            title,
            WORDS[language]["badges"],
            language,
            parts,
        )


def _crop_marks():
    right, bottom = PAGE[0] - LEFT, PAGE[1] - TOP
    for column in range(ACROSS + 1):
        x = LEFT + column * WIDTH
        yield from (
            ((x, y), (x, y + MARK_LENGTH))
            for y in (TOP - MARK_GAP - MARK_LENGTH, bottom + MARK_GAP)
        )
    for row in range(DOWN + 1):
        y = TOP + row * HEIGHT
        yield from (
            ((x, y), (x + MARK_LENGTH, y))
            for x in (LEFT - MARK_GAP - MARK_LENGTH, right + MARK_GAP)
        )


def _description(badge):
    role = names.role(badge["role"], badge["language"]).capitalize()
    parts = (badge["name"], badge["company"], role, badge["event"], badge["number"])
    return ", ".join(part for part in parts if part)


# One card, its top left at (x, y)


def card(badge, brand, x, y):
    """Yield the shapes of a card."""
    yield from _header(badge, brand, x, y)
    code, quiet = qr.size(badge["code"]) * MODULE, qr.QUIET * MODULE
    left, top = x + WIDTH - MARGIN - code, y + HEADER + 2.6
    yield qr.area(badge["code"], left, top, MODULE)
    yield Text(left + code / 2, top + code + quiet + 1.6, (badge["number"],), NUMBER)
    yield from _names(
        badge,
        x + MARGIN,
        y + HEADER + 1,
        WIDTH - 2 * MARGIN - code - quiet,
        HEIGHT - HEADER - BAND - 2,
    )
    yield from _band(badge, x, y + HEIGHT - BAND)


def _header(badge, brand, x, y):
    yield Area((rectangle(x, y, WIDTH, STRIPE),), COLORS[badge["role"]])
    room, middle = WIDTH - 2 * MARGIN, y + STRIPE + (HEADER - 0.8 - STRIPE) / 2
    image = badge["image"] or brand.logo
    if image:
        width, height = contained(image, *IMAGE)
        yield Bitmap(x + WIDTH - MARGIN - width, middle - height / 2, width, height, image)
        room -= width + 3
    yield from _lines(
        badge["event"], x + MARGIN, y + 6.3, room, 6.2, 3.8, is_bold=True, ink=brand.ink
    )
    days = formats.days(badge["from"], badge["to"], badge["language"])
    city = badge["city"] if badge["city"] and badge["city"] not in badge["event"] else None
    about = " · ".join(part for part in (days, badge.get("venue"), city) if part)
    if em(about, False) * MIN_SIZE > room:  # whole words rather than half of the city
        about = " · ".join(part for part in (days, city or badge.get("venue")) if part)
    yield from _lines(about, x + MARGIN, y + 11.3, room, 3.2, 2.7, ink=QUIET)
    yield Lines(
        (((x + MARGIN, y + HEADER - 0.6), (x + WIDTH - MARGIN, y + HEADER - 0.6)),), LINE, 0.2
    )


def _names(badge, x, y, width, height):
    """Yield the name, as large as it fits, and the company below it.

    Both together are centred vertically.
    """
    company = _fitted(badge["company"], width, height * 0.36, 4.2, 2.4, 2.8, False)
    name = _name(badge["name"], width, height - _height(company) - 1)
    y += (height - _height(name) - _height(company)) / 2
    for text, is_bold in ((name, True), (company, False)):
        if text:
            lines, size = text
            yield Text(x, y + 0.92 * size, lines, size, is_bold, INK if is_bold else QUIET, "start")
            y += _height(text) + 0.8


def _name(text, width, height):
    """Return (lines, size) of a name.

    A name of several words is on two lines, as on the badge beside it.
    """
    two = splits(text)[1:2]
    if two:
        lines = two[0][1]
        size = min(NAME, height / (2 * LINE_HEIGHT), *(width / em(line, True) for line in lines))
        if size >= LEAST_NAME:
            return lines, size
    return _fitted(text, width, height, NAME, 2.8, 4.2, True)


def _band(badge, x, y):
    """Yield the band at the bottom with role and category.

    It has the colour of the category, or that of the role if the category has none.
    """
    fill = badge["color"] or COLORS[badge["role"]]
    ink, half = ink_on(fill), x + WIDTH * (0.52 if badge["category"] else 1)
    yield Area((rectangle(x, y, WIDTH, BAND),), fill)
    role = names.role(badge["role"], badge["language"]).upper()
    yield from _lines(
        role, x + MARGIN, y + BAND / 2, half - x - MARGIN - 2, BAND - 2, 4.6, is_bold=True, ink=ink
    )
    if badge["category"]:
        yield Lines((((half, y + 2), (half, y + BAND - 2)),), ink, 0.25)
        yield from _lines(
            badge["category"],
            half + 3,
            y + BAND / 2,
            x + WIDTH - half - MARGIN - 3,
            BAND - 2,
            3.8,
            is_bold=True,
            ink=ink,
        )


def _lines(text, x, middle, width, height, largest, *, is_bold=False, ink=INK):
    """Yield a text of up to three lines that is centred vertically on `middle`.

    It is shrunk or cut off if it does not fit.
    """
    fitted = _fitted(text, width, height, largest, MIN_SIZE, PREFERRED_SIZE, is_bold)
    if fitted:
        lines, size = fitted
        yield Text(
            x,
            middle + size * (0.36 - (len(lines) - 1) * LINE_HEIGHT / 2),
            lines,
            size,
            is_bold,
            ink,
            "start",
        )


def _fitted(text, width, height, largest, smallest, preferred, is_bold):
    """Return (lines, size) of a text in a box, or None if the text is empty."""
    fitted = fit(text or "", width / (1.14 if is_bold else 1), height, largest, smallest, preferred)
    return fitted and (
        fitted.lines,
        min(fitted.size, *(width / em(line, is_bold) for line in fitted.lines)),
    )


def _height(text):
    return len(text[0]) * text[1] * LINE_HEIGHT if text else 0
