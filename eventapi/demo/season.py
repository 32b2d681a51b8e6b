"""The events of the demo data: three editions of a trade show, a year apart, and a small exchange
for model railways.

One edition is over, one is running since the day before yesterday, and the next one accepts
applications.
"""

from dataclasses import dataclass, field

from eventapi import times
from eventapi.demo import entrance, halls, office, pages, papers
from eventapi.demo.billing import import_statement
from eventapi.demo.exhibitors import Exhibitor
from eventapi.demo.halls import Halls
from eventapi.demo.names import Names
from eventapi.domain.halls import booking
from eventapi.storage.statements import statements

sql = statements("demo")

YEAR = 364  # days between two editions of the show: the weekday stays the same
BEGAN = -2  # first day of the running edition, as days after today
BEGINNING = BEGAN - YEAR - 310  # day of the first record, as days after today
DAYS = len(entrance.SHARES)  # of an edition
RAILWAYS = 44  # day of the exchange for model railways, as days after today
COMES_AGAIN = 0.7  # share of the exhibitors that take part in the next edition, too
GARDEN = (
    "Alles, was wächst: Pflanzen und Saatgut, Technik für Beet und Gewächshaus, Handwerk für Terrasse und "
    "Garten. Vier Tage für Fachbesucher und alle, die gern gärtnern."
)
MODELS = (
    "Börse für Modelleisenbahnen: Fahrzeuge und Gleise aller Spurweiten, Gebäude, Landschaften und Ersatzteile. "
    "Mit Vorführanlagen auf 200 Quadratmetern."
)
LEIPZIG = {
    "venue": "Lindenauer Hallen",
    "address": "Ausstellungsweg 12",
    "postal_code": "04177",
    "city": "Leipzig",
}
CHEMNITZ = {
    "venue": "Stadthalle am Schlossteich",
    "address": "Teichweg 3",
    "postal_code": "09113",
    "city": "Chemnitz",
}
TRADES = ("plants", "technology", "crafts")


@dataclass(frozen=True)
class Size:
    """How large the demo is.

    exhibitors, visitors: of the running edition. exhibitors_before, visitors_before: of the edition
    that is over.
    attendance: how many of the visitors are scanned at the entrance, as a factor of the usual share.
    """

    exhibitors: int
    visitors: int
    exhibitors_before: int
    visitors_before: int
    attendance: float


@dataclass
class Edition:
    """One event with its exhibitors.

    opens: first day, as days after today. days: number of days. registration: first and last day on which exhibitors
    register, as days after today. event: the API object, once it is created.
    """

    agenda: object
    names: Names
    opens: int
    days: int
    registration: tuple
    second_currency: str
    categories: list
    event: dict = None
    halls: Halls = field(default_factory=Halls)
    exhibitors: list = field(default_factory=list)
    has_types: bool = True  # there are types of submissions
    attendance: float = 1  # see Size
    contracts: int = 24  # exhibitors with a contract; each contract is drawn as PDF

    @property
    def is_over(self):
        """Whether the edition has ended."""
        return self.opens + self.days <= 0

    def is_late(self):
        """Return whether services can no longer be ordered."""
        return times.today(self.agenda.zone, self.agenda.db.now) >= self.agenda.day(self.opens - 10)

    def expire(self):
        """End the holds that have expired, as the worker does."""
        db = self.agenda.db
        for id in db.values(sql.expired_holds, now=db.now):
            booking.expire(db, booking.row(db, id))


