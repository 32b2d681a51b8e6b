"""The fields of the pages about the organiser, and a form of one page.

A field has the name of its option. Its value is that of the API (resources/settings.py), its text
what somebody reads and types (company_values.py).
"""

from dataclasses import dataclass

from eventapi import money
from eventapi.config.option import BANK, COMPANY, DATEV, DUNNING, INVOICES, LOOK, MAILS, TAXES
from eventapi.domain.organiser import settings
from eventapi.languages import countries, formats
from eventapi.languages.choice import AVAILABLE
from eventapi.pages.desk import labels
from eventapi.pages.office import company_values
from eventapi.storage.database import as_json
from eventapi.web.rest import etag

TEXT, NUMBER, PERCENT, MONEY, LINES = "text", "number", "percent", "money", "lines"
SELECT, RADIOS, YES_OR_NO, DATED, COLOR, LOGO = (
    "select",
    "radios",
    "yes_or_no",
    "dated",
    "color",
    "logo",
)
SPREAD = (RADIOS, YES_OR_NO, DATED)  # kinds whose options stand one below the other
SINCE = "/since"  # ends the name of the input for the month of a DATED field


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a page.

    `words` are the values of a choice, as far as they are not read from elsewhere. `autocomplete`
    and `inputmode` are those of HTML.
    """

    name: str
    kind: str = TEXT
    words: tuple = ()
    autocomplete: str = "off"
    inputmode: str = "text"


# page -> rows of fields, of which a wide screen shows those of a row side by side
ROWS = {
    COMPANY: (
        (Field("organiser_name", autocomplete="organization"),),
        (Field("organiser_street", autocomplete="street-address"),),
        (
            Field("organiser_postal_code", autocomplete="postal-code"),
            Field("organiser_city", autocomplete="address-level2"),
        ),
        (Field("organiser_country", SELECT),),
        (
            Field("organiser_email", autocomplete="email", inputmode="email"),
            Field("organiser_phone", autocomplete="tel", inputmode="tel"),
        ),
        (Field("organiser_contact"),),
        (Field("language", SELECT, ("", *AVAILABLE)),),
        (Field("organiser_register_number"), Field("organiser_register_court")),
        (Field("organiser_directors"),),
        (Field("organiser_electronic_address"),),
        (Field("timezone"), Field("currency", SELECT)),
    ),
    BANK: (
        (Field("organiser_iban"), Field("organiser_bic")),
        (Field("bank_accounts", LINES),),
        (Field("payment_reference", RADIOS, ("number", "rf")),),
        (Field("payment_tolerance", MONEY, inputmode="decimal"),),
    ),
    TAXES: (
        (Field("organiser_vat_id"), Field("organiser_tax_number")),
        (Field("tax_rate", PERCENT, inputmode="decimal"),),
        (Field("small_business", DATED, ("no", "yes")),),
        (Field("tax_basis", DATED, ("supply", "payment", "issue_date")),),
        (Field("exchange_rates", LINES),),
    ),
    INVOICES: (
        (Field("invoice_number_format"), Field("credit_note_number_format")),
        (Field("payment_days", NUMBER, inputmode="numeric"),),
        (Field("interest_notice", YES_OR_NO, ("no", "yes")),),
        (Field("organiser_footer", LINES),),
    ),
    DUNNING: (
        (Field("dunning_minimum", MONEY, inputmode="decimal"),),
        (Field("interest_begins", RADIOS, ("due_date", "first_letter", "thirty_days")),),
        (Field("base_rates", LINES),),
        (Field("public_holidays", LINES),),
    ),
    MAILS: ((Field("mail_signature", LINES),),),
    LOOK: (
        (Field("organiser_logo", LOGO),),
        (Field("organiser_color", COLOR),),
        (Field("start_page", SELECT, settings.START_PAGES),),
        (Field("imprint_url", inputmode="url"), Field("privacy_url", inputmode="url")),
    ),
    DATEV: (
        (
            Field("datev_adviser", NUMBER, inputmode="numeric"),
            Field("datev_client", NUMBER, inputmode="numeric"),
        ),
        (
            Field("datev_chart", SELECT, ("", "03", "04")),
            Field("datev_account_length", NUMBER, inputmode="numeric"),
        ),
        (
            Field("datev_fiscal_year_start", SELECT),
            Field("datev_debtor_base", NUMBER, inputmode="numeric"),
        ),
        (Field("datev_debtors", LINES),),
        (
            Field("datev_bank", inputmode="numeric"),
            Field("datev_deposits", inputmode="numeric"),
        ),
        (
            Field("datev_fees", inputmode="numeric"),
            Field("datev_claims", inputmode="numeric"),
        ),
        (
            Field("datev_exchange_gains", inputmode="numeric"),
            Field("datev_exchange_losses", inputmode="numeric"),
        ),
        (Field("datev_revenue", LINES), Field("datev_write_offs", LINES)),
        (Field("datev_gateways", LINES),),
    ),
}
# Fields that few people need. Their page has them folded, at its end.
RARE = frozenset(
    (
        "organiser_register_number",
        "organiser_register_court",
        "organiser_directors",
        "organiser_electronic_address",
        "timezone",
        "currency",
    )
)


def fields_of(page):
    """Return the fields of a page, in their order."""
    return [field for row in ROWS[page] for field in row]


@dataclass(frozen=True, slots=True)
class Entry:
    """A field as the template shows it.

    `text` and `since` are what the input has, `reading` is the value as words. `closed` is the
    sentence that says why nobody can change it here, or None. `options` are (value, label).
    """

    field: Field
    label: str
    help: str
    aside: str
    text: str
    since: str
    reading: str
    options: list
    closed: str | None
    fault: str | None

    @property
    def is_long(self):
        """Return whether a value that is closed needs more than one line, also on a phone."""
        return self.field.kind == LINES or len(self.reading) > 30

    @property
    def lines(self):
        """Return the height of a text with several lines."""
        return min(12, max(3, self.text.count("\n") + 1))


class Form:
    """The form of one page for the settings `record`, as the API returns them.

    `texts` are the words of the pages, `locked` the names that stay as they are, `offered` further
    options of a field: name -> [(value, label)]. `today` is a date.
    """

    def __init__(self, page, record, texts, language, *, today, locked=(), offered=None):
        self.page, self.record, self.texts, self.language = page, record, texts, language
        self.today, self.offered = today, offered or {}
        self.fields = fields_of(page)
        self.names = [field.name for field in self.fields]
        by_administrator = [name for name in self.names if name in record["set_by_administrator"]]
        self.closed = {name: "setting_closed" for name in by_administrator}
        for name in locked:
            self.closed.setdefault(name, "setting_locked")

    @property
    def is_open(self):
        """Return whether a field can be changed."""
        return any(field.name not in self.closed for field in self.fields if field.kind != LOGO)

    @property
    def tag(self):
        """Return a tag of all that the page shows. Another one means that somebody has changed it."""
        shown = {name: self.record.get(name) for name in self.names if name != "organiser_logo"}
        return etag(as_json({**shown, "closed": self.closed})).strip('"')

    # Texts

    def given(self):
        """Return the texts of the inputs for the settings as they are."""
        found = {}
        for field in self.fields:
            self._write(field, found)
        return found

    def _write(self, field, found):
        if field.kind == LOGO:
            return
        value = self.record[field.name]
        if field.kind == DATED:
            day, word = company_values.entries(value)[-1]
            found[field.name] = word
            found[field.name + SINCE] = company_values.shown_day(day, self.language)
        else:
            found[field.name] = self._text(field, value)

    def _text(self, field, value):
        if value is None:
            return ""
        if field.kind == LINES:
            return company_values.shown_parts(field.name, value, self.language)
        if field.kind == YES_OR_NO:
            return "yes" if value else "no"
        if field.kind == MONEY:
            return company_values.shown_amount(value, self._currency, self.language)
        if field.kind in (NUMBER, PERCENT):
            return company_values.shown_number(value, self.language)
        if field.name == "organiser_iban":
            return company_values.account(value)
        return str(value)

    @property
    def _currency(self):
        currency = self.record["currency"]
        return currency if currency in money.CURRENCIES else "EUR"

    def typed(self, sent):
        """Return the texts of the inputs that a form has sent: name -> text."""
        inputs = self.given()
        return {**inputs, **{name: texts[0] for name, texts in sent.items() if name in inputs}}

    # Values

    def body(self, sent):
        """Return the fields of the API that the texts of a form mean.

        What the form does not have, such as a field that is closed, is left out and stays.
        """
        return {
            field.name: self._value(field, sent)
            for field in self.fields
            if field.name in sent and field.kind != LOGO
        }

    def _value(self, field, sent):
        text = sent[field.name][0].strip()
        if field.kind == DATED:
            since = company_values.day_of(sent.get(field.name + SINCE, [""])[0])
            stored = self.record[field.name]
            return company_values.with_change(stored, text, since, self.today)
        if field.kind == LINES:
            return company_values.parts(field.name, text) or None
        if not text:
            return None
        if field.kind == YES_OR_NO:
            return {"yes": True, "no": False}.get(text, text)
        if field.kind == MONEY:
            return company_values.number(text, self.language, "€", self._currency)
        if field.kind == PERCENT:
            return company_values.number(text, self.language, "%")
        if field.kind == NUMBER:
            return company_values.number(text, self.language)
        return text

    # What a template shows

    def label(self, name):
        """Return the label of a setting."""
        return labels.label(self.texts, "settings", name)[0]

    def rows(self, given, faulty, *, may_write):
        """Return the rows of Entries, those of RARE left out, and the rows of RARE."""
        rows = [
            [self.entry(field, given, faulty, may_write=may_write) for field in row]
            for row in ROWS[self.page]
        ]
        usual = [row for row in rows if row[0].field.name not in RARE]
        return usual, [row for row in rows if row[0].field.name in RARE]

    def entry(self, field, given, faulty, *, may_write):
        """Return the Entry of a field with the texts `given` and the sentences `faulty`."""
        name = field.name
        label, help = labels.label(self.texts, "settings", name)
        closed = None
        if name in self.closed:
            closed = self.texts[self.closed[name]].format(option=name)
        elif not may_write:
            closed = ""
        aside = self._currency if field.kind == MONEY else self.texts.get(f"aside_{name}", "")
        return Entry(
            field,
            label,
            help,
            aside,
            given.get(name, ""),
            given.get(name + SINCE, ""),
            self.reading(name),
            self.options(field, given.get(name, "")),
            closed,
            faulty.get(name),
        )

    def options(self, field, text=""):
        """Return (value, label) of the options of a choice, with the one that it has."""
        if field.kind not in (SELECT, *SPREAD):
            return []
        found = [(word, self.texts[f"{field.name}={word}"]) for word in field.words]
        if field.name == "organiser_country":
            named = ((code, countries.name(code, self.language)) for code in countries.NAMES)
            found = sorted(named, key=lambda pair: pair[1])
        elif field.name == "currency":
            found = [(code, code) for code in sorted(money.CURRENCIES)]
        elif field.name == "datev_fiscal_year_start":
            days = [f"{month:02}-01" for month in range(1, 13)]
            found = [(day, self._day_of_year(day)) for day in days]
        found += self.offered.get(field.name, [])
        is_known = text in [value for value, _ in found]
        return found if is_known or field.kind in SPREAD else [*found, (text, text)]

    def _day_of_year(self, day):
        return formats.day(f"2000-{day}", self.language).removesuffix("2000").strip()

    def reading(self, name, given=None):
        """Return the value of a setting as words: what is stored, or the texts `given`."""
        field = next(field for field in self.fields if field.name == name)
        texts = self.given() if given is None else given
        if field.kind == LOGO:
            return self._reading_of_logo()
        text = texts.get(name, "")
        if field.kind == DATED and given is None:
            return self._history(field)
        text = dict(self.options(field, text)).get(text, text)
        since = texts.get(name + SINCE)
        if since:
            return self.texts["setting_since"].format(value=text, since=since)
        return text

    def _reading_of_logo(self):
        logo = self.record["logo"]
        if logo is None:
            return self.texts["logo_none"]
        return self.texts["logo_pixels"].format(width=logo["width"], height=logo["height"])

    def _history(self, field):
        """Return all parts of a value that changes: `no · from 01/2027 yes`."""
        found = []
        for day, word in company_values.entries(self.record[field.name]):
            label = dict(self.options(field)).get(word, word)
            since = company_values.shown_day(day, self.language)
            if since:
                label = self.texts["setting_since"].format(value=label, since=since)
            found.append(label)
        return " · ".join(found)

    def differences(self, given):
        """Return (name, stored, typed) of the fields whose texts are not those of the settings."""
        stored = self.given()
        return [
            (name, self.reading(name, stored), self.reading(name, given))
            for name in self.names
            if any(given.get(each) != stored.get(each) for each in (name, name + SINCE))
        ]
