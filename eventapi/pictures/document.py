"""Documents as PDF: headings, paragraphs, lists and tables, from the tree of markup.py that the
HTML page also uses.

Positions and line heights are in millimetres, font sizes in points. A laid-out line is a list of
(x, text, bold).
"""

import re
from itertools import zip_longest

from eventapi.markup import Element, blocks
from eventapi.pictures import fonts
from eventapi.pictures.letterhead import Letterhead
from eventapi.pictures.paper import LEFT, RIGHT, Paper
from eventapi.pictures.parties import SIGNATURES, draw_parties, draw_signatures
from eventapi.pictures.style import HEADING, INK, LINE, PLAIN, QUIET, RULE, TEXT, TITLE
from eventapi.pictures.words import WORDS

SIZE, LINE_HEIGHT = TEXT, 5
# size, line height, space above
HEADINGS = {
    "h1": (TITLE, 7.5, 4),
    "h2": (HEADING, 6, 4),
    "h3": (10.5, 5.2, 2.5),
}
TOP = 22
INDENT, PADDING = 6, 1.6
ABOVE_TABLE = 3
WORD = re.compile(r"[^\S\u00a0]+")


def draw(parts, *, title, number, date, language, organiser, brand=PLAIN, partner=None):
    """Return the PDF as bytes. The same document results in the same bytes.

    parts: Elements of markup.parse.
    date: the day of the document, as text.
    organiser, brand: those of the letterhead.
    partner: the other party of a contract, which gets the parties and lines for their signatures; else None.

    Raise 501 `not_installed` if reportlab is missing or no installed font has one of the
    characters.
    """
    fonts.require()
    with fonts.lock:
        return Sheet(title, number, date, language, organiser, brand, partner).pdf(parts)


class Sheet:
    """The layout of one document, from top to bottom."""

    def __init__(self, title, number, date, language, organiser, brand=PLAIN, partner=None):
        self.title = fonts.clean(title)
        self.number = fonts.clean(number)
        self.date = fonts.clean(date)
        self.language, self.organiser, self.partner = language, organiser, partner
        self.running = " · ".join(dict.fromkeys(filter(None, (self.title, self.number))))
        self.letterhead = Letterhead(organiser, brand, language)
        self.bottom = self.letterhead.footer_top - 11
        self.paper = Paper(self.bottom, self._begin)

    def pdf(self, parts):
        """Lay out the elements and return the PDF as bytes."""
        paper = self.paper
        paper.new_page()
        if self.partner:
            draw_parties(paper, self.organiser, self.partner, self.language)
        self.top = paper.y
        for place, part in enumerate(parts, 1):
            if self.partner and place == len(parts):
                self._keep_with_signatures(part)
            self._block(part, LEFT, RIGHT - LEFT)
        if self.partner:
            draw_signatures(paper, self.organiser, self.partner, self.language)
        paper.draw_footers(self._footer)
        return paper.pdf(
            title=self.title,
            author=fonts.clean(self.organiser.get("name") or ""),
            language=self.language,
        )

    def _keep_with_signatures(self, part):
        """Begin a new page for the last part if the signatures would otherwise be alone on the next
        page.
        """
        paper, self.paper = self.paper, Paper(10**6, lambda paper: setattr(paper, "y", 0))
        self.paper.new_page()
        self._block(part, LEFT, RIGHT - LEFT)
        needed, self.paper = self.paper.y, paper
        if needed <= paper.bottom - paper.y < needed + SIGNATURES <= paper.bottom - TOP:
            paper.new_page()

    def _begin(self, paper):
        """Begin a page: the first one with the letterhead, number and date."""
        paper.y = self.top = TOP
        if len(paper.pages) == 1:
            below = self.letterhead.head(paper) + 8
            about = " · ".join(filter(None, (self.number, self.date)))
            paper.text(RIGHT, below, about, size=8.5, align="right", ink=QUIET)
            paper.y = self.top = below + 8
        else:
            paper.text(
                LEFT,
                TOP - 6,
                self.running,
                size=fonts.shrunk(self.running, 8.5, RIGHT - LEFT),
                ink=QUIET,
            )

    def _footer(self, page, pages):
        self.letterhead.foot(
            self.paper, self.running, WORDS[self.language]["page"].format(page=page, pages=pages)
        )

    def _block(self, part, left, room):
        if part.tag in HEADINGS:
            self._heading(part, left, room)
        elif part.tag in ("ul", "ol"):
            self._list(part, left, room)
        elif part.tag == "table":
            self._table(part)
        else:
            self._lines(lines(part, SIZE, room), left)
            self.paper.y += 2.2

    def _heading(self, part, left, room):
        size, line_height, above = HEADINGS[part.tag]
        heading = lines(part, size, room, bold=True)
        # Three lines must fit below a heading, so that it is never the last on a page.
        self.paper.reserve(above + line_height * len(heading) + 3 * LINE_HEIGHT)
        self.paper.y += above if self.paper.y > self.top else 0
        ink = self.letterhead.brand.ink if part.tag == "h1" else INK
        self._lines(heading, left, size=size, line_height=line_height, ink=ink)
        self.paper.y += 1.5

    def _list(self, part, left, room):
        for place, item in enumerate((item for item in part.parts if isinstance(item, Element)), 1):
            self.paper.reserve(LINE_HEIGHT)
            mark = f"{place}." if part.tag == "ol" else "•"
            self.paper.text(
                left + INDENT - 2, self.paper.y + LINE_HEIGHT, mark, size=SIZE, align="right"
            )
            inside = blocks(item)
            for block in inside:
                if block.tag == "p":
                    self._lines(lines(block, SIZE, room - INDENT), left + INDENT)
                else:
                    self._block(block, left + INDENT, max(room - INDENT, 30))
            self.paper.y += 0.8 if inside else LINE_HEIGHT
        self.paper.y += 1.4

    def _lines(self, found, left, *, size=SIZE, line_height=LINE_HEIGHT, ink=INK):
        for line in found:
            self.paper.reserve(line_height)
            self.paper.y += line_height
            self._line(line, left, size, ink)

    def _line(self, line, left, size, ink=INK):
        for x, text, bold in line:
            self.paper.text(left + x, self.paper.y, text, size=size, bold=bold, ink=ink)

    # Tables

    def _table(self, part):
        rows = [
            [cell for cell in row.parts if isinstance(cell, Element)]
            for row in part.parts
            if isinstance(row, Element)
        ]
        count = max(map(len, rows), default=0)
        if not count:
            return
        starts, widths = columns(rows, count)
        if self.paper.y > self.top:
            self.paper.reserve(ABOVE_TABLE + 3 * LINE_HEIGHT)
            self.paper.y += ABOVE_TABLE if self.paper.y > self.top else 0
        self.paper.line(
            LEFT, self.paper.y + 1, RIGHT, thickness=RULE, ink=self.letterhead.brand.color
        )
        self.paper.y += 1
        # A row may have fewer cells than the table has columns.
        laid_out = [
            [cell_lines(cell, room - 2 * PADDING) for cell, room in zip(row, widths, strict=False)]
            for row in rows
        ]
        self.header = (
            laid_out[0] if len(rows) > 1 and all(cell.tag == "th" for cell in rows[0]) else None
        )
        for cells in laid_out:
            self._row(cells, starts)
        self.paper.y += 3

    def _row(self, cells, starts):
        height = max(map(len, cells), default=1) * LINE_HEIGHT
        pages = len(self.paper.pages)
        self.paper.reserve(min(height + 2 * PADDING, self.bottom - TOP))
        has_turned = len(self.paper.pages) > pages
        if has_turned and self.header and cells is not self.header and len(self.header) < 10:
            self._row(self.header, starts)  # repeat the header on each page
        self.paper.y += PADDING - 1
        for line in zip_longest(*cells, fillvalue=()):
            self.paper.reserve(LINE_HEIGHT)
            self.paper.y += LINE_HEIGHT
            for start, part in zip(starts, line, strict=False):
                self._line(part, start + PADDING, SIZE)
        self.paper.y += PADDING + 0.6
        self.paper.line(LEFT, self.paper.y, RIGHT, ink=LINE)


