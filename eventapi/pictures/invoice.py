"""Invoices and credit notes as PDF: business letters for window envelopes (DIN 5008, form B).

They contain the details that Directive 2006/112/EC, Art. 226 requires.
Positions are in millimetres, font sizes in points.
"""
from decimal import Decimal
from itertools import zip_longest

from eventapi.languages import formats, names
from eventapi.pictures import fonts
from eventapi.pictures.paper import GREY, LEFT, PALE, RIGHT, Paper
from eventapi.pictures.words import WORDS, address, grouped, tax_reasons

SIZE, SMALL = 8.5, 7
LINE_HEIGHT, SMALL_LINE_HEIGHT = 4, 3.2
INFO, INFO_VALUE = 122, 152                         # left edges of the labels and the values beside the address
INFO_FIELDS = ("invoice_number", "issue_date", "service_date", "due_date", "related_invoice_number", "customer_number",
               "buyer_vat_id", "buyer_reference")
ADDRESS, ADDRESS_WIDTH, ADDRESS_HEIGHT = 66, 80, 26
UNBROKEN = 8                                        # an item with at most this many lines is kept on one page
NUMBERS = ("quantity", "unit_price", "discount_percent", "tax_rate", "net")         # columns that are aligned right


def draw(invoice, seller, buyer, language, is_copy=False):
    """Return the PDF of an invoice (API object) as bytes. The same invoice results in the same bytes.

    `is_copy` marks it as a copy on every page.

    Raise 501 `not_installed` if reportlab is missing or no installed font has one of the characters.
    """
    fonts.require()
    with fonts.lock:
        return Sheet(invoice, seller, buyer, language, is_copy).pdf()


