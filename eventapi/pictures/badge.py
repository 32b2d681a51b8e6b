"""Badges: a card of 86 by 54 mm with name, company, role and QR code, alone or ten on a sheet of A4 with crop marks."""
from eventapi.pictures import qr, words
from eventapi.pictures.letters import LEAD, em, fit
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Lines, Picture, Text, rectangle

WIDTH, HEIGHT = 86, 54
PAGE = 210, 297
ACROSS, DOWN = 2, 5
PER_PAGE = ACROSS * DOWN
LEFT, TOP = (PAGE[0] - ACROSS * WIDTH) / 2, (PAGE[1] - DOWN * HEIGHT) / 2
MARK, AWAY = 5, 2                       # crop marks: how long, and how far from the cards
EDGE, HEAD, BAND = 5, 13, 10            # margin, and height of what is at the top and at the bottom
MODULE = 0.9                            # of the QR code: scanned from half a metre
SMALLEST, COMFORT = 2.2, 2.6            # size of letters
GREY, NEUTRAL = "#555555", "#5b6675"
# Told apart by colour-blind people as well, by their word at the latest; white can be read on each.
COLORS = {"exhibitor": "#0b4f8a", "co_exhibitor": "#00707a", "sponsor": "#7a5c00", "speaker": "#6b2a8c", "visitor": "#2b6e2f",
          "press": "#b8430a", "staff": "#a81f2b"}
WORDS = {
    "en": {"badge": "Badge", "badges": "Badges", "exhibitor": "Exhibitor", "co_exhibitor": "Co-exhibitor", "sponsor": "Sponsor",
           "speaker": "Speaker", "visitor": "Visitor", "press": "Press", "staff": "Staff"},
    "de": {"badge": "Ausweis", "badges": "Ausweise", "exhibitor": "Aussteller", "co_exhibitor": "Mitaussteller", "sponsor": "Sponsor",
           "speaker": "Referent", "visitor": "Besucher", "press": "Presse", "staff": "Team"},
}


def picture(badge, language="en"):
    """One badge as domain/people/badge_sheets.py reads it, as a picture of its own."""
    said = {**words.WORDS[language], **WORDS[language]}
    parts = (Area((rectangle(0, 0, WIDTH, HEIGHT),), PAPER), *card(badge, 0, 0, said))
    return Picture(f"badge{badge['id']}", WIDTH, HEIGHT, f"{said['badge']} – {badge['name']}", _told(badge, said), language, parts)


def sheets(badges, language="en"):
    """The badges, ten on each page, to be printed at their true size and cut along the marks."""
    said = {**words.WORDS[language], **WORDS[language]}
    for first in range(0, len(badges), PER_PAGE):
        cards = [Group(tuple(card(badge, LEFT + place % ACROSS * WIDTH, TOP + place // ACROSS * HEIGHT, said)))
                 for place, badge in enumerate(badges[first:first + PER_PAGE])]
        yield Picture(f"sheet{first // PER_PAGE + 1}", *PAGE, f"{said['badges']} – {badges[0]['event']}", said["badges"], language,
                      (Lines(tuple(_crop_marks()), GREY, 0.15), *cards))


def _crop_marks():
    right, bottom = PAGE[0] - LEFT, PAGE[1] - TOP
    for column in range(ACROSS + 1):
        x = LEFT + column * WIDTH
        yield from (((x, y), (x, y + MARK)) for y in (TOP - AWAY - MARK, bottom + AWAY))
    for row in range(DOWN + 1):
        y = TOP + row * HEIGHT
        yield from (((x, y), (x + MARK, y)) for x in (LEFT - AWAY - MARK, right + AWAY))


def _told(badge, said):
    return ", ".join(part for part in (badge["name"], badge["company"], said[badge["role"]], badge["event"], badge["number"]) if part)


# One card, its top left at (x, y)

def card(badge, x, y, said):
    yield from _head(badge, x, y, said)
    code, quiet = qr.size(badge["code"]) * MODULE, qr.QUIET * MODULE
    left, top = x + WIDTH - EDGE - code, y + HEAD + 3
    yield qr.area(badge["code"], left, top, MODULE)
    yield Text(left + code / 2, top + code + quiet + 1.9, (badge["number"],), 2.5)
    yield from _names(badge, x + EDGE, y + HEAD + 1, WIDTH - 2 * EDGE - code - quiet, HEIGHT - HEAD - BAND - 2)
    yield from _band(badge, x, y + HEIGHT - BAND, said)


def _head(badge, x, y, said):
    room = WIDTH - 2 * EDGE
    yield from _lines(badge["event"], x + EDGE, y + 4.9, room, 6.2, 3.8, is_bold=True)
    days = " – ".join(dict.fromkeys(words.day(day, said) for day in (badge["from"], badge["to"]) if day))
    yield from _lines(" · ".join(part for part in (days, badge["city"]) if part), x + EDGE, y + 9.8, room, 3.2, 2.7, ink=GREY)
    yield Lines((((x + EDGE, y + HEAD - 0.8), (x + WIDTH - EDGE, y + HEAD - 0.8)),), "#c9ced6", 0.2)


def _names(badge, x, y, width, height):
    """The name as large as it fits, the company below it, both in the middle of their height."""
    company = _fitted(badge["company"], width, height * 0.36, 4.2, 2.4, 2.8, False)
    name = _fitted(badge["name"], width, height - _height(company) - 1, 8.5, 2.8, 4.2, True)
    y += (height - _height(name) - _height(company)) / 2
    for text, is_bold in ((name, True), (company, False)):
        if text:
            lines, size = text
            yield Text(x, y + 0.92 * size, lines, size, is_bold, INK if is_bold else GREY, "start")
            y += _height(text) + 0.8


def _band(badge, x, y, said):
    """The role by colour and word; beside it the category in its own colour."""
    half = x + WIDTH * 0.55 if badge["category"] else x + WIDTH
    yield Area((rectangle(x, y, half - x, BAND),), COLORS[badge["role"]])
    yield from _lines(said[badge["role"]].upper(), x + EDGE, y + BAND / 2, half - x - EDGE - 2, BAND - 2, 4.6, is_bold=True, ink=PAPER)
    if badge["category"]:
        fill, room = badge["color"] or NEUTRAL, x + WIDTH - half - EDGE - 2
        yield Area((rectangle(half, y, room + EDGE + 2, BAND),), fill)
        yield from _lines(badge["category"], half + 3, y + BAND / 2, room, BAND - 2, 3.6, is_bold=True, ink=ink_on(fill))


def _lines(text, x, middle, width, height, largest, *, is_bold=False, ink=INK):
    """As many lines as the height allows, about its middle; smaller, or cut off, where that is not enough."""
    fitted = _fitted(text, width, height, largest, SMALLEST, COMFORT, is_bold)
    if fitted:
        lines, size = fitted
        yield Text(x, middle + size * (0.36 - (len(lines) - 1) * LEAD / 2), lines, size, is_bold, ink, "start")


def _fitted(text, width, height, largest, smallest, comfort, is_bold):
    """(lines, size) of a text in a box, or None where there is nothing to say."""
    fitted = fit(text or "", width / (1.14 if is_bold else 1), height, largest, smallest, comfort)
    return fitted and (fitted.lines, min(fitted.size, *(width / em(line, is_bold) for line in fitted.lines)))


def _height(text):
    return len(text[0]) * text[1] * LEAD if text else 0


def ink_on(fill):
    """Black or white, whichever stands out more (WCAG's relative luminance)."""
    return INK if luminance(fill) > 0.18 else PAPER


def luminance(color):
    parts = [int(color[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))
