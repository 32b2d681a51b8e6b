"""The halls, booths and services of the demo data."""

from dataclasses import dataclass, field

HALL = (56, 46)  # metres
ROWS, COLUMNS = 5, 8  # double rows of booths, and booths along a row
EXHIBITORS_PER_HALL = 60  # a hall has 80 booths; some stay available
TYPES = (
    ("Reihenstand", 1, 84.5, "#88ccee"),
    ("Eckstand", 2, 96, "#ddcc77"),
    ("Kopfstand", 3, 104, "#cc6677"),
    ("Blockstand", 4, 112.5, "#44aa99"),
)
# heading -> (name, price, unit, stock, description); the prices are in euros
SERVICES = {
    "Technik": (
        (
            "Stromanschluss 3 kW",
            185,
            "Stück",
            None,
            "Wechselstrom mit Zähler, von Aufbau bis Abbau",
        ),
        ("Stromanschluss 9 kW", 340, "Stück", 40, "Drehstrom mit Zähler, von Aufbau bis Abbau"),
        ("Wasseranschluss", 260, "Stück", 25, "Zu- und Abwasser bis zur Standgrenze"),
    ),
    "Möbel": (
        ("Tisch 120 × 60", 32, "Stück", None, "Klapptisch mit heller Platte"),
        ("Stuhl, gepolstert", 14.5, "Stück", None, "Stapelbar, Bezug anthrazit"),
        ("Kühlschrank", 78, "Stück", 30, "140 Liter, mit Anschlusskabel"),
    ),
    "Standbau": (
        ("Standreinigung", 4.9, "m²", None, "Täglich vor der Öffnung"),
        ("Teppich", 7.8, "m²", None, "Verlegt und nach der Messe entsorgt"),
        (
            "Zusatzausweis für Aussteller",
            18,
            "Stück",
            None,
            "Für Mitarbeiterinnen und Mitarbeiter am Stand",
        ),
    ),
}
QUANTITIES = {"Technik": (1,), "Möbel": (2, 4, 6), "Standbau": (1, 2, 3)}  # that are ordered
SPECIFIED = "Teppich"  # the service that requires a specification: the colour
COLOURS = ("Anthrazit", "Moosgrün", "Sandbeige", "Weinrot")


@dataclass
class Halls:
    """The halls of one edition of the show: booths that are free, oldest first, and the services
    that it offers.
    """

    free: list = field(default_factory=list)
    services: list = field(default_factory=list)
    popular: dict | None = None  # the booth that has a waiting list


def make_types(agenda):
    """Create the types of booths, and a formula for their price. Return the ids of the types."""
    api = agenda.api
    expression = f"{{booth_size}} * {agenda.price(92)} + {{days}} * {agenda.price(45)}"
    api(
        "POST",
        "/booths/formulas",
        {
            "name": "Messefläche mit Nebenkosten",
            "expression": expression,
            "description": "Quadratmeterpreis und Pauschale für Strom und Abfall",
        },
    )
    return [
        api(
            "POST",
            "/booths/types",
            {
                "booth_type_name": name,
                "open_sides": sides,
                "price_model": "per_m2",
                "price": agenda.price(price),
                "color": color,
                "description": f"Nach {sides} {'Seite' if sides == 1 else 'Seiten'} offen",
            },
        )["id"]
        for name, sides, price, color in TYPES
    ]


def make_hall(agenda, event, number, types):
    """Create a hall with double rows, aisles of three metres and three large booths at angles.

    Return its booths.

    Without the feature `booths`, the hall stays empty.
    """
    api, (width, height) = agenda.api, HALL
    letter = chr(ord("A") + (number - 1) % 26)
    plan = api(
        "POST",
        "/plans",
        {
            "event_id": event["id"],
            "plan_name": f"Halle {number}",
            "area_name": letter,
            "width": width,
            "height": height,
            "objects": fixtures(),
            "sort_order": number,
        },
    )
    if not api.has("booths"):
        return []
    names = [
        f"{number if number > 26 else ''}{letter}{count:02}"
        for count in range(1, 2 * ROWS * COLUMNS + 1)
    ]
    return [
        api("POST", "/booths", {**place, "plan_id": plan["id"], "booth_number": name})
        for place, name in zip(places(types), names, strict=True)
    ]


def make_small_hall(agenda, event):
    """Create a town hall with sixteen tables at a fixed price, if plans and booths are switched on.

    Return the tables.
    """
    api = agenda.api
    if not api.has("plans", "booths"):
        return []
    table = api(
        "POST",
        "/booths/types",
        {
            "booth_type_name": "Börsentisch",
            "price_model": "fixed",
            "open_sides": 1,
            "price": agenda.price(35),
            "color": "#9b7fd1",
        },
    )
    plan = api(
        "POST",
        "/plans",
        {
            "event_id": event["id"],
            "plan_name": "Stadthalle",
            "width": 26,
            "height": 18,
            "objects": [
                {"kind": "door", "x": 11, "y": 17.8, "width": 4, "depth": 0.2, "label": "Eingang"}
            ],
        },
    )
    return [
        api(
            "POST",
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": f"T{number + 1:02}",
                "width": 4,
                "depth": 1,
                "booth_type_id": table["id"],
                "pos_x": 3 + number % 4 * 5,
                "pos_y": 3 + number // 4 * 3.5,
            },
        )
        for number in range(16)
    ]