def columns(rows, count):
    """Return the left edges and the widths of the columns.

    A column is at least as wide as its longest word. The rest of the width is divided in proportion
    to the longest texts.
    """
    cells = [[row[place] for row in rows if place < len(row)] for place in range(count)]
    weights = [
        min(max((len(text_of(cell)) for cell in column), default=1), 200) for column in cells
    ]
    least = [_longest_word(column) + 2 * PADDING + 0.1 for column in cells]
    whole = RIGHT - LEFT
    if sum(least) > whole:
        least = [wide * whole / sum(least) for wide in least]
    spare, total = whole - sum(least), sum(weights) or 1
    widths = [wide + spare * weight / total for wide, weight in zip(least, weights, strict=True)]
    return [LEFT + sum(widths[:place]) for place in range(count)], widths


def _longest_word(cells):
    """Return the width of the widest word in bold."""
    words = (word for cell in cells for word in fonts.clean(text_of(cell)).split())
    return max((fonts.width(word, SIZE, True) for word in words), default=0)


def cell_lines(cell, room):
    """Return the lines of a table cell.

    Lists in a cell are not indented, but their items have numbers or bullets.
    """
    found = []
    for block in blocks(cell):
        if block.tag in ("ul", "ol"):
            for place, item in enumerate(
                (item for item in block.parts if isinstance(item, Element)), 1
            ):
                mark = f"{place}. " if block.tag == "ol" else "• "
                found += lines(Element("p", [mark, *item.parts]), SIZE, room)
        else:
            found += lines(block, SIZE, room, bold=cell.tag == "th")
    return found


def text_of(element):
    """Return the text of an element without its tags."""
    return "".join(
        part if isinstance(part, str) else f" {text_of(part)} " for part in element.parts
    )


def pieces(element, bold):
    """Yield (text, bold), and None for a line break."""
    for part in element.parts:
        if isinstance(part, str):
            yield WORD.sub(" ", part), bold
        elif part.tag == "br":
            yield None
        else:
            # Emphasis is bold, because the fonts with enough characters have no italics.
            yield from pieces(part, bold or part.tag in ("strong", "em"))


def lines(element, size, room, bold=False):
    """Break a paragraph into lines of at most `room` millimetres.

    A line is a list of (x, text, bold).
    """
    found, line, x, gap = [], [], 0, False
    for piece in pieces(element, bold):
        if piece is None:
            found.append(line)
            line, x, gap = [], 0, False
            continue
        text, strong = fonts.clean(piece[0]), piece[1]
        space = fonts.width(" ", size, strong)
        for place, word in enumerate(text.split(" ")):
            gap = gap or place > 0
            for part in fonts.wrap(word, size, room, strong) if word else ():
                wide = fonts.width(part, size, strong)
                if line and x + gap * space + wide > room:
                    found.append(line)
                    line, x, gap = [], 0, False
                x += space if gap and line else 0
                line.append((x, part, strong))
                x, gap = x + wide, False
    return [*found, line]
