"""The prices on the form of exhibitors: of categories, of sizes of booths, and their sum.

Amounts are in minor units, rates in hundredths of a percent. The sum is rounded as an invoice is: the
tax of all lines with one rate together.
"""

from dataclasses import dataclass

from eventapi import money, times
from eventapi.languages import formats
from eventapi.pictures import small_business
from eventapi.pictures.words import of_seller


@dataclass(frozen=True, slots=True)
class Prices:
    """How a form shows prices.

    Attributes:
        config: the Config of the organiser.
        day: the last day of the event, which decides whether the organiser is a small business.
        is_gross: whether prices contain tax.
        language: of the page.
        texts: the words of the page.
    """

    config: object
    day: str
    is_gross: bool
    language: str
    texts: dict

    def rate(self, rate):
        """Return the rate of a price, whose own one is None for that of the organiser."""
        if self.config.is_small_business(self.day):
            return 0
        return self.config.tax_rate if rate is None else rate

    def text(self, net, rate):
        """Return a price with its note: `113,05 EUR inkl. 19 % USt`."""
        rate = self.rate(rate)
        return f"{self.amount(net, rate)} {self.note({rate})}".strip()

    def amount(self, net, rate):
        """Return the amount of a price as text. `rate` is the result of `rate`."""
        return self.in_currency(net + money.tax(net, rate) if self.is_gross else net)

    def in_currency(self, units):
        """Return an amount as text."""
        amount = money.major(units, self.config.currency)
        return formats.money(amount, self.config.currency, self.language)

    def note(self, rates):
        """Return what prices with these rates end with: which tax they contain, or that it is added."""
        if self.config.is_small_business(self.day):
            return small_business.price_note(self.config, self.day, self.language)
        taxed = [rate for rate in rates if rate]
        if not taxed:
            return ""
        if not self.is_gross:
            return small_business.price_note(self.config, self.day, self.language)
        tax = of_seller(self.language, {"country": self.config.organiser_country})["tax_rate"]
        if len(set(rates)) > 1:
            return self.texts["price_with_taxes"].format(tax=tax)
        rate = formats.number(money.unscaled(taxed[0], 2), self.language)
        return self.texts["price_with_tax"].format(rate=rate, tax=tax)

    def total(self, lines):
        """Return (amount, note) of the sum of lines (net, rate), whose rates are results of `rate`."""
        nets = {}
        for net, rate in lines:
            nets[rate] = nets.get(rate, 0) + net
        units = sum(nets.values())
        if self.is_gross:
            units += sum(money.tax(net, rate) for rate, net in nets.items())
        return self.in_currency(units), self.note(set(nets))


def of_show(config, show, pages, language, texts):
    """Return the Prices of the form of a show. `pages` are the settings of its pages."""
    day = show["last_day"] or times.today(config.timezone)
    return Prices(config, day, pages["price_display"] == "gross", language, texts)
