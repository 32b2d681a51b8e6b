"""The parties of a contract on paper: who they are, and the lines for their signatures.

Positions are in millimetres, font sizes in points.
"""

from eventapi.pictures import fonts
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import FOOT, LINE, QUIET, TABLE
from eventapi.pictures.words import WORDS, address

SIZE, SMALL, LINE_HEIGHT = TABLE, FOOT + 0.5, 4.4
GAP = 10  # between the two columns
WIDTH = (RIGHT - LEFT - GAP) / 2
LABELS = "organiser", "partner"
SPACE = 12  # height to write in above a line
SIGNATURES = 2 * SPACE + 5 * LINE_HEIGHT  # height of the lines for the signatures


def draw_parties(paper, organiser, partner, language):
    """Add names and addresses of both parties beside each other."""
    columns = [_lines(texts) for texts in addresses(organiser, partner, language)]
    paper.reserve((max(map(len, columns)) + 2) * LINE_HEIGHT)
    for x, label, lines in zip(_edges(), LABELS, columns, strict=True):
        paper.text(x, paper.y + LINE_HEIGHT, WORDS[language][label], size=SMALL, ink=QUIET)
        for row, (text, is_name) in enumerate(lines, 2):
            paper.text(x, paper.y + row * LINE_HEIGHT, text, size=SIZE, bold=is_name)
    paper.y += (max(map(len, columns)) + 1) * LINE_HEIGHT + 4
    paper.line(LEFT, paper.y, RIGHT, ink=LINE)
    paper.y += 4


def draw_signatures(paper, organiser, partner, language):
    """Add lines for place and date and for the signature of each party, together on one page."""
    paper.reserve(SIGNATURES)
    paper.y += LINE_HEIGHT
    for label in ("place_date", "signature"):
        paper.y += SPACE
        for x in _edges():
            paper.line(x, paper.y, x + WIDTH)
            paper.text(x, paper.y + 3.6, WORDS[language][label], size=SMALL, ink=QUIET)
    paper.y += LINE_HEIGHT
    for x, label, party in zip(_edges(), LABELS, (organiser, partner), strict=True):
        lines = fonts.wrap(party.get("name"), SIZE, WIDTH, True)[:2]
        for row, text in enumerate(lines, 1):
            paper.text(x, paper.y + row * LINE_HEIGHT, text, size=SIZE, bold=True)
        place = paper.y + (len(lines) + 1) * LINE_HEIGHT
        paper.text(x, place, WORDS[language][label], size=SMALL, ink=QUIET)
    paper.y += 3 * LINE_HEIGHT


def addresses(organiser, partner, language):
    """Return the lines of both addresses. The country is left out if it is the same."""
    home = organiser["country"] if organiser.get("country") == partner.get("country") else None
    return [address(party, language, home) for party in (organiser, partner)]


def _edges():
    return LEFT, LEFT + WIDTH + GAP


def _lines(texts):
    """Return (line, whether it is part of the name) of the lines of an address, which begins with
    the name.
    """
    return [
        (line, place == 0)
        for place, text in enumerate(texts)
        for line in fonts.wrap(text, SIZE, WIDTH, place == 0)
    ]
