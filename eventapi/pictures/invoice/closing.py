"""What follows the items of an invoice: totals, why no tax is charged, and payment.

Positions are in millimetres, font sizes in points.
"""

from decimal import Decimal

from eventapi.languages import formats
from eventapi.pictures import fonts, small_business
from eventapi.pictures.invoice import giro
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import QUIET, RULE, SUBTITLE, TABLE
from eventapi.pictures.words import grouped, of_seller

SIZE, LINE_HEIGHT = TABLE, 4.4
AMOUNT, TOTAL = 5, 7  # heights of an amount and of a total with the line above it
LABEL = LEFT + 80  # left edge of the labels of amounts
ACCOUNT = LEFT + 38  # left edge of the bank account
CODE, CAPTION = 32, 4  # width of the GiroCode with its quiet zone; height of its caption


class Closing:
    """The part of an invoice (API object) below its items, which stays on one page if a page has
    room for it.

    notes: the tax_notes.Notes of the invoice.
    height: height in millimetres.
    account: (label, lines) of the bank account; empty if nothing is to be paid to it.
    code: text of the GiroCode beside the bank account, or None.
    """

    def __init__(self, invoice, seller, language, brand, notes):
        self.invoice, self.seller, self.language = invoice, seller, language
        self.notes = notes
        self.words, self.brand = of_seller(language, seller), brand
        self.locale = formats.of_country(language, seller.get("country"))
        self.draft = invoice["status"] == "draft"
        self.amounts = list(self._amounts())
        self.reasons = [
            line for text in notes.texts for line in fonts.wrap(text, SIZE, RIGHT - LEFT)
        ]
        self.code = None if self.draft else invoice.get("girocode")
        self.account = self._account()
        self.terms = [
            line for text in self._terms() for line in fonts.wrap(text, SIZE, RIGHT - LEFT)
        ]
        lines = len(self.reasons) + len(self.terms)
        amounts = sum(TOTAL if is_total else AMOUNT for _, _, is_total in self.amounts)
        self.height = amounts + (lines + 1) * LINE_HEIGHT + 12 + self._account_height()

    def draw(self, paper):
        """Add the closing, on a new page if this one has no room for it."""
        paper.reserve(min(self.height, 200))
        paper.y += 2
        for label, value, is_total in self.amounts:
            self._amount(paper, label, value, is_total)
        paper.y += 3
        paper.flow(self.reasons, size=SIZE, line_height=LINE_HEIGHT)
        paper.y += 4
        paper.flow(self.terms, size=SIZE, line_height=LINE_HEIGHT)
        paper.y += 1.5
        paper.reserve(self._account_height())
        top = paper.y
        for label, lines in self.account:
            paper.text(LEFT, paper.y + LINE_HEIGHT, label, size=SIZE, ink=QUIET)
            paper.flow(lines, x=ACCOUNT, size=SIZE, line_height=LINE_HEIGHT)
        if self.code:
            self.draw_code(paper, top)
            paper.y = max(paper.y, top + CODE + CAPTION)

    def _account_height(self):
        text = sum(len(lines) for _, lines in self.account) * LINE_HEIGHT
        return max(text, CODE + CAPTION) if self.code else text

    def draw_code(self, paper, y):
        """Add the GiroCode. The right edge of its modules is that of the page."""
        module = CODE / giro.width(self.code)
        quiet = giro.QUIET * module
        paper.area(RIGHT - CODE + 2 * quiet, y + quiet, module, giro.rings(self.code))
        caption = self.words["girocode"]
        paper.text(
            RIGHT,
            y + CODE + 1.5,
            caption,
            size=fonts.shrunk(caption, 6.5, CODE),
            align="right",
            ink=QUIET,
        )

    def _amount(self, paper, label, value, is_total):
        paper.reserve(TOTAL if is_total else AMOUNT)
        if is_total:
            paper.y += TOTAL - AMOUNT
            paper.line(LABEL, paper.y, RIGHT, thickness=RULE, ink=self.brand.color)
        paper.y += AMOUNT
        for x, text, align in ((LABEL, label, "left"), (RIGHT, self._number(value), "right")):
            paper.text(
                x, paper.y, text, size=SUBTITLE if is_total else SIZE, bold=is_total, align=align
            )

    def _amounts(self):
        """Yield (label, amount, whether it is a total).

        An invoice of a small business shows no tax, and its net total is its total.
        """
        invoice = self.invoice
        is_small_business = small_business.is_invoice(invoice)
        if not is_small_business:
            yield self._text("subtotal"), invoice["subtotal"], False
        for tax in () if is_small_business else invoice["taxes"]:
            rate = formats.percent(tax["rate"], self.locale)
            mark = self.notes.mark(tax["category"], tax["rate"])
            yield (
                self._text("tax", rate=f"{rate}{mark}", net=self._number(tax["net"])),
                tax["tax"],
                False,
            )
        if len(invoice["taxes"]) > 1 and not is_small_business:
            yield self._text("tax_total"), invoice["tax_total"], False
        yield self._text("total"), invoice["total"], True
        if invoice.get("tax_in_tax_currency") is not None and not is_small_business:
            rate = formats.number(invoice["exchange_rate"], self.locale)
            label = self._text("tax_in", tax_currency=invoice["tax_currency"], rate=rate)
            yield label, invoice["tax_in_tax_currency"], False
        if invoice.get("paid_amount") and invoice["invoice_type"] == "invoice":
            yield from self._paid_before()
            yield self._text("open"), invoice["open_amount"], True

    def _paid_before(self):
        """Yield the rows of what was paid before: the credit of other invoices, and the rest."""
        paid = Decimal(str(self.invoice["paid_amount"]))
        for credit in self.invoice.get("counted_credits", ()):
            amount = Decimal(str(credit["amount"]))
            number = fonts.clean(credit["invoice_number"])
            yield self._text("offset", number=number), -amount, False
            paid -= amount
        if paid:
            yield self._text("paid"), -paid, False

    # Payment

    def _terms(self):
        """Yield the sentence about payment or refund, and the one about default.

        A draft asks for nothing.
        """
        yield self._payment()
        if self.invoice.get("interest_notice") and self._is_open():
            yield self._text("interest_notice")

    def _payment(self):
        """Return the sentence about payment or refund."""
        invoice = self.invoice
        if self.draft:
            return self._text("not_valid")
        if invoice["invoice_type"] == "credit_note":
            related = invoice.get("related_invoice_number")
            amount = self._sum(-Decimal(str(invoice["total"])))
            return self._text(
                "refund" if related else "refund_unnamed", related=related, amount=amount
            )
        if not self._is_open():
            return self._text("settled")
        due, kind = invoice.get("due_date"), "transfer" if self.account else "pay"
        return self._text(
            f"{kind}_by" if due else kind,
            amount=self._sum(invoice["open_amount"]),
            number=fonts.clean(invoice["invoice_number"]),
            due_date=due and formats.day(due, self.language),
        )

    def _account(self):
        """Return (label, lines) of the seller's bank account, or nothing if there is no amount due
        or no IBAN.
        """
        seller = self.seller
        if self.draft or not self._is_open() or not seller.get("iban"):
            return []
        reference = self.invoice.get("payment_reference") or self.invoice["invoice_number"]
        if giro.is_creditor_reference(reference):
            reference = grouped(reference)
        values = {
            "holder": seller.get("name"),
            "iban": grouped(seller["iban"]),
            "bic": seller.get("bic"),
            "reference": fonts.clean(reference),
        }
        room = RIGHT - ACCOUNT - (CODE if self.code else 0)
        return [
            (self.words[key], fonts.wrap(value, SIZE, room))
            for key, value in values.items()
            if value
        ]

    def _is_open(self):
        return (
            self.invoice["invoice_type"] == "invoice"
            and Decimal(str(self.invoice["open_amount"])) > 0
        )

    # Texts

    def _text(self, key, **values):
        """Return a text of words.py in the language of the invoice."""
        return self.words[key].format(currency=self.invoice["currency"], **values)

    def _number(self, value):
        return formats.amount(value, self.invoice["currency"], self.locale)

    def _sum(self, value):
        return formats.money(value, self.invoice["currency"], self.locale)
