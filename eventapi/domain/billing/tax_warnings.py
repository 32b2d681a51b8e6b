"""Warnings about the tax of an invoice and what it follows from: what is the case, and the way out.

None of them prevents sending. The English sentence is that of the API. `values` of a warning has its facts, so that
the desk writes the sentence in German.
"""

from string import Formatter

from eventapi import money, times
from eventapi.domain.billing import service_days
from eventapi.domain.books import regions
from eventapi.domain.einvoices_sent.requirements import finding

EU = regions.COUNTRIES | {"GR"}
WITHOUT_ZERO_RATE = ("DE", "AT", "CH", "LI")  # countries that tax no supply of a show at 0 percent
DEADLINE = 15  # day of the month after the supply, for reverse charge within the EU: § 14a (1) UStG

# Where the places of supply of a show are in the law: state -> section. EU is any other member state.
LAWS = {
    "DE": "§ 3a (3), (8) UStG",
    "AT": "§ 3a (9), (11), (11a) UStG 1994",
    "CH": "Art. 8 (2) MWSTG",
    "LI": "Art. 8 (2) MWSTG",
    "EU": "Art. 47, 53-55 2006/112/EC",
}
NO_LAW = "VAT Act"  # of a state whose law is not known here

# Code -> field to look at, and what is the case. Names in braces are facts.
TEXTS = {
    "standard_rate_abroad": (
        "tax_treatment",
        "The buyer is a business in {country}, and the invoice has {rate} % VAT of {home_country}. A service to a "
        "business is usually taxed where the buyer is, and VAT that is shown by mistake is owed all the same. Set "
        "`place_of_supply` of the event, or `tax_treatment` of the invoice. Ask your tax adviser.",
    ),
    "vat_id_abroad": (
        "contact.tax_id",
        "The buyer's address is in {country}, but its VAT id {vat_id} is of another state. The invoice is taxed by the "
        "address. Correct `contact.country` if the buyer ordered for its business abroad, otherwise `contact.tax_id`.",
    ),
    "vat_id_home": (
        "contact.tax_id",
        "The buyer's address is in {country}, but its VAT id {vat_id} is of {home_country}. The invoice is taxed as "
        "one to a buyer in {home_country}, which is right only for an establishment there. Otherwise set "
        "`contact.tax_id` to the VAT id of {country}.",
    ),
    "no_vat_id_abroad": (
        "contact.tax_id",
        "The buyer is a business in {country} without a VAT id, so the invoice is taxed with {rate} % in "
        "{home_country}. Ask the buyer for its VAT id and set `contact.tax_id` before you send the invoice: then the "
        "buyer owes the tax (reverse charge).",
    ),
    "vat_id_invalid": (
        "contact.tax_id",
        "The VAT id {vat_id} of the buyer in {country} is not valid: its form or its check digits are wrong, or the "
        "last check says so. So the invoice is taxed with {rate} % in {home_country}. Correct `contact.tax_id`, or "
        "check it again and record the answer with POST /contacts/{{id}}/vat-checks.",
    ),
    "business_unproven": (
        "contact.tax_id",
        "The buyer in {country} is taxed as a business outside of the EU, without VAT, but nothing proves that it is "
        "one. Ask for a certificate of its tax authority (in Germany, section 3a.2 (11) UStAE). Then set "
        "`contact.tax_id` to its tax number, or `contact.is_business` to true.",
    ),
    "vat_id_unchecked": (
        "contact.tax_id",
        "The invoice has no VAT because of the VAT id {vat_id} of the buyer, which nobody has confirmed in the last "
        "365 days. Check it at VIES, and record the answer with POST /contacts/{{id}}/vat-checks.",
    ),
    "treatment_differs": (
        "tax_treatment",
        "The office has decided that the invoice has no VAT, but by the country ({country}) and the VAT id of the "
        "buyer it would have. You owe VAT that is missing. Set `tax_treatment` to auto, or ask your tax adviser.",
    ),
    "small_business_abroad": (
        "organiser_vat_id",
        "The buyer is a business in {country} with the VAT id {vat_id}, and would owe the tax (reverse charge), but "
        "the option `organiser_vat_id` is empty. So the invoice is that of a small business to a buyer at home. "
        "Apply for a VAT id and set the option before you send the invoice. Ask your tax adviser.",
    ),
    "event_abroad": (
        "event_id",
        "The show is in {event_country}. eventapi knows no tax of other states; VAT of {home_country} is probably "
        "wrong on this invoice ({law}). Ask your adviser before you send the first one.",
    ),
    "late_reverse_charge": (
        "service_date",
        "The supply was on {supplied_to}. An invoice with reverse charge to a business in another member state had to "
        "be issued by {deadline} (§ 14a (1) UStG), and its day of issue is {issued_on}. It is valid all the same: send "
        "it soon. If the supply was later, correct `service_date` and `service_date_to`.",
    ),
    "zero_rate": (
        "items",
        "An item has category Z (zero rate), which {home_country} does not have for supplies of a show (in Germany, "
        "only solar panels have it: § 12 (3) UStG). Set the `tax_rate` of the item. If the supply is exempt, set "
        "`tax_category` to E, and `exemption_reason` to the law. A small business sets the option `small_business`.",
    ),
    "no_service_date": (
        "service_date",
        "The invoice has neither `service_date` nor an event with dates, so the day of issue, {issued_on}, counts as "
        "the day of the supply. If the supply is on another day, set `service_date`, and `service_date_to` for "
        "several days.",
    ),
    "service_dates_of_event": (
        "service_date",
        "The supply is from {supplied_from} to {supplied_to}, but the event is from {event_from} to {event_to}. The "
        "VAT counts on the last day of the supply. Correct `service_date` and `service_date_to`, or leave them out: "
        "an invoice without them gets the days of the event.",
    ),
    "no_bank_account": (
        "organiser_iban",
        "The invoice asks for {currency} {amount} and names no bank account, because the option `organiser_iban` is "
        "empty. Set it in the settings before you send the invoice.",
    ),
}


