"""The letterhead of invoices and documents: the organiser's name and logo, and the details in the
footer.

Positions are in millimetres, font sizes in points.
"""

from eventapi.pictures import fonts
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.shapes import contained
from eventapi.pictures.style import FOOT, QUIET, RULE, SUBTITLE, TITLE
from eventapi.pictures.words import (
    WORDS,
    address,
    contact,
    grouped,
    register,
    vat_label,
    vat_number,
)

LINE_HEIGHT = 3.3  # of the footer
TOP, LOGO = 12, (60, 22)  # top of the logo; its largest width and height
NAME, NAME_LINE_HEIGHT = 20, 6.8  # first base line of the name
BOTTOM = 287  # last base line of the footer
COLUMNS = 3


class Letterhead:
    """The letterhead of one seller.

    `seller` has `name` and, as far as they are known, address, contact, telephone, email, VAT ID,
    tax number, register, directors, IBAN, BIC and `footer`, a list of lines. The bank account is
    part of the footer if `has_bank` is true.
    """

    def __init__(self, seller, brand, language, *, has_bank=True):
        self.seller, self.brand, self.language = seller, brand, language
        self.columns = self._columns(has_bank)
        self.further = [
            line
            for text in seller.get("footer") or ()
            for line in fonts.wrap(text, FOOT, RIGHT - LEFT)
        ]
        self.footer_top = BOTTOM - LINE_HEIGHT * (max(map(len, self.columns)) + len(self.further))

    def _columns(self, has_bank):
        """Return the columns of the footer as lists of lines."""
        seller, room = self.seller, (RIGHT - LEFT) / COLUMNS - 4
        bank = (
            self._labelled({**seller, "iban": grouped(seller.get("iban"))}, "iban", "bic")
            if has_bank
            else []
        )
        columns = [
            address(seller, self.language),
            [
                *contact(seller, self.language, space=fonts.NO_BREAK),
                *self._labelled(seller, "vat_id", "tax_number"),
            ],
            [*register(seller, self.language, space=fonts.NO_BREAK), *bank],
        ]
        return [
            [
                line.replace(fonts.NO_BREAK, " ")
                for text in column
                for line in fonts.wrap(text, FOOT, room)
            ]
            for column in columns
        ]

    def _labelled(self, seller, *fields):
        words = WORDS[self.language]
        labels = {**words, "vat_id": vat_label(words, seller.get("vat_id"))}
        shown = {**seller, "vat_id": vat_number(seller.get("vat_id"))}
        return [f"{labels[field]} {shown[field]}" for field in fields if shown.get(field)]

    def head(self, paper):
        """Add the name and, top right, the logo, which is scaled without being distorted.

        Return the position below.

        The name is large without a logo, and small beside one, which shows it already.
        """
        room, height, size, logo = RIGHT - LEFT, 0, TITLE, self.brand.logo
        if logo:
            width, height = contained(logo, *LOGO)
            paper.image(RIGHT - width, TOP, width, height, logo)
            room, size = room - width - 6, SUBTITLE
        name = fonts.wrap(self.seller.get("name"), size, room, True)[:3]
        for row, text in enumerate(name):
            paper.text(
                LEFT, NAME + row * NAME_LINE_HEIGHT, text, size=size, bold=True, ink=self.brand.ink
            )
        below = max(TOP + height, NAME + (len(name) - 1) * NAME_LINE_HEIGHT) + 4
        paper.line(LEFT, below, RIGHT, thickness=RULE, ink=self.brand.color)
        return below

    def foot(self, paper, title, page):
        """Add the footer: above a line the title of the letter and the number of the page, below it
        the details.
        """
        size = fonts.shrunk(title, FOOT, 120)
        paper.text(LEFT, self.footer_top - 5.2, title, size=size, ink=QUIET)
        paper.text(RIGHT, self.footer_top - 5.2, page, size=FOOT, align="right", ink=QUIET)
        paper.line(LEFT, self.footer_top - 3.6, RIGHT, ink=self.brand.color)
        for column, lines in enumerate(self.columns):
            x = LEFT + column * (RIGHT - LEFT) / COLUMNS
            for row, text in enumerate(lines):
                paper.text(x, self.footer_top + row * LINE_HEIGHT, text, size=FOOT, ink=QUIET)
        for row, text in enumerate(self.further, 1 - len(self.further)):
            paper.text(LEFT, BOTTOM + row * LINE_HEIGHT, text, size=FOOT, ink=QUIET)