class Sheet:
    """The layout of one invoice, from top to bottom."""

    def __init__(self, invoice, seller, buyer, language, is_copy=False):
        self.invoice, self.seller, self.buyer = invoice, seller, buyer
        self.language, self.words = language, WORDS[language]
        self.draft = invoice["status"] == "draft"
        self.number = fonts.clean(invoice["invoice_number"])
        self.title = f"{self.words[invoice['invoice_type']]} {self.number}"
        if self.draft:
            self.title = f"{self.words['draft']}: {self.title}"
        if is_copy:
            self.title = f"{self.title} ({self.words['copy']})"
        self.imprint = self._imprint()
        self.footer_top = 287 - SMALL_LINE_HEIGHT * max(map(len, self.imprint))
        self.paper = Paper(self.footer_top - 11, self._begin)

    def pdf(self):
        """Return the PDF as bytes."""
        self.paper.new_page()
        self._letterhead()
        self._heading()
        self._items()
        self._totals()
        self._payment()
        self.paper.draw_footers(self._footer)
        author = fonts.clean(self.seller.get("name") or "")
        return self.paper.pdf(title=self.title, author=author, language=self.language)

    def _text(self, key, **values):
        """Return a text of words.py in the language of the invoice."""
        return self.words[key].format(currency=self.invoice["currency"], **values)

    def _money(self, value):
        return formats.amount(value, self.invoice["currency"], self.language)

    def _sum(self, value):
        return formats.money(value, self.invoice["currency"], self.language)

    # Pages

    def _begin(self, paper):
        if self.draft:
            paper.watermark(self.words["draft"])
        paper.y = 20
        if len(paper.pages) > 1:
            paper.flow(fonts.wrap(self.title, SIZE, RIGHT - LEFT), size=SIZE, ink=GREY)
            paper.y += 4
        else:
            for y in (105, 148.5, 210):             # fold marks and, in the middle, the mark for hole punches
                paper.line(4, y, 8, ink=GREY)

    def _imprint(self):
        """Return the three columns of the seller's data in the footer, as lists of lines."""
        seller, columns = self.seller, (RIGHT - LEFT) / 3 - 4
        lines = [address(seller, self.language), [seller.get("email"), *self._labelled(seller, "vat_id", "tax_number")],
                 [*self._labelled({**seller, "iban": grouped(seller.get("iban"))}, "iban", "bic")]]
        return [[line for text in column for line in fonts.wrap(text, SMALL, columns)] for column in lines]

    def _labelled(self, party, *fields):
        return [f"{self.words[field]} {party[field]}" for field in fields if party.get(field)]

    def _footer(self, page, pages):
        paper = self.paper
        size = fonts.shrunk(self.title, SMALL, 120)
        paper.text(LEFT, self.footer_top - 5, self.title, size=size, ink=GREY)
        text = self._text("page", page=page, pages=pages)
        paper.text(RIGHT, self.footer_top - 5, text, size=SMALL, align="right", ink=GREY)
        paper.line(LEFT, self.footer_top - 3, RIGHT, ink=GREY)
        for column, lines in enumerate(self.imprint):
            x = LEFT + column * (RIGHT - LEFT) / 3
            for row, text in enumerate(lines):
                paper.text(x, self.footer_top + row * SMALL_LINE_HEIGHT, text, size=SMALL, ink=GREY)

    # Letterhead

    def _letterhead(self):
        paper = self.paper
        paper.flow(fonts.wrap(self.seller.get("name"), 15, RIGHT - LEFT, True)[:3], size=15, bold=True, line_height=6.5)
        sender = " · ".join(fonts.clean(part) for part in address(self.seller, self.language)[:3])
        paper.text(LEFT, 60, sender, size=fonts.shrunk(sender, SMALL, ADDRESS_WIDTH), ink=GREY)
        paper.line(LEFT, 61, LEFT + ADDRESS_WIDTH, ink=GREY)
        paper.y = max(self._recipient(), self._info(), 94)

    def _recipient(self):
        """Draw the address in the window, in a smaller size if it is long. Return the position below it."""
        texts = address(self.buyer, self.language, home_country=self.seller.get("country"))
        for size in (10, 9, 8, 7, 6):
            lines = [line for text in texts for line in fonts.wrap(text, size, ADDRESS_WIDTH)]
            line_height = size * 0.43
            if len(lines) * line_height <= ADDRESS_HEIGHT:
                break
        for row, text in enumerate(lines):
            self.paper.text(LEFT, ADDRESS + row * line_height, text, size=size)
        return ADDRESS + len(lines) * line_height

    def _info(self):
        """Draw numbers, dates and references beside the address. Return the position below them."""
        y = 50
        values = {**self.invoice, "buyer_vat_id": self.buyer.get("vat_id"),
                  "customer_number": self.buyer.get("customer_number")}
        if self.invoice["invoice_type"] == "credit_note":
            values["due_date"] = None
        for field in INFO_FIELDS:
            value = values.get(field)
            if not value:
                continue
            label = self.words["number" if field == "invoice_number" else field]
            self.paper.text(INFO, y, label, size=SIZE, ink=GREY)
            text = formats.day(value, self.language) if field.endswith("_date") else value
            for line in fonts.wrap(text, SIZE, RIGHT - INFO_VALUE):
                self.paper.text(INFO_VALUE, y, line, size=SIZE)
                y += LINE_HEIGHT
        return y

    def _heading(self):
        paper = self.paper
        paper.y += 3
        paper.flow(fonts.wrap(self.title, 14, RIGHT - LEFT, True), size=14, bold=True, line_height=6.5)
        paper.y += 2
        paper.flow(fonts.wrap(self.invoice.get("text"), SIZE + 0.5, RIGHT - LEFT), size=SIZE + 0.5)
        paper.y += 4

    # Table of items. `headings` and `columns` are dicts by the name of the column.

    def _items(self):
        rows = [self._item(item) for item in self.invoice["items"]]
        headings = {name: self._text(name) for name in rows[0]} if rows else {}
        if all(not item.get("discount_percent") for item in self.invoice["items"]):
            headings.pop("discount_percent", None)
        columns = _columns(headings, rows)
        self._headings(headings, columns)
        for row in rows:
            self._row({name: fonts.wrap(row[name], SIZE, columns[name][1]) for name in headings}, headings, columns)

    def _item(self, item):
        """Return the texts of a row, in the order of the columns."""
        discount = item.get("discount_percent")
        return {"position": str(item["position"]), "description": item["description"],
                "quantity": formats.number(item["quantity"], self.language),
                "unit": names.unit(item.get("unit"), self.language) or "",
                "unit_price": self._money(item["unit_price"]),
                "discount_percent": self._percent(discount) if discount else "",
                "tax_rate": self._percent(item["tax_rate"]), "net": self._money(item["net"])}

    def _percent(self, value):
        return formats.percent(value, self.language)

    def _headings(self, headings, columns):
        self.paper.reserve(4 * LINE_HEIGHT)
        self.paper.y += LINE_HEIGHT
        for name, text in headings.items():
            self._cell(name, columns[name], text, bold=True)
        self.paper.y += 1.6
        self.paper.line(LEFT, self.paper.y, RIGHT, thickness=0.3)
        self.paper.y += 0.6

    def _row(self, cells, headings, columns):
        lines = list(zip_longest(*cells.values(), fillvalue=""))
        needed = min(len(lines), UNBROKEN)
        for place, line in enumerate(lines):
            if self.paper.y + (LINE_HEIGHT * needed if place == 0 else LINE_HEIGHT) > self.paper.bottom:
                self.paper.new_page()
                self._headings(headings, columns)
            self.paper.y += LINE_HEIGHT
            for name, text in zip(cells, line, strict=True):
                self._cell(name, columns[name], text)
        self.paper.y += 1.4
        self.paper.line(LEFT, self.paper.y, RIGHT, ink=PALE)
        self.paper.y += 0.4

    def _cell(self, name, column, text, **style):
        left, wide = column
        if text and name in NUMBERS:
            self.paper.text(left + wide, self.paper.y, text, size=SIZE, align="right", **style)
        elif text:
            self.paper.text(left, self.paper.y, text, size=SIZE, **style)

    # Totals

    def _totals(self):
        invoice, paper = self.invoice, self.paper
        found = tax_reasons(invoice["taxes"], self.words)
        reasons = [line for reason in found for line in fonts.wrap(reason, SIZE, RIGHT - LEFT)]
        paper.reserve(min((len(invoice["taxes"]) + len(reasons) + 6) * 5, 200))
        paper.y += 2
        self._amount(self._text("subtotal"), invoice["subtotal"])
        for tax in invoice["taxes"]:
            kind = "" if tax["category"] == "S" else f" ({tax['category']})"
            label = self._text("tax", rate=self._percent(tax["rate"]), kind=kind, net=self._money(tax["net"]))
            self._amount(label, tax["tax"])
        self._total(self._text("total"), invoice["total"])
        if invoice.get("paid_amount") and invoice["invoice_type"] == "invoice":
            self._amount(self._text("paid"), -_decimal(invoice["paid_amount"]))
            self._total(self._text("open"), invoice["open_amount"])
        paper.y += 3
        paper.flow(reasons, size=SIZE, line_height=LINE_HEIGHT)

    def _amount(self, label, value, **style):
        self.paper.reserve(5)
        self.paper.y += 5
        self.paper.text(LEFT + 80, self.paper.y, label, size=9, **style)
        self.paper.text(RIGHT, self.paper.y, self._money(value), size=9, align="right", **style)

    def _total(self, label, value):
        self.paper.reserve(8)
        self.paper.y += 2
        self.paper.line(LEFT + 80, self.paper.y, RIGHT, thickness=0.3)
        self._amount(label, value, bold=True)

    def _payment(self):
        paper, rows = self.paper, self._bank_account()
        sentence = fonts.wrap(self._terms(), 9, RIGHT - LEFT)
        paper.reserve(6 + LINE_HEIGHT * (len(sentence) + sum(len(lines) for _, lines in rows)))
        paper.y += 4
        paper.flow(sentence, size=9)
        paper.y += 1.5
        for label, lines in rows:
            paper.text(LEFT, paper.y + LINE_HEIGHT, label, size=SIZE, ink=GREY)
            paper.flow(lines, x=LEFT + 32, size=SIZE, line_height=LINE_HEIGHT)

    def _bank_account(self):
        """Return (label, lines) of the seller's bank account, or nothing if there is no amount due or no IBAN."""
        seller = self.seller
        is_credit_note = self.invoice["invoice_type"] == "credit_note"
        if is_credit_note or _decimal(self.invoice["open_amount"]) <= 0 or not seller.get("iban"):
            return []
        values = {"holder": seller.get("name"), "iban": grouped(seller["iban"]), "bic": seller.get("bic")}
        return [(self.words[key], fonts.wrap(value, SIZE, RIGHT - LEFT - 32)) for key, value in values.items() if value]

    def _terms(self):
        """Return the sentence about payment or refund."""
        invoice = self.invoice
        if invoice["invoice_type"] == "credit_note":
            related, amount = invoice.get("related_invoice_number"), self._sum(-_decimal(invoice["total"]))
            return self._text("refund" if related else "refund_unnamed", related=related, amount=amount)
        if _decimal(invoice["open_amount"]) <= 0:
            return self._text("settled")
        due = invoice.get("due_date")
        return self._text("pay_by" if due else "pay", amount=self._sum(invoice["open_amount"]), number=self.number,
                          due_date=due and formats.day(due, self.language))


def _decimal(value):
    return Decimal(str(value))


def _columns(headings, rows):
    """Return (left edge, width) by column. The description takes the width that the other columns leave."""
    def widest(name):
        texts = [fonts.width(fonts.clean(row[name]), SIZE) for row in rows]
        wide = max([fonts.width(headings[name], SIZE, True), *texts])
        return min(wide, 22) if name == "unit" else wide
    gap = 4
    wide = {name: widest(name) for name in headings if name != "description"}
    if headings:
        wide["description"] = max(RIGHT - LEFT - sum(wide.values()) - gap * len(wide), 20)
    columns, x = {}, LEFT
    for name in headings:
        columns[name] = (x, wide[name] + 0.01)
        x += wide[name] + gap
    return columns
