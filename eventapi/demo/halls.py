"""The halls, booths and services of the demo data, with reservations and orders in every status."""
from datetime import date, timedelta

HALL = (56, 46)                             # metres
ROWS, COLUMNS = 5, 8                        # double rows of booths, and booths along a row
EXHIBITORS_PER_HALL = 60                    # a hall has 80 booths; some stay available
TYPES = (("Reihenstand", 1, 84.5, "#88ccee"), ("Eckstand", 2, 96, "#ddcc77"), ("Kopfstand", 3, 104, "#cc6677"),
         ("Blockstand", 4, 112.5, "#44aa99"))
SERVICES = {
    "Technik": (("Stromanschluss 3 kW", 185, "Stück", {}), ("Stromanschluss 9 kW", 340, "Stück", {"stock": 12}),
                ("Wasseranschluss", 260, "Stück", {"stock": 20})),
    "Möbel": (("Tisch 120 × 60", 32, "Stück", {}), ("Stuhl, gepolstert", 14.5, "Stück", {}),
              ("Kühlschrank", 78, "Stück", {"stock": 25})),
    "Sonstiges": (("Standreinigung", 4.9, "m²", {}), ("Ausstellerausweis", 18, "Stück", {}),
                  ("Teppich", 7.8, "m²", {})),
}
SPECIFIED = "Teppich"                       # the service that requires a specification: the colour
ORDER_ACTIONS = ((), ("submit",), ("submit", "confirm"), ("submit", "confirm", "work"),
                 ("submit", "confirm", "work", "complete"), ("submit", "cancel"))


def furnish(api, event, participants, rnd, say):
    """Create halls for all exhibitors, the services, reservations and orders. `say` reports the progress."""
    types = [api("POST", "/booths/types", {"booth_type_name": name, "open_sides": sides, "price_model": "per_m2",
                                           "price": price, "color": color}) for name, sides, price, color in TYPES]
    services = make_services(api, event)
    for number, first in enumerate(range(0, len(participants), EXHIBITORS_PER_HALL), 1):
        say(f"creating hall {number}")
        booths = make_hall(api, event, number, types)
        reserve(api, rnd, participants[first:first + EXHIBITORS_PER_HALL], booths)
    say("creating orders")
    for number, participant in enumerate(participants):
        if number % 7 != 6:
            make_order(api, rnd, number, participant, services)


def make_hall(api, event, number, types):
    """Create a hall with double rows, aisles of three metres and three large booths at angles. Return its booths."""
    width, height = HALL
    letter = chr(ord("A") + (number - 1) % 26)
    plan = api("POST", "/plans", {"event_id": event["id"], "plan_name": f"Halle {number}", "area_name": letter,
                                  "width": width, "height": height, "objects": fixtures()})
    row, corner, head, block = (kind["id"] for kind in types)
    places = []
    for booth_row in range(2 * ROWS):
        y = 4 + booth_row // 2 * 8.5 + booth_row % 2 * 3
        for column in range(COLUMNS):
            at_end = column in (0, COLUMNS - 1)
            width = 5 if column == 4 else 4
            x = 5 + column * 4 + (1 if column > 4 else 0)
            kind = corner if at_end else row
            places.append({"booth_type_id": kind, "width": width, "depth": 3, "pos_x": x, "pos_y": y})
    places[0]["booth_type_id"] = head
    for place, angle in enumerate((330, 0, 30)):                    # the last three booths become large booths
        y = (8, 19, 30)[place]
        places[-1 - place].update(booth_type_id=block, width=4, depth=4, pos_x=44.5, pos_y=y, rotation=angle)
    return [api("POST", "/booths", {**place, "plan_id": plan["id"],
                                    "booth_number": f"{number if number > 26 else ''}{letter}{count:02}"})
            for count, place in enumerate(places, 1)]


