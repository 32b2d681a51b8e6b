"""The statement of account of a customer as PDF. The letterhead, the address and the pages are as
on an invoice.

Positions are in millimetres, font sizes in points.
"""

from eventapi.languages import formats
from eventapi.pictures import fonts
from eventapi.pictures.invoice.sheet import Sheet
from eventapi.pictures.letterhead import Letterhead
from eventapi.pictures.paper import LEFT, RIGHT, Paper
from eventapi.pictures.style import PLAIN, QUIET, RULE, SUBTITLE, TABLE, TEXT, TITLE
from eventapi.pictures.words import of_seller

ROW = 5.2
# left edges of the columns, and the right edge of the amounts
TYPE = LEFT + 33
NUMBER = LEFT + 70
AMOUNT = RIGHT - 34


def draw(report, seller, buyer, language, brand=PLAIN):
    """Return the PDF of the account of a customer as bytes.

    The same account results in the same bytes.

    report: API object. seller, buyer: as on an invoice; an anonymised buyer has its number only.

    Raise 501 `not_installed` if reportlab is missing.
    """
    fonts.require()
    with fonts.boxes():
        return Account(report, seller, buyer, language, brand).pdf()


class Account(Sheet):
    """The layout of one statement, from top to bottom. Each currency has a table of its own."""

    def __init__(self, report, seller, buyer, language, brand):
        self.report, self.seller, self.buyer = report, seller, buyer
        self.language, self.words, self.draft = language, of_seller(language, seller), False
        self.locale = formats.of_country(language, seller.get("country"))
        self.number = buyer["customer_number"]
        self.title = f"{self.words['account']} {fonts.clean(self.number)}"
        self.letterhead = Letterhead(seller, brand, language)
        self.paper = Paper(self.letterhead.footer_top - 11, self._begin)

    def pdf(self):
        """Return the PDF as bytes."""
        paper = self.paper
        paper.new_page()
        self._address()
        paper.y += 6
        paper.flow(
            [self.title], size=TITLE, bold=True, line_height=6.8, ink=self.letterhead.brand.ink
        )
        paper.flow([self._period()], size=SUBTITLE, line_height=5.6, ink=QUIET)
        for account in self.report["data"]["accounts"]:
            self._table(account)
        paper.draw_footers(self._footer)
        return paper.pdf(
            title=self.title,
            author=fonts.clean(self.seller.get("name") or ""),
            language=self.language,
        )

    def _info_lines(self):
        """Yield (label, value) of the fields beside the address."""
        yield self.words["issue_date"], self._day(self.report["generated_at"][:10])
        yield self.words["customer_number"], self.number

    def _period(self):
        """Return the period in words. Without a first day, it begins with the first movement."""
        first, last = (self.report["filters"][name] for name in ("date_from", "date_to"))
        last = last or self.report["generated_at"][:10]
        return (
            formats.days(first, last, self.language)
            if first
            else self.words["account_until"].format(day=self._day(last))
        )

    def _table(self, account):
        paper, currency = self.paper, account["currency"]
        paper.y += 5
        paper.reserve(4 * ROW)
        paper.y += ROW
        for x, name in ((LEFT, "issue_date"), (TYPE, "account_type"), (NUMBER, "number")):
            paper.text(x, paper.y, self.words[name], size=TABLE, bold=True, ink=QUIET)
        for x, name in ((AMOUNT, "account_amount"), (RIGHT, "account_balance")):
            paper.text(
                x,
                paper.y,
                f"{self.words[name]} {currency}",
                size=TABLE,
                bold=True,
                ink=QUIET,
                align="right",
            )
        paper.line(LEFT, paper.y + 1.6, RIGHT, thickness=RULE, ink=self.letterhead.brand.color)
        paper.y += 1.6
        if account["opening_balance"] or self.report["filters"]["date_from"]:
            self._row(
                None, self.words["account_opening"], "", None, account["opening_balance"], currency
            )
        for movement in account["movements"]:
            self._row(
                movement["date"],
                self.words[f"account_{movement['type']}"],
                movement["invoice_number"],
                movement["amount"],
                movement["balance"],
                currency,
            )
        paper.reserve(ROW + 4)
        paper.line(LEFT, paper.y + 1.6, RIGHT, thickness=RULE, ink=self.letterhead.brand.color)
        paper.y += ROW + 1.8
        closing = account["closing_balance"]
        label = (
            "account_owed"
            if closing > 0
            else "account_credit"
            if closing < 0
            else "account_settled"
        )
        paper.text(LEFT, paper.y, self.words[label], size=TEXT, bold=True)
        paper.text(
            RIGHT,
            paper.y,
            formats.money(abs(closing), currency, self.locale),
            size=TEXT,
            bold=True,
            align="right",
        )

    def _row(self, date, label, number, amount, balance, currency):
        paper = self.paper
        paper.reserve(ROW)
        paper.y += ROW
        day, number = self._day(date) if date else "", fonts.clean(number)
        for x, text, most in (
            (LEFT, day, TYPE - LEFT - 2),
            (TYPE, label, NUMBER - TYPE - 2),
            (NUMBER, number, AMOUNT - NUMBER - 24),
        ):
            paper.text(x, paper.y, text, size=fonts.shrunk(text, TABLE, most))
        for x, value in ((AMOUNT, amount), (RIGHT, balance)):
            if value is not None:
                paper.text(
                    x,
                    paper.y,
                    formats.amount(value, currency, self.locale),
                    size=TABLE,
                    align="right",
                )
