"""A show of a German organiser with exhibitors from abroad: who is taxed how is written down here, from the law.

§ 3a (2) UStG: a service to a business is supplied where the business is. § 3a (3) UStG: catering, and
services to consumers, are taxed at the show. Art. 196 of Directive 2006/112/EC: a business in another
country of the EU owes the tax itself, and the recapitulative statement names it (§ 18a UStG). A business
elsewhere has an invoice that is not subject to VAT, which has no line of another category (EN 16931,
BR-O-11). No code of the service is used to decide.
"""

import random
from collections import defaultdict
from dataclasses import dataclass

from tests.books import checks, documents
from tests.books.desk import Desk, compared, reasons, recapitulative, regions
from tests.books.office import Office

ACCOUNTS = {**checks.REVENUE, "AE": "8336", "O": "8338"}
OPTIONS = {
    # AE=8337 and O_HOME=8200 are wrong for everybody here
    "datev_revenue": "S19=8400 S7=8300 AE=8337 AE_EU=8336 E=8150 Z=8100 O_HOME=8200 O_THIRD=8338",
    "datev_gateways": "bank=1200 card=1361 offset=1590",
}
LECTURE = "Steuerfrei nach § 4 Nr. 22 Buchst. a UStG"
REVERSE_CHARGE = {
    "de": "Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge)",
    "en": "Reverse charge: the customer is liable for the VAT",
}
OUTSIDE = {
    "de": "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (§ 3a Abs. 2 UStG)",
    "en": "Outside the scope of VAT: the place of supply is abroad",
}
NOTES = {"AE": REVERSE_CHARGE, "O": OUTSIDE, "E": {"de": LECTURE, "en": LECTURE}}
WRONG = "ATU64727906"
LAST_DAY = "2025-05-08"
TAXED, CHARGED, OUT, EXEMPT = ("S", 19), ("AE", 0), ("O", 0), ("E", 0)
STAND, CATERING, TALK = "stand", "catering", "lecture"


@dataclass(frozen=True)
class Exhibitor:
    """An exhibitor. `invoices` is the truth: of each its treatment, and category and rate of each supply."""

    city: str
    contact: dict
    invoices: tuple
    because: str
    warnings: frozenset = frozenset()
    region: str | None = None
    vat_id: str | None = None
    check: str | None = None

    @property
    def ordered(self):
        """The services that it orders."""
        supplies = [name for _, lines in self.invoices for name, *_ in lines]
        return [name for name in supplies if name != STAND]


def company(country, city, code, tax_id=None, **fields):
    """Return the body of a contact that is a company."""
    return {
        "company_name": f"Aussteller {city} {country}",
        "address": "Weg 1",
        "postal_code": code,
        "city": city,
        "country": country,
        "tax_id": tax_id,
        "language": "de" if country in ("DE", "AT", "CH") else "en",
        "email": "office@exhibitor.example",
        **fields,
    }


def person(country, city, code):
    """Return the body of a contact that is a private person."""
    return {**company(country, city, code), "company_name": None, "last_name": "Jansen"}


