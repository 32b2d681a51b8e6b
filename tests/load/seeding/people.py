"""Contacts with tags, categories and custom fields, participants, applications and newsletter
subscribers.
"""

import json

from eventapi.storage import folding
from tests.load.seeding.tables import put
from tests.load.seeding.words import (
    BEGIN,
    COUNTRIES,
    FIRST_NAMES,
    LAST_NAMES,
    LEGAL_FORMS,
    SPAN,
    TAGS,
    TOWNS,
    TRADES,
    any_time,
    badge_number,
    chance,
    one_of,
    timestamp,
)

ROLES = {
    "visitor": 880,
    "exhibitor": 80,
    "co_exhibitor": 15,
    "sponsor": 3,
    "speaker": 12,
    "press": 5,
    "staff": 5,
}
CATEGORIES = 30
FIELDS = (
    ("contact", "branch", "text"),
    ("contact", "vip", "boolean"),
    ("event_participant", "meal", "text"),
    ("booth", "power", "integer"),
)


def fill_people(connection, show):
    fill_categories(connection)
    put(
        connection,
        "contacts",
        "id,customer_number,external_id,company_name,first_name,last_name,email,phone,address,"
        "postal_code,city,country,notes,language,rating,account_access_enabled,folded_name,folded_phone,created_at,"
        "updated_at",
        (contact(id) for id in range(1, show.contacts + 1)),
    )
    connection.execute("INSERT INTO counters VALUES ('customer_number', ?)", (show.contacts,))
    fill_groups(connection, show)
    fill_custom_fields(connection, show)
    put(
        connection,
        "participants",
        "id,event_id,contact_id,role,status,category_id,badge_number,created_at,updated_at",
        participants(show),
    )


def fill_categories(connection):
    put(
        connection,
        "categories",
        "category_key,title,is_visible,applicant_visibility,account_access_enabled,"
        "sort_order,base_price,created_at,updated_at",
        [
            (
                f"cat-{number}",
                f"Category {number}",
                1,
                "selectable",
                1,
                number,
                10000,
                timestamp(0),
                timestamp(number),
            )
            for number in range(1, CATEGORIES + 1)
        ],
    )


def contact(id):
    """Return a row of contacts.

    One of three is a company, one of ten has no e-mail address, some have that of another.
    """
    company = None
    if chance.random() < 0.35:
        company = (
            f"{chance.choice(TRADES)} {chance.choice(LAST_NAMES)} {chance.choice(LEGAL_FORMS)}"
        )
    last_name, created = chance.choice(LAST_NAMES), int(chance.random() ** 0.7 * SPAN)
    country, code = one_of(COUNTRIES), f"{chance.randrange(10000, 99999)}"
    email = None
    if chance.random() >= 0.1:
        number = id if chance.random() > 0.005 else id // 2
        email = f"{last_name.lower()}{number}@{'firma' if company else 'mail'}{id % 500}.example"
    phone = f"+49341{id:07}" if chance.random() < 0.6 else None
    folded = f"{folding.letters(company)} {folding.letters(code)}" if company else None
    return (
        id,
        f"C-{id:05}",
        f"x{id}" if id % 2 else None,
        company,
        chance.choice(FIRST_NAMES),
        last_name,
        email,
        phone,
        f"Lindenweg {id % 200}",
        code,
        chance.choice(TOWNS),
        country,
        None if id % 9 else "kommt gern wieder",
        "de",
        one_of({3: 80, 1: 5, 2: 5, 4: 5, 5: 5}),
        1,
        folded,
        phone and phone[1:],
        timestamp(created),
        timestamp(min(SPAN, created + int(chance.random() * (SPAN - created)))),
    )


def fill_groups(connection, show):
    """Tags and categories, a few common, most rare: `tag0` and category 1 have more contacts than
    `tag30` and 28.
    """
    tags = {
        (id, TAGS[min(39, int(chance.expovariate(0.15)))])
        for id in range(1, show.contacts + 1)
        for _ in range(id % 3)
    }
    tags |= {(number * 7, "rare") for number in range(1, 6)}
    put(
        connection, "contact_tags", "contact_id,tag", sorted(tags, key=lambda row: (row[1], row[0]))
    )
    categories = {
        (id, 1 + min(28, int(chance.expovariate(0.3)))) for id in range(3, show.contacts + 1, 3)
    }
    categories |= {(number * 9, CATEGORIES) for number in range(1, 6)}
    put(connection, "contact_categories", "contact_id,category_id", sorted(categories))
    connection.execute(
        "UPDATE contact_categories SET (country, company_name) = "
        "(SELECT country, company_name FROM contacts WHERE id = contact_id)"
    )


