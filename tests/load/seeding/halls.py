"""Events, halls with booths and reservations, services and their orders, the programme."""

from datetime import timedelta

from tests.load.seeding.tables import put
from tests.load.seeding.words import (
    BEGIN,
    NOW,
    TOWNS,
    TRADES,
    YEARS,
    any_time,
    chance,
    one_of,
    timestamp,
)

SERVICES = 120
LATER = "2099-01-01T00:00:00Z"
# of booths of 4 by 4 metres
BREAKDOWN = '{"model":"per_m2","unit_price":160,"area":16,"total":2560}'
ITEM_STATUS = {"completed": "completed", "cancelled": "cancelled"}


def days_of_events(show):
    """Return the first day of each event. The last event is open today."""
    days = [
        BEGIN.date() + timedelta(days=90 + int(number * (YEARS * 365 + 30) / show.events))
        for number in range(show.events)
    ]
    return [*days[:-1], NOW.date() - timedelta(days=1)]


def fill_events(connection, show):
    put(
        connection,
        "events",
        "event_key,title,description,country,city,date_from,date_from_at,date_to,date_to_at,"
        "over_at,timezone,is_visible,created_at,updated_at",
        [
            (
                f"show-{number}",
                f"Grüne Messe {number}",
                "Alles, was wächst: Pflanzen, Technik.",
                "DE",
                TOWNS[number % 20],
                str(day),
                f"{day}T00:00:00Z",
                str(end),
                f"{end}T23:59:59Z",
                f"{end}T23:59:59Z",
                "Etc/UTC",
                int(number % 5 > 0),
                timestamp(0),
                timestamp(number),
            )
            for number, day in enumerate(show.days, 1)
            for end in [day + timedelta(days=3)]
        ],
    )
    put(
        connection,
        "plans",
        "event_id,plan_key,plan_name,area_name,width,height,grid_size,scale_factor,is_active,"
        "sort_order,created_at,updated_at",
        [
            (
                id,
                f"hall-{id}",
                f"Hall {id}",
                f"H{id}",
                160000,
                220000,
                1,
                1000,
                1,
                id,
                timestamp(0),
                timestamp(0),
            )
            for id in range(1, show.events + 1)
        ],
    )
    put(
        connection,
        "booth_types",
        "booth_type_key,booth_type_name,open_sides,price_model,price,sort_order,created_at,"
        "updated_at",
        [
            (
                key,
                key.title(),
                sides,
                "per_m2",
                15000 + sides * 1000,
                sides,
                timestamp(0),
                timestamp(0),
            )
            for sides, key in enumerate(("row", "corner", "head", "island"), 1)
        ],
    )


def fill_services(connection, show):
    put(
        connection,
        "service_categories",
        "category_key,category_name,sort_order,created_at,updated_at",
        [
            (f"sc{number}", f"Service {number}", number, timestamp(0), timestamp(0))
            for number in range(1, 9)
        ],
    )
    put(
        connection,
        "services",
        "category_id,service_key,service_name,description,unit,base_price,min_quantity,"
        "quantity_step,requires_specification,lead_time_days,is_active,sort_order,created_at,updated_at",
        [
            (
                1 + number % 8,
                f"service-{number}",
                f"{TRADES[number % 15]} {number}",
                "Wird geliefert",
                "piece",
                5000,
                1,
                1,
                0,
                0,
                int(number % 9 > 0),
                number,
                timestamp(0),
                timestamp(number),
            )
            for number in range(1, SERVICES + 1)
        ],
    )
    put(
        connection,
        "service_events",
        "service_id,event_id,stock,is_active",
        [
            (service, event, 1_000_000, 1)
            for service in range(1, SERVICES + 1)
            for event in range(1, show.events + 1)
        ],
    )


def fill_booths(connection, show):
    """Booths on a grid with aisles, four of five sold or reserved."""
    lets = {}
    put(
        connection,
        "booths",
        "plan_id,event_id,booth_type_id,booth_number,width,depth,pos_x,pos_y,rotation,price,"
        "price_breakdown,status,held_until,created_at,updated_at",
        booths(show, lets),
    )
    put(
        connection,
        "booth_reservations",
        "booth_id,event_id,event_participant_id,status,final_price,"
        "price_breakdown,tax_rate,reserved_at,expires_at,confirmed_at,created_by,created_at,updated_at",
        (reservation(id, *let) for id, let in lets.items()),
    )


