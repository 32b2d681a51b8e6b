"""A document as PDF: headings, paragraphs, lists and tables, set from the tree that feeds the page as well."""
import re
from itertools import zip_longest

from eventapi.markup import Element, blocks
from eventapi.pictures import fonts
from eventapi.pictures.paper import GREY, LEFT, RIGHT, Paper

SIZE, LEAD = 10, 5
HEADINGS = {"h1": (16, 7.5, 4), "h2": (12.5, 6, 4), "h3": (10.5, 5.2, 2.5)}     # size, lead, room above
TOP, BOTTOM = 22, 270
INDENT, PADDING, RULE = 6, 1.6, 0.75
WORD = re.compile(r"[^\S\u00a0]+")


def draw(parts, *, title, number, author):
    """The bytes of the PDF; the same document gives the same bytes. 501 without reportlab or a font that has every letter."""
    fonts.require()
    with fonts.lock:
        return Sheet(fonts.clean(title), fonts.clean(number), fonts.clean(author)).pdf(parts)


class Sheet:
    """One document being set from top to bottom."""

    def __init__(self, title, number, author):
        self.title, self.number, self.author = title, number, author
        self.paper = Paper(BOTTOM, self._begin)

    def pdf(self, parts):
        self.paper.turn()
        for part in parts:
            self._block(part, LEFT, RIGHT - LEFT)
        self.paper.number(self._footer)
        return self.paper.pdf(title=self.title, author=self.author, language="")

    def _begin(self, paper):
        paper.y = TOP

    def _footer(self, page, pages):
        paper = self.paper
        paper.line(LEFT, 280, RIGHT, ink=GREY)
        name = " · ".join(filter(None, (self.author, self.number)))
        paper.text(LEFT, 284, fonts.wrap(name, 7, 130)[0] if name else "", size=7, ink=GREY)
        paper.text(RIGHT, 284, f"{page} / {pages}", size=7, align="right", ink=GREY)

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
        size, lead, above = HEADINGS[part.tag]
        set_ = lines(part, size, room, bold=True)
        self.paper.keep(above + lead * len(set_) + 3 * LEAD)            # never the last on a page
        self.paper.y += above if self.paper.y > TOP else 0
        self._lines(set_, left, size=size, lead=lead)
        self.paper.y += 1.5

    def _list(self, part, left, room):
        for place, item in enumerate((item for item in part.parts if isinstance(item, Element)), 1):
            self.paper.keep(LEAD)
            mark = f"{place}." if part.tag == "ol" else "•"
            self.paper.text(left + INDENT - 2, self.paper.y + LEAD, mark, size=SIZE, align="right")
            inside = blocks(item)
            for block in inside:
                if block.tag == "p":
                    self._lines(lines(block, SIZE, room - INDENT), left + INDENT)
                else:
                    self._block(block, left + INDENT, max(room - INDENT, 30))
            self.paper.y += 0.8 if inside else LEAD
        self.paper.y += 1.4

    def _lines(self, set_, left, *, size=SIZE, lead=LEAD):
        for line in set_:
            self.paper.keep(lead)
            self.paper.y += lead
            self._line(line, left, size)

    def _line(self, line, left, size):
        for x, text, bold in line:
            self.paper.text(left + x, self.paper.y, text, size=size, bold=bold)

    # Tables

    def _table(self, part):
        rows = [[cell for cell in row.parts if isinstance(cell, Element)] for row in part.parts if isinstance(row, Element)]
        count = max(map(len, rows), default=0)
        if not count:
            return
        starts, rooms = columns(rows, count)
        self.paper.line(LEFT, self.paper.y + 1, RIGHT, ink=GREY)
        self.paper.y += 1
        set_ = [[cell_lines(cell, room - 2 * PADDING) for cell, room in zip(row, rooms)] for row in rows]
        self.heads = set_[0] if len(rows) > 1 and all(cell.tag == "th" for cell in rows[0]) else None
        for cells in set_:
            self._row(cells, starts)
        self.paper.y += 3

    def _row(self, cells, starts):
        height = max(map(len, cells), default=1) * LEAD
        pages = len(self.paper.pages)
        self.paper.keep(min(height + 2 * PADDING, BOTTOM - TOP))
        if len(self.paper.pages) > pages and self.heads and cells is not self.heads and len(self.heads) < 10:
            self._row(self.heads, starts)                               # again on each page
        self.paper.y += PADDING - 1
        for line in zip_longest(*cells, fillvalue=()):
            self.paper.keep(LEAD)
            self.paper.y += LEAD
            for start, part in zip(starts, line):
                self._line(part, start + PADDING, SIZE)
        self.paper.y += PADDING + 0.6
        self.paper.line(LEFT, self.paper.y, RIGHT, ink=RULE)


def columns(rows, count):
    """Where each column begins and how wide it is: by its longest word at least, the rest by how much stands in it."""
    wants = [max((len(text_of(row[place])) for row in rows if place < len(row)), default=1) for place in range(count)]
    least = [max((fonts.width(word, SIZE, True) for row in rows if place < len(row) for word in fonts.clean(text_of(row[place])).split()),
                 default=0) + 2 * PADDING + 0.1 for place in range(count)]
    whole = RIGHT - LEFT
    if sum(least) > whole:
        least = [wide * whole / sum(least) for wide in least]
    spare, weight = whole - sum(least), sum(min(want, 200) for want in wants) or 1
    rooms = [wide + spare * min(want, 200) / weight for wide, want in zip(least, wants)]
    return [LEFT + sum(rooms[:place]) for place in range(count)], rooms


def cell_lines(cell, room):
    """The lines of a cell; lists in it are told by their marks."""
    found = []
    for block in blocks(cell):
        if block.tag in ("ul", "ol"):
            for place, item in enumerate((item for item in block.parts if isinstance(item, Element)), 1):
                mark = f"{place}. " if block.tag == "ol" else "• "
                found += lines(Element("p", [mark, *item.parts]), SIZE, room)
        else:
            found += lines(block, SIZE, room, bold=cell.tag == "th")
    return found


def text_of(element):
    return "".join(part if isinstance(part, str) else f" {text_of(part)} " for part in element.parts)


def pieces(element, bold):
    """(text, bold) and, for a line break, None."""
    for part in element.parts:
        if isinstance(part, str):
            yield WORD.sub(" ", part), bold
        elif part.tag == "br":
            yield None
        else:
            yield from pieces(part, bold or part.tag in ("strong", "em"))     # the fonts that have every letter have no italics


def lines(element, size, room, bold=False):
    """The lines of a paragraph: each a list of (x, text, bold)."""
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