def places(types):
    """Return type, size and position of the booths of a hall."""
    row, corner, head, block = types
    found = []
    for booth_row in range(2 * ROWS):
        y = 4 + booth_row // 2 * 8.5 + booth_row % 2 * 3
        for column in range(COLUMNS):
            kind = corner if column in (0, COLUMNS - 1) else row
            found.append(
                {
                    "booth_type_id": kind,
                    "width": 5 if column == 4 else 4,
                    "depth": 3,
                    "pos_x": 5 + column * 4 + (1 if column > 4 else 0),
                    "pos_y": y,
                }
            )
    found[0]["booth_type_id"] = head
    for place, angle in enumerate((330, 0, 30)):  # the last three booths become large booths
        found[-1 - place].update(
            booth_type_id=block,
            width=4,
            depth=4,
            pos_x=44.5,
            pos_y=(8, 19, 30)[place],
            rotation=angle,
        )
    return found


def fixtures():
    """Return the objects of a hall besides its booths."""
    return [
        {"kind": "door", "x": 0, "y": 20, "width": 0.3, "depth": 5, "label": "Eingang"},
        {"kind": "door", "x": 26, "y": 45.7, "width": 4, "depth": 0.3, "label": "Anlieferung"},
        {"kind": "stage", "x": 47, "y": 39, "width": 7, "depth": 5, "label": "Bühne"},
        {"kind": "text", "x": 42, "y": 3, "width": 10, "depth": 2, "label": "Marktplatz"},
        {"kind": "power", "x": 54.5, "y": 24, "width": 0.8, "depth": 0.8},
        *(
            {"kind": "pillar", "x": 40, "y": y, "width": 0.6, "depth": 0.6}
            for y in (11.4, 28.4, 36.9)
        ),
    ]


def block_two(agenda, booths):
    """Block the last two booths of a list, and take them from it."""
    for _ in range(2):
        agenda.api(
            "PATCH",
            f"/booths/{booths.pop()['id']}",
            {"status": "blocked", "blocked_reason": "Hydrant und Fluchtweg"},
        )


def booths_of(agenda, event):
    """Return the booths of an event that are available, by number."""
    found, page = [], 1
    while True:
        part = agenda.api(
            "GET",
            f"/booths?event_id={event['id']}&status=available&sort=booth_number&order=asc"
            f"&per_page=100&page={page}",
        )
        found += part
        if len(part) < 100:
            return found
        page += 1


def make_services(agenda, event, days):
    """Create the services with their categories, and offer them at an event.

    Return them with `quantities`.

    `days` is the number of days from today to the first day of the event.
    """
    api, services = agenda.api, []
    for place, (heading, rows) in enumerate(SERVICES.items()):
        category = api(
            "POST", "/services/categories", {"category_name": heading, "sort_order": place}
        )
        for name, price, unit, stock, description in rows:
            offer = {
                "event_id": event["id"],
                "early_bird_price": agenda.price(round(price * 0.9, 2)),
                "early_bird_until": agenda.day(days - 90),
                "order_deadline": agenda.day(days - 10),
                "stock": stock,
            }
            service = api(
                "POST",
                "/services",
                {
                    "service_name": name,
                    "base_price": agenda.price(price),
                    "unit": unit,
                    "category_id": category["id"],
                    "short_description": description,
                    "requires_specification": name == SPECIFIED,
                    "specification_label": "Farbe" if name == SPECIFIED else None,
                    "specification_placeholder": "Zum Beispiel Anthrazit"
                    if name == SPECIFIED
                    else None,
                    "events": [offer],
                },
            )
            services.append(
                {**service, "quantities": (12,) if unit == "m²" else QUANTITIES[heading]}
            )
    return services


def order_items(agenda, services, number):
    """Return the items of an order: three services of unlimited stock, and one of limited stock for
    every fifth.
    """
    rnd = agenda.rnd
    limited = [service for service in services if service["events"][0]["stock"]]
    chosen = rnd.sample([service for service in services if service not in limited], 3)
    items = [
        {
            "service_id": service["id"],
            "quantity": rnd.choice(service["quantities"]),
            "specification": rnd.choice(COLOURS) if service["requires_specification"] else None,
        }
        for service in chosen
    ]
    if number % 5 == 0 and number < 100:
        items.append({"service_id": rnd.choice(limited)["id"], "quantity": 1})
    return items
