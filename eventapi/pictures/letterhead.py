"""The letterhead of invoices and documents: the organiser's name and logo, and the details in the footer.

Positions are in millimetres, font sizes in points.
"""
from eventapi.pictures import fonts
from eventapi.pictures.paper import GREY, LEFT, RIGHT
from eventapi.pictures.shapes import contained
from eventapi.pictures.words import WORDS, address, grouped

SMALL, SMALL_LINE_HEIGHT = 7, 3.2
TOP, LOGO = 12, (60, 22)                            # top of the logo; its largest width and height
NAME, NAME_SIZE, NAME_LINE_HEIGHT = 20, 15, 6.5     # first base line of the name
BOTTOM = 287                                        # last base line of the footer
COLUMNS = 3


class Letterhead:
    """The letterhead of one seller.

    `seller` has `name` and, as far as they are known, address, email, VAT ID, tax number, IBAN and BIC. `logo` is an
    Image or None. The bank account is part of the footer if `has_bank` is true.
    """

    def __init__(self, seller, logo, language, *, has_bank=True):
        self.seller, self.logo, self.language = seller, logo, language
        self.columns = self._columns(has_bank)
        self.footer_top = BOTTOM - SMALL_LINE_HEIGHT * max(map(len, self.columns))

    def _columns(self, has_bank):
        """Return the columns of the footer as lists of lines."""
        seller, room = self.seller, (RIGHT - LEFT) / COLUMNS - 4
        bank = self._labelled({**seller, "iban": grouped(seller.get("iban"))}, "iban", "bic") if has_bank else []
        columns = [address(seller, self.language),
                   [seller.get("email"), *self._labelled(seller, "vat_id", "tax_number")], bank]
        return [[line for text in column for line in fonts.wrap(text, SMALL, room)] for column in columns]

    def _labelled(self, seller, *fields):
        return [f"{WORDS[self.language][field]} {seller[field]}" for field in fields if seller.get(field)]

    def head(self, paper):
        """Add the name and, top right, the logo, which is scaled without being distorted. Return the position below."""
        room, height = RIGHT - LEFT, 0
        if self.logo:
            width, height = contained(self.logo, *LOGO)
            paper.image(RIGHT - width, TOP, width, height, self.logo)
            room -= width + 6
        name = fonts.wrap(self.seller.get("name"), NAME_SIZE, room, True)[:3]
        for row, text in enumerate(name):
            paper.text(LEFT, NAME + row * NAME_LINE_HEIGHT, text, size=NAME_SIZE, bold=True)
        return max(TOP + height, NAME + (len(name) - 1) * NAME_LINE_HEIGHT + 2)

    def foot(self, paper, title, page):
        """Add the footer: above a line the title of the letter and the number of the page, below it the details."""
        size = fonts.shrunk(title, SMALL, 120)
        paper.text(LEFT, self.footer_top - 5, title, size=size, ink=GREY)
        paper.text(RIGHT, self.footer_top - 5, page, size=SMALL, align="right", ink=GREY)
        paper.line(LEFT, self.footer_top - 3, RIGHT, ink=GREY)
        for column, lines in enumerate(self.columns):
            x = LEFT + column * (RIGHT - LEFT) / COLUMNS
            for row, text in enumerate(lines):
                paper.text(x, self.footer_top + row * SMALL_LINE_HEIGHT, text, size=SMALL, ink=GREY)