def plan(agenda, team, size):
    """Plan everything. `team`: ids of the admins. `size`: a Size."""
    names, categories = Names(agenda.rnd), {}
    currency = "EUR" if agenda.currency == "CHF" else "CHF"
    garden = [{"trade": trade} for trade in TRADES]

    def edition(opens, registration):
        return Edition(agenda, names, opens, DAYS, registration, currency, garden)

    last = edition(BEGAN - YEAR, (BEGINNING + 5, BEGAN - YEAR - 55))
    this = edition(BEGAN, (BEGAN - 330, BEGAN - 50))
    next_ = edition(BEGAN + YEAR, (-62, 150))
    this.attendance, last.contracts, exhibitors = size.attendance, 8, size.exhibitors

    def begin():
        categories.update(office.make_basics(agenda))
        for category in garden:
            category.update(categories[category["trade"]])
        office.make_webhook(agenda.api)
        if agenda.api.has("documents"):
            papers.make_templates(agenda.api)
        make_first(agenda, last, -(-len(last.exhibitors) // halls.EXHIBITORS_PER_HALL))

    agenda.at(BEGINNING, begin, "08:00")
    agenda.at(
        BEGAN - 345,
        lambda: make_copy(agenda, last, this, "23. Gartenmesse Lindenau", exhibitors),
        "09:00",
    )
    agenda.at(
        -75, lambda: make_copy(agenda, this, next_, "24. Gartenmesse Lindenau", exhibitors), "09:00"
    )
    plan_exhibitors(last, size.exhibitors_before)
    plan_exhibitors(this, exhibitors, last)
    plan_exhibitors(next_, exhibitors, this)
    plan_visitors(last, size.visitors_before)
    plan_visitors(this, size.visitors)
    plan_office(agenda, names, categories, team, last, this, next_)
    plan_railways(agenda, names, categories, currency, min(18, exhibitors // 3))
    if agenda.api.has("invoices"):
        agenda.put(agenda.now, lambda: import_statement(agenda))
    agenda.put(agenda.now, this.expire)


def make_first(agenda, edition, number):
    """Create the first edition with so many halls, its services and types of submissions."""
    api, opens = agenda.api, edition.opens
    edition.event = make_event(
        agenda, "gartenmesse-22", "22. Gartenmesse Lindenau", GARDEN, LEIPZIG, opens, edition.days
    )
    if api.has("plans"):
        types = halls.make_types(agenda) if api.has("booths") else None
        booths = [
            booth
            for hall in range(1, number + 1)
            for booth in halls.make_hall(agenda, edition.event, hall, types)
        ]
        edition.halls.free = booths
        if booths:
            halls.block_two(agenda, booths)
    if api.has("services"):
        edition.halls.services = halls.make_services(agenda, edition.event, opens)
    papers.make_types(api, edition.event)


def make_event(agenda, key, title, text, place, opens, days):
    """Create an event with opening hours and an image, and return it.

    `place`: its fields venue to city.
    """
    hours = [
        {
            "date": agenda.day(opens + day),
            "opens": "09:00",
            "closes": "17:00" if day == days - 1 else "18:00",
            "label": "Fachbesuchertag" if day == 0 and days > 1 else None,
        }
        for day in range(days)
    ]
    event = agenda.api(
        "POST",
        "/events",
        {
            "event_key": key,
            "title": title,
            "description": text,
            **place,
            "country": "DE",
            "state": "Sachsen",
            "date_from": agenda.day(opens),
            "date_to": agenda.day(opens + days - 1),
            "opening_hours": hours,
            "application_deadline": agenda.day(opens - 90),
            "is_visible": True,
            # without a VAT id, the organiser cannot invoice with reverse charge
            "place_of_supply": "recipient" if agenda.db.config.organiser_vat_id else "event",
            "custom_fields": {"fluchtwege_geprueft": agenda.day(opens - 20)} if opens < 0 else {},
        },
    )
    image(agenda, event)
    return event


def image(agenda, event):
    """Give an event its image, unless documents are switched off."""
    if agenda.api.has("documents"):
        agenda.api("PUT", f"/events/{event['id']}/image", pages.landscape(), "image/png")


def make_copy(agenda, old, new, title, exhibitors):
    """Create the next edition as a copy, with as many halls as its exhibitors need."""
    api = agenda.api
    parts = [
        "opening_hours",
        "categories",
        "submission_types",
        *(["plans"] if api.has("plans", "booths") else []),
        *(["services"] if api.has("services") else []),
    ]
    new.event = api(
        "POST",
        f"/events/{old.event['id']}/copy",
        {
            "event_key": f"gartenmesse-{title[:2]}",
            "date_from": agenda.day(new.opens),
            "with": parts,
        },
    )
    new.event = api("PATCH", f"/events/{new.event['id']}", {"title": title, "is_visible": True})
    image(agenda, new.event)
    if api.has("plans", "booths"):
        have = len(api("GET", f"/plans?event_id={new.event['id']}&per_page=100"))
        types = [kind["id"] for kind in api("GET", "/booths/types?sort=id&order=asc")][:4]
        for number in range(have + 1, -(-exhibitors // halls.EXHIBITORS_PER_HALL) + 1):
            halls.make_hall(agenda, new.event, number, types)
        new.halls.free = halls.booths_of(agenda, new.event)
    new.halls.services = old.halls.services


def plan_exhibitors(edition, count, before=None):
    """Plan the registrations of an edition, spread over its period.

    Some exhibitors were at the edition before.
    """
    first, last = edition.registration
    for number in range(count):
        known = (
            before.exhibitors[number]
            if before and number < COMES_AGAIN * len(before.exhibitors)
            else None
        )
        category = edition.categories[number % len(edition.categories)]
        company = known.company if known else edition.names.company(category["trade"])
        exhibitor = Exhibitor(edition.agenda, edition, number, category, company, known)
        edition.exhibitors.append(exhibitor)
        exhibitor.register_on(first + (number * 37 % count) * (last - first) // count)


def plan_visitors(edition, count):
    """Plan the registration of the visitors in the last weeks, and their scans at the entrance."""
    agenda, size = edition.agenda, max(30, min(entrance.CHUNK, count // 8))
    for start in range(0, count, size):
        agenda.at(
            edition.opens - 56 + 52 * start // count,
            lambda start=start: entrance.invite(agenda, edition, start, min(start + size, count)),
        )
    agenda.at(
        edition.opens - 1, lambda: entrance.open_doors(agenda, edition, edition.opens), "20:00"
    )


def plan_office(agenda, names, categories, team, last, this, next_):
    """Plan what the office does: tasks, programme, notes, newsletter, lost badges, applications."""
    for edition in (last, this):
        agenda.at(edition.opens - 50, lambda edition=edition: programme_of(agenda, edition))
    for days, first in ((-200, 0), (-80, 8), (-20, 16)):
        agenda.at(days, lambda first=first: office.subscribe(agenda, names, first, first + 8))
    if agenda.api.has("tasks"):
        agenda.at(-60, lambda: office.make_tasks(agenda, this.event, team, -60))
    agenda.at(-48, lambda: office.tidy_up(agenda, names))
    agenda.at(
        -3,
        lambda: agenda.api(
            "POST",
            "/notes",
            {
                "entity_type": "event",
                "entity_id": this.event["id"],
                "is_pinned": True,
                "note_type": "warning",
                "note_text": "Feuerwehrzufahrt am Tor Süd bis Messeschluss freihalten.",
            },
        ),
    )
    for days, clock in ((-1, "10:05"), (0, "09:40")):
        agenda.at(days, lambda: entrance.try_wrong_badges(agenda, this, last), clock)
    for edition, day in ((this, -70), (next_, -60)):
        agenda.at(
            day,
            lambda edition=edition: pages.publish(
                agenda, edition, categories["trade-visitors"], is_open=edition is next_
            ),
        )
    agenda.at(-2, lambda: entrance.make_doors(agenda, this), "18:00")
    agenda.at(-2, lambda: pages.link_exhibitor(agenda, this), "18:05")
    agenda.at(-1, lambda: entrance.replace_badge(agenda, this, this.exhibitors[2]), "10:30")
    count = max(min(21, len(this.exhibitors)), len(this.exhibitors) // 10)
    for edition, first, every in (
        (last, last.registration[0], 3),
        (this, this.registration[0], 3),
        (next_, -60, 1),
    ):
        for number in range(0, count, every):
            agenda.at(
                first + number * 50 // count,
                lambda edition=edition, first=first, number=number: office.apply(
                    agenda, names, edition, categories, number, first + 51
                ),
            )


def programme_of(agenda, edition):
    """Create the programme of an edition, unless schedules are switched off."""
    if agenda.api.has("schedules"):
        office.make_programme(agenda, edition, edition.opens)


def plan_railways(agenda, names, categories, currency, exhibitors):
    """Plan the exchange for model railways, with a small hall of its own and without services."""
    trades = [{"trade": "models"}, {"trade": "scenery"}]
    edition = Edition(
        agenda, names, RAILWAYS, 1, (-130, 20), currency, trades, has_types=False, contracts=4
    )

    def begin():
        for category in trades:
            category.update(categories[category["trade"]])
        edition.event = make_event(
            agenda, "modellbahnboerse", "Modellbahnbörse Chemnitz", MODELS, CHEMNITZ, RAILWAYS, 1
        )
        edition.halls.free = halls.make_small_hall(agenda, edition.event)

    agenda.at(-140, begin, "09:00")
    plan_exhibitors(edition, exhibitors)
