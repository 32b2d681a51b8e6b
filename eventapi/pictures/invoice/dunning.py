"""Dunning letters as PDF: business letters for window envelopes, with a table of what is claimed.

Positions are in millimetres, font sizes in points.
"""
from eventapi.languages import formats
from eventapi.pictures import fonts
from eventapi.pictures.invoice.closing import CAPTION, CODE
from eventapi.pictures.invoice.sheet import SIZE, Sheet
from eventapi.pictures.letterhead import Letterhead
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import PLAIN, QUIET, RULE, SUBTITLE, TEXT
from eventapi.pictures.words import grouped

LINE_HEIGHT = 4.8
ROW, GAP = 5.4, 4                                   # of the table: height of a row, least space between the columns
LABEL, ACCOUNT = LEFT + 40, LEFT + 38               # left edges of the labels of amounts, and of the bank account


def draw(entry, invoice, seller, buyer, brand=PLAIN):
    """Return the PDF of a letter as bytes. The same letter results in the same bytes.

    entry: the letter, an API object. invoice: API object; its `girocode` is the text of the GiroCode, if it has one.
    seller, buyer: as on the invoice. brand: logo and colour of the seller.

    Raise 501 `not_installed` if reportlab is missing or no installed font has one of the characters.
    """
    fonts.require()
    with fonts.lock:
        return Letter(entry, invoice, seller, buyer, brand).pdf()


class Letter(Sheet):
    """The layout of one letter, from top to bottom. The letterhead, the address and the pages are as on an invoice."""

    def __init__(self, entry, invoice, seller, buyer, brand=PLAIN):
        super().__init__(invoice, seller, buyer, entry["language"], brand=brand)
        self.entry = entry
        self.reference = invoice.get("payment_reference") or self.number
        self.title = f"{fonts.clean(entry['title'])}: {self.words['invoice']} {self.number}"
        self.letterhead = Letterhead(seller, brand, entry["language"], has_bank=not seller.get("iban"))
        self.paper.bottom = self.letterhead.footer_top - 11

    def pdf(self):
        """Return the PDF as bytes."""
        paper = self.paper
        paper.new_page()
        self._address()
        paper.y += 3
        self._title()
        self._paragraphs([self._greeting(), *(self.entry["text"] or "").split("\n\n")])
        self._table()
        self._account()
        self._paragraphs([self.words["regards"], self.seller.get("name") or ""])
        paper.draw_footers(self._footer)
        return paper.pdf(title=self.title, author=fonts.clean(self.seller.get("name") or ""), language=self.language)

    def _greeting(self):
        name = self.buyer.get("contact_name")
        return self.words["hello"].format(name=name) if name else self.words["hello_nobody"]

    def _paragraphs(self, texts):
        for text in filter(None, texts):
            self.paper.y += 3
            self.paper.flow(fonts.wrap(text, TEXT, RIGHT - LEFT), size=TEXT, line_height=LINE_HEIGHT)

    def _info_lines(self):
        """Yield (label, value) of the fields beside the address."""
        yield self.words["issue_date"], formats.day(self.entry["sent_on"], self.language)
        yield self.words["invoice"], f"{self.number}\n{self._of(self.invoice['issue_date'])}"
        yield self.words["due_date"], formats.day(self.entry["due_date"], self.language)
        if self.buyer.get("customer_number"):
            yield self.words["customer_number"], self.buyer["customer_number"]

    def _of(self, day):
        return self.words["of"].format(date=formats.day(day, self.language))

    # What is claimed

    def _table(self):
        paper, rows = self.paper, list(self._rows())
        paper.reserve(ROW * len(rows) + 12)
        paper.y += 5
        for label, amount, is_total in rows:
            if is_total:
                paper.line(LABEL, paper.y + 1.4, RIGHT, thickness=RULE, ink=self.letterhead.brand.color)
                paper.y += 1
            paper.y += ROW
            value, size = formats.money(amount, self.entry["currency"], self.language), SUBTITLE if is_total else SIZE
            room = RIGHT - LABEL - fonts.width(value, size, is_total) - GAP
            fitting = min(size, size * room / fonts.width(label, size, is_total))
            paper.text(LABEL, paper.y, label, size=fitting, bold=is_total)
            paper.text(RIGHT, paper.y, value, size=size, bold=is_total, align="right")
        paper.y += 2

    def _rows(self):
        """Yield (label, amount, whether it is the total)."""
        entry, words = self.entry, self.words
        yield words["claim_open"].format(number=self.number), entry["open_amount"], False
        if entry["costs"]:
            is_lump_sum = entry["lump_sum"] and entry["costs"] == entry["lump_sum"]
            yield words["claim_lump_sum" if is_lump_sum else "claim_costs"], entry["costs"], False
        if entry["interest"]:
            until = formats.day(entry["sent_on"], self.language)
            yield words["claim_interest"].format(until=until), entry["interest"], False
        yield words["claim_total"].format(deadline=formats.day(entry["deadline"], self.language)), \
            entry["total_claim"], True

    def _account(self):
        """Draw the bank account, if there is one."""
        seller, paper = self.seller, self.paper
        if not seller.get("iban"):
            return
        paper.y += 3
        paper.reserve(CODE + CAPTION if self.closing.code else 4 * LINE_HEIGHT)
        top = paper.y
        values = {"holder": seller.get("name"), "iban": grouped(seller["iban"]), "bic": seller.get("bic"),
                  "reference": self.reference}
        for key, value in values.items():
            for row, line in enumerate(fonts.wrap(value, SIZE, RIGHT - ACCOUNT - CODE) if value else ()):
                paper.y += LINE_HEIGHT
                if not row:
                    paper.text(LEFT, paper.y, self.words[key], size=SIZE, ink=QUIET)
                paper.text(ACCOUNT, paper.y, line, size=SIZE)
        if self.closing.code:
            self.closing.draw_code(paper, top)
            paper.y = max(paper.y, top + CODE + CAPTION)