UNCHECKED = frozenset({"vat_id_unchecked"})
UNPROVEN = frozenset({"business_unproven"})
EXHIBITORS = (
    Exhibitor(
        "Wien, VAT id",
        company("AT", "Wien", "1010", "ATU13585627"),
        (("reverse_charge", ((STAND, *CHARGED),)),),
        "eu_business",
        UNCHECKED,
        "eu",
        "ATU13585627",
    ),
    Exhibitor(  # Art. 18 (2) of Regulation (EU) 282/2011
        "Graz, no VAT id",
        company("AT", "Graz", "8010"),
        (("standard", ((STAND, *TAXED),)),),
        "no_vat_id",
        frozenset({"no_vat_id_abroad"}),
    ),
    Exhibitor(  # Art. 18 (1) (a) of Regulation (EU) 282/2011
        "Linz, invalid VAT id",
        company("AT", "Linz", "4020", "ATU64727905"),
        (("standard", ((STAND, *TAXED),)),),
        "vat_id_invalid",
        frozenset({"vat_id_invalid"}),
        check="invalid",
    ),
    Exhibitor(
        "Lyon, catering",
        company("FR", "Lyon", "69001", "FR40303265045"),
        (("reverse_charge", ((STAND, *CHARGED), (CATERING, *TAXED))),),
        "eu_business",
        region="eu",
        vat_id="FR40303265045",
        check="valid",
    ),
    Exhibitor(  # what is not taxable here is not exempt here
        "Milano, lecture",
        company("IT", "Milano", "20121", "IT00743110157"),
        (("reverse_charge", ((STAND, *CHARGED), (TALK, *CHARGED))),),
        "eu_business",
        UNCHECKED,
        "eu",
        "IT00743110157",
    ),
    Exhibitor(
        "Athina, EL",
        company("GR", "Athina", "10431", "EL094259216"),
        (("reverse_charge", ((STAND, *CHARGED),)),),
        "eu_business",
        UNCHECKED,
        "eu",
        "EL094259216",
    ),
    Exhibitor(  # § 3a (2) sentence 3 UStG
        "Brussel, authority",
        company("BE", "Brussel", "1000", is_business=False),
        (("standard", ((STAND, *TAXED),)),),
        "consumer",
    ),
    Exhibitor(  # § 3a (3) no. 3 (a) UStG
        "Utrecht, private",
        person("NL", "Utrecht", "3511"),
        (("standard", ((STAND, *TAXED),)),),
        "consumer",
    ),
    Exhibitor(
        "Zürich",
        company("CH", "Zürich", "8001"),
        (("not_taxable", ((STAND, *OUT),)),),
        "third_business",
        UNPROVEN,
        "third",
    ),
    Exhibitor(  # § 3a (3) no. 3 (b) UStG
        "Bern, catering",
        company("CH", "Bern", "3011", is_business=True),
        (("not_taxable", ((STAND, *OUT),)), ("standard", ((CATERING, *TAXED),))),
        "third_business",
        region="third",
    ),
    Exhibitor(  # the protocol on Northern Ireland is about goods only
        "Belfast, XI",
        company("GB", "Belfast", "BT1 5GS", "XI110305878"),
        (("not_taxable", ((STAND, *OUT),)),),
        "third_business",
        region="third",
    ),
    Exhibitor(
        "Portland",
        company("US", "Portland", "97201", state="OR"),
        (("not_taxable", ((STAND, *OUT),)),),
        "third_business",
        UNPROVEN,
        "third",
    ),
    Exhibitor(
        "Ulm, all",
        company("DE", "Ulm", "89073"),
        (("standard", ((STAND, *TAXED), (CATERING, *TAXED), (TALK, *EXEMPT))),),
        "home",
    ),
)