def fill_custom_fields(connection, show):
    put(
        connection,
        "custom_field_definitions",
        "id,entity_type,field_key,field_label,field_type,field_options,"
        "validation_rules,is_required,is_searchable,applicant_visibility,is_active,display_order,created_at,updated_at",
        [
            (
                id,
                entity,
                key,
                key,
                kind,
                "[]",
                "{}",
                0,
                1,
                "hidden",
                1,
                id,
                timestamp(0),
                timestamp(0),
            )
            for id, (entity, key, kind) in enumerate(FIELDS, 1)
        ],
    )
    put(
        connection,
        "custom_field_values",
        "entity_type,entity_id,field_id,value",
        custom_field_values(show),
    )
    connection.execute(
        "INSERT OR IGNORE INTO custom_field_terms SELECT v.field_id, t.value, v.entity_id "
        "FROM custom_field_values v, json_each(v.value) t"
    )


def custom_field_values(show):
    for id in range(3, show.contacts, 5):
        yield (
            "contact",
            id,
            1,
            json.dumps(TRADES[id % 15] if id % 100_000 else "seltenes", ensure_ascii=False),
        )
    yield from (("contact", id, 2, "true") for id in range(3, show.contacts, 50))
    yield from (("event_participant", id, 3, '"veg"') for id in range(3, show.people, 50))


def participants(show):
    """Yield the participants of each event, each contact at most once per event.

    Record them in `show`.
    """
    id, per_event = 0, show.people // show.events
    for event in range(1, show.events + 1):
        opens = (show.days[event - 1] - BEGIN.date()).days * 86400
        for contact_id in chance.sample(range(2, show.contacts + 1), per_event):
            id += 1
            role = one_of(ROLES)
            created = max(0, min(SPAN - 1, opens - int(chance.random() * 180 * 86400)))
            status = one_of({"confirmed": 70, "registered": 25, "cancelled": 5})
            number = badge_number()
            show.participants.append((event, contact_id, role, status, number))
            if role == "exhibitor" and status == "confirmed":
                show.exhibitors.setdefault(event, []).append(id)
            yield (
                id,
                event,
                contact_id,
                role,
                status,
                1 + id % CATEGORIES if role == "exhibitor" else None,
                number,
                timestamp(created),
                timestamp(min(SPAN, created + 86400)),
            )


def fill_applications(connection, show):
    statuses = {"new": 5, "in_review": 5, "approved": 70, "rejected": 15, "withdrawn": 5}
    put(
        connection,
        "applications",
        "id,status,company_name,first_name,last_name,email,city,country,rating,late,"
        "created_at,updated_at",
        (
            (
                id,
                one_of(statuses),
                f"{chance.choice(TRADES)} {chance.choice(LAST_NAMES)} AG",
                chance.choice(FIRST_NAMES),
                chance.choice(LAST_NAMES),
                f"a{id}@firma{id % 99}.example",
                chance.choice(TOWNS),
                one_of(COUNTRIES),
                3,
                0,
                any_time(),
                any_time(),
            )
            for id in range(1, show.applications + 1)
        ),
    )
    put(
        connection,
        "application_events",
        "application_id,event_id",
        [(id, 1 + id % show.events) for id in range(1, show.applications + 1)],
    )
    put(
        connection,
        "application_categories",
        "application_id,category_id",
        [(id, 1 + id % CATEGORIES) for id in range(1, show.applications + 1)],
    )


def fill_newsletter(connection, show):
    def subscriber(number):
        status, at = one_of({"confirmed": 80, "pending": 5, "unsubscribed": 15}), any_time()
        return (
            f"news{number}@mail{number % 50}.example",
            f"{chance.choice(FIRST_NAMES)} {chance.choice(LAST_NAMES)}",
            status,
            None if status == "pending" else at,
            at,
            at,
        )

    put(
        connection,
        "newsletter_subscribers",
        "email,name,status,confirmed_at,created_at,updated_at",
        (subscriber(number) for number in range(show.subscribers)),
    )