def fixtures():
    """Return the objects of a hall besides its booths."""
    return [
        {"kind": "door", "x": 0, "y": 20, "width": 0.3, "depth": 5, "label": "Eingang"},
        {"kind": "door", "x": 26, "y": 45.7, "width": 4, "depth": 0.3, "label": "Anlieferung"},
        {"kind": "stage", "x": 47, "y": 39, "width": 7, "depth": 5, "label": "Bühne"},
        {"kind": "text", "x": 42, "y": 3, "width": 10, "depth": 2, "label": "Marktplatz"},
        {"kind": "power", "x": 54.5, "y": 24, "width": 0.8, "depth": 0.8},
        *({"kind": "pillar", "x": 40, "y": y, "width": 0.6, "depth": 0.6} for y in (11.4, 28.4, 36.9)),
    ]


def reserve(api, rnd, participants, booths):
    """Create reservations.

    Most are confirmed, some held, some cancelled. One exhibitor has two booths, one has a negotiated price. A booth
    has a waiting list, and two booths are blocked.
    """
    free = iter(booths)
    taken = []
    for number, participant in enumerate(participants):
        if number % 15 == 14:                                       # has no booth, and joins a waiting list below
            continue
        wanted = [next(free)] if number != 3 else [next(free), next(free)]
        for booth in wanted:
            body = {"booth_id": booth["id"], "event_participant_id": participant["id"]}
            if number == 5:
                body["final_price"] = 990                           # a negotiated price
            reservation = api("POST", "/booth-reservations", body)
            taken.append(booth)
            if number % 6 != 4:
                api("POST", f"/booth-reservations/{reservation['id']}/confirm")
            if number % 20 == 9:
                api("POST", f"/booth-reservations/{reservation['id']}/cancel", {"reason": "Krankheit"})
    for participant in participants[14:30:15]:
        api("POST", "/booth-reservations", {"booth_id": taken[0]["id"], "event_participant_id": participant["id"],
                                            "waitlist": True})
    for booth in list(free)[-2:]:
        api("PATCH", f"/booths/{booth['id']}", {"status": "blocked", "blocked_reason": "Hydrant und Fluchtweg"})


def make_services(api, event):
    """Create service categories and services with an early-bird price and an order deadline. Return the services."""
    early = (date.fromisoformat(event["date_from"]) - timedelta(days=60)).isoformat()
    deadline = (date.fromisoformat(event["date_from"]) - timedelta(days=14)).isoformat()
    services = []
    for place, (heading, rows) in enumerate(SERVICES.items()):
        category = api("POST", "/services/categories", {"category_name": heading, "sort_order": place})
        for name, price, unit, terms in rows:
            offer = {"event_id": event["id"], "early_bird_price": round(price * 0.9, 2), "early_bird_until": early,
                     "order_deadline": deadline, **terms}
            services.append(api("POST", "/services", {
                "service_name": name, "base_price": price, "unit": unit, "category_id": category["id"],
                "requires_specification": name == SPECIFIED,
                "specification_label": "Farbe" if name == SPECIFIED else None, "events": [offer]}))
    return services


def make_order(api, rnd, number, participant, services):
    """Create an order, which is draft, submitted, confirmed, started, completed or cancelled, depending on `number`."""
    items = [{"service_id": service["id"], "quantity": rnd.choice((1, 2, 4, 6)) if service.get("unit") != "m²" else 12,
              "specification": "Anthrazit" if service["requires_specification"] else None}
             for service in rnd.sample([service for service in services if not service["events"][0]["stock"]], 3)]
    limited = rnd.choice([service for service in services if service["events"][0]["stock"]])
    if number < 24:
        items.append({"service_id": limited["id"], "quantity": 1})
    order = api("POST", "/service-orders", {"event_participant_id": participant["id"], "items": items})
    address = f"/service-orders/{order['id']}"
    for action in ORDER_ACTIONS[number % 6]:
        if action == "work":
            api("POST", f"{address}/items/{order['items'][0]['id']}/start")
        elif action == "complete":
            api("POST", f"{address}/items/{order['items'][0]['id']}/complete")
            for item in order["items"][1:]:
                api("POST", f"{address}/items/{item['id']}/start")
                api("POST", f"{address}/items/{item['id']}/complete")
        else:
            api("POST", f"{address}/{action}", {"reason": "Anders gelöst"} if action == "cancel" else None)