def booths(show, lets):
    """Yield the booths. Add id -> (event, participant, status) of each that is let to `lets`."""
    for event in range(1, show.events + 1):
        for number in range(show.booths):
            status = {7: "reserved", 8: "available", 9: "blocked"}.get(number % 10, "sold")
            if status in ("sold", "reserved"):
                exhibitors = show.exhibitors[event]
                lets[(event - 1) * show.booths + number + 1] = (
                    event,
                    exhibitors[number % len(exhibitors)],
                    status,
                )
            yield (
                event,
                event,
                1 + number % 4,
                f"{chr(65 + number // 30)}{number % 30 + 1:02}",
                4000,
                4000,
                2000 + number % 30 * 5000,
                2000 + number // 30 * 10000,
                0,
                256000,
                BREAKDOWN,
                status,
                LATER if status == "reserved" else None,
                timestamp(0),
                timestamp(number),
            )


def reservation(booth, event, participant, status):
    is_sold = status == "sold"
    return (
        booth,
        event,
        participant,
        "confirmed" if is_sold else "pending",
        256000,
        BREAKDOWN,
        1900,
        any_time(),
        None if is_sold else LATER,
        timestamp(9) if is_sold else None,
        1,
        timestamp(booth),
        timestamp(booth),
    )


def fill_orders(connection, show):
    statuses = {"confirmed": 50, "completed": 30, "submitted": 8, "draft": 7, "cancelled": 5}
    orders = [
        (id, *chance.choice(show.shown), one_of(statuses), any_time())
        for id in range(1, show.orders + 1)
    ]
    put(
        connection,
        "service_orders",
        "id,order_number,event_id,event_participant_id,status,currency,subtotal,"
        "tax_total,total,submitted_at,created_at,updated_at",
        (order(*row) for row in orders),
    )
    put(
        connection,
        "service_order_items",
        "service_order_id,position,service_id,service_name,unit,quantity,unit_price,"
        "net,tax_rate,status,cancelled_at",
        (item for row in orders for item in order_items(*row)),
    )
    connection.execute("""INSERT INTO counters
        SELECT 'service_order-' || substr(order_number, 4, 4), max(CAST(substr(order_number, 9) AS INTEGER))
          FROM service_orders WHERE order_number IS NOT NULL GROUP BY 1""")
    count_ordered(connection)


def order(id, event, participant, status, at):
    is_draft, sums = status == "draft", (0, 0, 0) if status == "cancelled" else (30000, 5700, 35700)
    return (
        id,
        None if is_draft else f"SO-{at[:4]}-{id:05}",
        event,
        participant,
        status,
        "EUR",
        *sums,
        None if is_draft else at,
        at,
        at,
    )


def order_items(id, event, participant, status, at):
    return [
        (
            id,
            position,
            1 + (id * 7 + position) % SERVICES,
            "Service",
            "piece",
            2000,
            5000,
            10000,
            1900,
            ITEM_STATUS.get(status, "pending"),
            at if status == "cancelled" else None,
        )
        for position in (1, 2, 3)
    ]


def count_ordered(connection):
    """Store what is ordered of each service."""
    connection.execute("CREATE INDEX seed_items ON service_order_items (service_id)")
    connection.execute("""
        UPDATE service_events SET ordered = coalesce((
          SELECT sum(t.quantity) FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
           WHERE t.service_id = service_events.service_id AND o.event_id = service_events.event_id
             AND o.status IN ('submitted', 'confirmed', 'completed') AND t.status <> 'cancelled'), 0)""")
    connection.execute("DROP INDEX seed_items")


def fill_programme(connection, show):
    put(
        connection,
        "schedule_slots",
        "event_id,slot_date,start_time,end_time,starts_at,ends_at,location,"
        "location_folded,title,slot_type,is_public,allow_overlap,sort_order,created_at,updated_at",
        (slot(number, 1 + number % show.events, show.days) for number in range(show.slots)),
    )


def slot(number, event, days):
    day, hour = days[event - 1] + timedelta(days=number % 4), f"{9 + number % 9:02}"
    return (
        event,
        str(day),
        f"{hour}:00",
        f"{hour}:50",
        f"{day}T{hour}:00:00Z",
        f"{day}T{hour}:50:00Z",
        f"Room {number % 30}",
        f"room {number % 30}",
        f"{chance.choice(TRADES)} {number}",
        "talk",
        1,
        1,
        number,
        timestamp(0),
        timestamp(number),
    )
