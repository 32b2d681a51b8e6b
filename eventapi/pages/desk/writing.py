"""How the desk writes values: amounts, dates, times, numbers and countries."""

from dataclasses import dataclass

from eventapi import times
from eventapi.languages import countries, formats
from eventapi.pages.desk import labels
from eventapi.web.html import page_requests


@dataclass(frozen=True, slots=True)
class Writer:
    """Values as text, in a language and a time zone. A value that is None is "".

    Templates have one as `write`. `currency` is that of the organiser, for records without one.
    """

    language: str
    zone: str
    currency: str = ""

    def money(self, value, currency):
        """Return an amount with the code of its currency: `EUR 1,190.00`."""
        return "" if value is None else formats.money(value, currency, self.language)

    def amount(self, value, currency):
        """Return an amount with the decimals of its currency, without its code: `1,190.00`."""
        return "" if value is None else formats.amount(value, currency, self.language)

    def number(self, value):
        """Return a number."""
        return "" if value is None else formats.number(value, self.language)

    def invoice(self, number):
        """Return the number of an invoice; that of a draft as `Draft 1`."""
        return labels.invoice_number(page_requests.words(labels.PACKAGE, self.language), number)

    def size(self, plan):
        """Return width and height of a plan: `30 × 20 m`."""
        return f"{self.number(plan['width'])} × {self.number(plan['height'])} m"

    def day(self, value):
        """Return a date, or the date of a time: `1 May 2026`."""
        return formats.day(times.local_date(value, self.zone), self.language) if value else ""

    def moment(self, value):
        """Return a time with its date."""
        return formats.moment(value, self.zone, self.language) if value else ""

    def clock(self, value):
        """Return the time of day of a timestamp: `14:30`."""
        return times.local_time(value, self.zone) if value else ""

    def show(self, event):
        """Return the title of a show with its month: `Blütenland · Mai 2027`."""
        return labels.show_name(event, self.language, event.get("timezone") or self.zone)

    def dates(self, event):
        """Return the days of a show: `13.–14.03.2027`."""
        first, last = (
            times.local_date(day, event.get("timezone") or self.zone) if day else None
            for day in (event["date_from"], event["date_to"])
        )
        return formats.days(first, last, self.language)

    def country(self, code):
        """Return the name of a country."""
        return countries.name(code, self.language) if code else ""