def findings(codes, facts):
    """Return the warnings with these codes as findings, in the order of TEXTS.

    `facts` has the value of each name that their texts contain.
    """
    return [
        _finding(code, field, text, facts) for code, (field, text) in TEXTS.items() if code in codes
    ]


def _finding(code, field, text, facts):
    names = sorted({name for _, name, _, _ in Formatter().parse(text) if name})
    values = {name: facts[name] for name in names}
    return finding(text.format(**values), field, code=code, values=values)


def of_invoice(db, row, draft, parties, by_rule=frozenset()):
    """Return the warnings about an invoice as findings.

    `row` is the invoice as it is sent, `draft` is the row that it is made from, `parties` are (seller, buyer) as
    on the invoice. `by_rule` are the codes of the rule of tax treatment (see vat/warnings.py). What another system has
    sent, and a credit note, has no warnings: nobody can change it here.
    """
    if row["taken_over"] or row["invoice_type"] == "credit_note":
        return []
    if row["service_date"] is None:  # sent by version 1.0
        return []
    seller, buyer = parties
    own = db.config.organiser_country
    codes, facts = set(by_rule), facts_of_rule(db, row, buyer, own)
    for found, known in (
        of_reverse_charge(row, buyer, own),
        of_zero_rate(row, own),
        of_days(db, row, draft),
        of_account(seller, row),
    ):
        codes |= found
        facts |= known
    return findings(codes, facts)


def facts_of_rule(db, row, buyer, own_country):
    """Return the facts of the warnings of the rule of tax treatment."""
    state = "EU" if own_country in EU and own_country not in LAWS else own_country
    rate = max((item["tax_rate"] for item in row["items"]), default=0)
    return {
        "country": buyer["country"] or own_country,
        "vat_id": buyer["vat_id"] or "",
        "rate": money.unscaled(rate, 2),
        "home_country": own_country,
        "event_country": service_days.country_of_event(db, row["event_id"]) or own_country,
        "law": LAWS.get(state, NO_LAW),
    }


def of_reverse_charge(row, buyer, own_country):
    """Return (codes, facts) of the day on which an invoice with reverse charge has to be issued."""
    last = row["service_date_to"] or row["service_date"]
    next_month = times.add_days(f"{last[:7]}-01", 31)[:7]
    deadline = f"{next_month}-{DEADLINE}"
    facts = {"supplied_to": last, "deadline": deadline, "issued_on": row["issue_date"]}
    is_to_eu = regions.region(buyer["vat_id"], buyer["country"], own_country) == regions.EU
    has_reverse_charge = any(item["tax_category"] == "AE" for item in row["items"])
    is_late = (
        own_country == "DE" and has_reverse_charge and is_to_eu and deadline < row["issue_date"]
    )
    return ({"late_reverse_charge"} if is_late else set()), facts


def of_zero_rate(row, own_country):
    """Return (codes, facts) of items at the zero rate."""
    has_zero_rate = any(item["tax_category"] == "Z" for item in row["items"])
    is_doubtful = has_zero_rate and own_country in WITHOUT_ZERO_RATE
    return ({"zero_rate"} if is_doubtful else set()), {}


def of_days(db, row, draft):
    """Return (codes, facts) of the days of the supply."""
    first_of_event, last_of_event = service_days.of_event(db, row["event_id"])
    first = row["service_date"]
    last = row["service_date_to"] or first
    facts = {
        "issued_on": row["issue_date"],
        "supplied_from": first,
        "supplied_to": last,
        "event_from": first_of_event,
        "event_to": last_of_event,
    }
    if first_of_event is None:
        return (set() if draft["service_date"] else {"no_service_date"}), facts
    is_within = first_of_event <= first and last <= last_of_event
    return (set() if is_within else {"service_dates_of_event"}), facts


def of_account(seller, row):
    """Return (codes, facts) of the bank account that the amount to pay goes to."""
    to_pay = row["total"] - row["prepaid_amount"]
    facts = {"amount": money.major(to_pay, row["currency"]), "currency": row["currency"]}
    is_lacking = to_pay > 0 and not seller["iban"]
    return ({"no_bank_account"} if is_lacking else set()), facts