class Show(Desk):
    """The show and its exhibitors."""

    def __init__(self, folder, seed):
        super().__init__(Office(folder / "data", **OPTIONS), 2025)
        self.dice = random.Random(f"abroad {seed}")
        self.prices = {
            STAND: self.dice.choice([1000, 2499.99, 1333.35]),
            CATERING: self.dice.choice([120.5, 33.33, 250.05]),
            TALK: self.dice.choice([300, 99.95]),
        }
        self.wrong, self.billed, self.participants = [], [], {}

    def run(self):
        """Bill everybody in March, receive money in March and June, credit something in July."""
        self.prepare()
        self.mistype()
        self.office.day = "2025-03-12"
        for exhibitor in EXHIBITORS:
            self.bill(exhibitor)
        self.office.day = "2025-03-25"
        for _, bill in self.billed:
            if self.dice.random() < 0.5:
                self.pay(bill, bill.total // self.dice.choice([1, 3]))
        self.change()
        self.move()
        self.drop()
        self.office.day = "2025-06-16"
        for _, bill in self.billed:
            if self.books.open(bill) > 0:
                self.pay(bill)
        self.office.day = "2025-07-01"
        for exhibitor, bill in self.billed[:10:2]:
            self.reduce(exhibitor, bill)
        self.office.day = "2026-01-05"
        return self

    def prepare(self):
        """Create the show and what it sells."""
        self.office.day = "2025-01-07"
        show = {
            "title": "Gartenschau",
            "event_key": "garden",
            "date_from": "2025-05-06",
            "date_to": LAST_DAY,
            "place_of_supply": "recipient",
        }
        self.office("POST", "/events", show, 201)
        category = {"title": "Stand", "category_key": "stand", "base_price": self.prices[STAND]}
        self.office("POST", "/categories", category, 201)
        for name, fields in (
            (CATERING, {"place_of_supply": "event"}),
            (TALK, {"exemption_reason": LECTURE}),
        ):
            service = {
                "service_name": name,
                "service_key": name,
                "base_price": self.prices[name],
                "events": [{"event_key": "garden"}],
                **fields,
            }
            self.office("POST", "/services", service, 201)

    def mistype(self):
        """Register a VAT id with wrong check digits: the office cannot enter it, as it can an invalid one."""
        refused = self.office.client("POST", "/contacts", company("AT", "Linz", "4020", WRONG))
        found = [(fault["pointer"], fault["code"]) for fault in refused.json.get("errors", ())]
        self.compare(EXHIBITORS[2], "check digits", found, [("/tax_id", "format")])

    def bill(self, exhibitor):
        """Register an exhibitor, draft its invoices, and compare them with the truth. Send them."""
        contact = self.office("POST", "/contacts", exhibitor.contact, 201)
        if exhibitor.check:
            answer = {"result": exhibitor.check}
            self.office("POST", f"/contacts/{contact['id']}/vat-checks", answer, 201)
        body = {"event_key": "garden", "contact_id": contact["id"], "category_key": "stand"}
        participant = self.office("POST", "/participants", body, 201)
        self.participants[exhibitor.city] = participant["id"]
        for name in exhibitor.ordered:
            self.order(participant["id"], name)
        path = f"/participants/{participant['id']}/invoice"
        answer = self.office.client("POST", path, None, status=201).json
        further = answer["meta"].get("further_invoice_ids") or []
        ids = [answer["data"]["id"], *further]
        self.compare(exhibitor, "number of invoices", len(ids), len(exhibitor.invoices))
        found = self.office("POST", f"/invoices/{ids[0]}/check", None, 200)
        known = {"no_vat_id_abroad", "vat_id_invalid", "vat_id_unchecked", "business_unproven"}
        known |= {"standard_rate_abroad", "vat_id_abroad", "vat_id_home", "treatment_differs"}
        warned = {warning["code"] for warning in found["warnings"]} & known
        self.compare(exhibitor, "because", found["tax"]["because"], exhibitor.because)
        self.compare(exhibitor, "warnings", warned, exhibitor.warnings)
        customer = {**exhibitor.__dict__, "customer_number": contact["customer_number"]}
        customer["body"] = exhibitor.contact
        for id, (treatment, lines) in zip(ids, exhibitor.invoices, strict=False):
            sent = self.send({"id": id})
            self.billed.append((exhibitor, self.noted(exhibitor, sent, customer, treatment, lines)))

    def order(self, participant_id, name):
        """Order a service. Return the order."""
        order = {
            "event_participant_id": participant_id,
            "status": "confirmed",
            "items": [{"service_key": name, "quantity": 1}],
        }
        return self.office("POST", "/service-orders", order, 201)

    def noted(self, exhibitor, sent, customer, treatment, lines):
        """Compare an invoice with its treatment and lines. Return its Bill."""
        items = [
            {
                "quantity": 1,
                "unit_price": self.prices[name],
                "tax_category": category,
                "tax_rate": rate,
            }
            for name, category, rate in lines
        ]
        found = [
            (line["unit_price"], line["tax_category"], line["tax_rate"]) for line in sent["items"]
        ]
        names = ("unit_price", "tax_category", "tax_rate")
        expected = [tuple(item[name] for name in names) for item in items]
        self.compare(exhibitor, "lines", found, expected)
        decided = (sent["tax_treatment"], sent["tax_decided_by"])
        self.compare(exhibitor, "treatment", decided, (treatment, "rule"))
        bill = self.note(sent, customer, items, supplied=LAST_DAY)
        language = exhibitor.contact["language"]
        notes = {category: NOTES[category][language] for _, category, _ in lines if category != "S"}
        shown = {name: note for name, note in reasons(self.office, bill).items() if note}
        self.compare(exhibitor, "notes", shown, notes)
        return bill

    def change(self):
        """Cancel what the exhibitor from Ulm has ordered last, and credit it before the show."""
        self.office.day = "2025-04-02"
        _, bill = self.billed[-1]
        orders = self.office.every("/service-orders?event_key=garden")
        last = max(orders, key=lambda order: order["id"])
        self.office("POST", f"/service-orders/{last['id']}/cancel", {"reason": "Absage"}, 200)
        path = f"/participants/{last['event_participant_id']}/invoice"
        draft = self.office("POST", path, None, 201)
        note = self.send(draft)
        item = {"quantity": 1, "unit_price": self.prices[TALK], "tax_category": "E", "tax_rate": 0}
        self.note(note, bill.customer, [item], of=bill)

    def move(self):
        """Sell a booth to the exhibitor from Vienna, bill it, and move it to a dearer one."""
        exhibitor, first = self.billed[0]
        plan = {
            "event_key": "garden",
            "plan_name": "Hall 1",
            "area_name": "Hall A",
            "width": 24,
            "height": 12,
        }
        plan_id = self.office("POST", "/plans", plan, 201)["id"]
        kind = {"booth_type_name": "Row", "price_model": "per_m2", "price": 100}
        type_id = self.office("POST", "/booths/types", kind, 201)["id"]
        booths = []
        for number, depth in (("A1", 3), ("A2", 4)):
            booth = {
                "plan_id": plan_id,
                "booth_type_id": type_id,
                "booth_number": number,
                "width": 3,
                "depth": depth,
            }
            booths.append(self.office("POST", "/booths", booth, 201)["id"])
        participant_id = self.participants[exhibitor.city]
        body = {"booth_id": booths[0], "participant_id": participant_id, "status": "confirmed"}
        reservation = self.office("POST", "/booth-reservations", body, 201)
        path = f"/participants/{participant_id}/invoice"
        sent = self.send(self.office("POST", path, None, 201))
        small = {"quantity": 1, "unit_price": 900, "tax_category": "AE", "tax_rate": 0}
        old = self.note(sent, first.customer, [small], supplied=LAST_DAY)
        self.office(
            "POST", f"/booth-reservations/{reservation['id']}/move", {"booth_id": booths[1]}, 200
        )
        answer = self.office.client("POST", path, None, status=201).json
        for id in answer["meta"]["credit_notes"]:
            self.note(self.send({"id": id}), first.customer, [small], of=old)
        large = {**small, "unit_price": 1200}
        new = self.note(self.send(answer["data"]), first.customer, [large], supplied=LAST_DAY)
        self.compare(exhibitor, "credit notes of a move", len(old.credits), 1)
        self.billed += [(exhibitor, old), (exhibitor, new)]

    def drop(self):
        """Draft two orders of the exhibitor from Graz, and cancel one: the draft is rebuilt without it."""
        exhibitor, first = self.billed[1]
        participant_id = self.participants[exhibitor.city]
        orders = [self.order(participant_id, name) for name in (CATERING, TALK)]
        draft = self.office("POST", f"/participants/{participant_id}/invoice", None, 201)
        path = f"/service-orders/{orders[1]['id']}/cancel"
        self.office("POST", path, {"reason": "Absage"}, 200)
        path = f"/invoices/{draft['id']}"
        refused = self.office.client("POST", f"{path}/send", {"mail": False}, status=409).json
        self.compare(exhibitor, "a cancelled line", refused["code"], "draft_outdated")
        sent = self.send(self.office("POST", f"{path}/refresh", None, 200))
        item = {
            "quantity": 1,
            "unit_price": self.prices[CATERING],
            "tax_category": "S",
            "tax_rate": 19,
        }
        bill = self.note(sent, first.customer, [item], supplied=LAST_DAY)
        self.billed.append((exhibitor, bill))

    def reduce(self, exhibitor, bill):
        """Credit a part of the stand. The note has the tax of the invoice."""
        category, rate = next(iter(bill.groups))
        item = {"description": "Nachlass", "quantity": 1, "unit_price": 12.34}
        expected = {**item, "tax_category": category, "tax_rate": rate}
        if len(bill.groups) > 1:
            item |= {"tax_category": category, "tax_rate": float(rate)}
        self.credit(bill, item, expected)

    def compare(self, exhibitor, what, found, expected):
        if found != expected:
            self.wrong.append(f"{exhibitor.city}: {what}: {found!r}, but the law says {expected!r}")


def check(report, folder, seed):
    """Run the show, and compare all figures. Return the e-invoices."""
    report.part = "abroad: "
    show = Show(folder, seed).run()
    office, books = show.office, show.books
    report.line(not show.wrong, "treatment, reason, warnings, lines, notes", len(show.billed))
    for text in show.wrong:
        print(f"       {text}", flush=True)
    of_region, services = defaultdict(int), defaultdict(int)
    for exhibitor, bill in show.billed:
        for group in bill.groups:
            for month, net in books.taxed_in(bill, group).items():
                is_split = group[0] in ("AE", "O")
                of_region[month, group[0], exhibitor.region if is_split else None] += net
                if group[0] == "AE":
                    services[month, exhibitor.vat_id] += net
    of_region = {key: net for key, net in of_region.items() if net}
    regions(report, office, books, of_region)
    recapitulative(report, office, books, services)
    files = compared(report, show, folder, ACCOUNTS)
    named = {}
    for month in range(1, 13):
        path = f"/reports/datev?year=2025&month={month}"
        data = office.file(path, headers={"Accept": "text/csv"})
        for vat_id, accounts in documents.vat_ids(data).items():
            named.setdefault(vat_id, set()).update(
                account for account in accounts if len(account) == 4
            )
    ids = {exhibitor.vat_id for exhibitor in EXHIBITORS if exhibitor.vat_id}
    report.equal("DATEV: column 40", named, {vat_id: {"8336"} for vat_id in ids})
    report.part = ""
    return files
