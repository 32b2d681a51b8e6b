"""Texts are sorted and searched without differences of case, accents and spelling, in every list."""

import random
import re
import unicodedata
from functools import lru_cache

import pytest

from eventapi.validation.schema_files import definition, query_schema
from tests.support import camt
from tests.support.examples import all_routes, body_for, collections, make
from tests.web.test_routes import each

COMPOSED, DECOMPOSED = "Ärztebund", "A\u0308rzteverband"

# Names in the order in which people look for them.
NAMES = [
    "aal",
    "Ærø",
    "Aerosol",
    "Arzt",
    COMPOSED,
    DECOMPOSED,
    "Asche",
    "Đuro",
    "Dutch",
    "ﬁn",
    "\uff26ull",
    "Łódź",
    "LODZER",
    "Œuvre",
    "ohm",
    "Øresund",
    "Straße",
    "STRASSER",
    "Þing",
    "Zebra",
    "ZEBU",
]
# Numbers by their value. The list of a kind applies to the fields below.
NUMBERED = {
    ("booth", "booth_number"): ["2", "10", "A1", "a2", "A10", "Ä11", "B1"],
    ("booth_reservation", "booth_number"): ["2", "10", "A1", "a2", "A10", "Ä11", "B1"],
    ("plan", "plan_name"): ["Hall 2", "HALL 10", "Hâll 11", "Halle 1"],
    ("plan", "area_name"): ["Wing 2", "wing 10", "Wing 010b"],
    ("plan", "plan_key"): ["hall-2", "Hall-10", "hall-11"],
    ("contact", "customer_number"): ["C-9", "c-10", "C-99999", "C-100000", "D-1"],
    ("invoice", "invoice_number"): ["2019/7", "2019/12", "RE 9", "re 10"],
}
KEYS = ["Alpha", "beta", "Delta", "gamma"]
LOWER_CASE_KEYS = ["alpha", "beta", "delta", "gamma"]
# Fields that eventapi assigns: their numbers have a fixed width.
ASSIGNED = {("document", "document_number"), ("service_order", "order_number")}
# Records that are about another record, whose field the list shows: (schema, field) -> the other
# record.
BORROWED = {
    ("booth_reservation", "booth_number"): "booth",
    **{("participant", field): "contact" for field in ("company_name", "first_name", "last_name")},
}
# Values that replace those of the example, so that many records can exist: booths must not overlap.
APART = {"booth": {"pos_x": None, "pos_y": None}}

# Pairs of spellings that find each other.
PAIRS = [
    ("Straße", "STRASSE"),
    ("Weiß", "WEISS"),
    ("Müller", "Mu\u0308ller"),
    ("Łódź", "lodz"),
    ("Œuvre", "oeuvre"),
    ("Smørrebrød", "SMORREBROD"),
    ("Ærø", "aero"),
    ("Đakovo", "DAKOVO"),
    ("ﬁnanz", "FINANZ"),
    ("İzmir", "izmir"),
    ("Þingvellir", "thingvellir"),
    ("\uff37ide", "wide"),
    ("Ñandú", "nandu"),
    ("ΕΛΛΑΣ", "ελλάς"),
]
# What a search must find: schema of the list -> the fields that it reads (of contacts for the audit
# log). Each pair is tested with the first field, and the first pair with all fields.
SEARCHED = {
    "application": "company_name first_name last_name email city",
    "audit_entry": "company_name",
    "bank_transaction": "party text",
    "contact": "company_name first_name last_name email customer_number city",
    "event": "title description city",
    "invoice": "invoice_number",
    "newsletter_subscriber": "name email",
    "participant": "company_name first_name last_name",
    "payment": "notes transaction_id",
    "service": "service_name short_description description",
    "task": "title description",
}

LISTS = [route for route in all_routes() if route.options.listing]


def text_field(schema, field):
    """Return the schema of a field if it holds free text or a key, else None."""
    found = definition(schema)["properties"].get(field, {})
    types = found.get("type", [])
    is_text = "string" in ([types] if isinstance(types, str) else types) and "enum" not in found
    return found if is_text and found.get("format") in (None, "line", "email") else None


@lru_cache(maxsize=None)
def text_sorts():
    """Return (route, field) for each list and each text that it can be sorted by."""
    return [
        (route, field)
        for route in LISTS
        for field in query_schema(route.options.query, listing=True)["properties"]["sort"]["enum"]
        if field != "id" and text_field(route.options.singular, field)
    ]


def texts_for(schema, field):
    """Return lists of texts in their order, to be tested one after the other."""
    found = text_field(schema, field)
    if found.get("format") == "email":
        return [[f"{name}@example.org" for name in NAMES]]
    if "pattern" in found and not re.fullmatch(found["pattern"], NAMES[1]):
        keys = KEYS if re.fullmatch(found["pattern"], KEYS[0]) else LOWER_CASE_KEYS
        return [NUMBERED[schema, field]] if (schema, field) in NUMBERED else [keys]
    numbered = NUMBERED.get((schema, field), ())
    return [NAMES, *([numbered] if numbered else [])]


def walk(client, path, query):
    """Return all records of a list, page by page and by cursor: two lists."""
    pages, number = [], 1
    while data := client.get(f"{path}?{query}&per_page=7&page={number}", status=200).json["data"]:
        pages, number = pages + data, number + 1
    steps, after = [], ""
    while after is not None:
        answer = client.get(f"{path}?{query}&per_page=7&after={after}", status=200).json
        steps, after = steps + answer["data"], answer["meta"]["next"]
    return pages, steps


def create(client, schema, field, text, made):
    """Create a record with a text in a field.

    The records that it refers to are shared through `made`.
    """
    if schema == "bank_transaction":
        return imported(client, field, text)
    if (schema, field) in BORROWED:
        other = BORROWED[schema, field]
        return client.make(
            collections()[schema],
            body_for(client, schema, {**made, other: create(client, other, field, text, made)}),
        )
    return client.make(
        collections()[schema],
        {**body_for(client, schema, made), **APART.get(schema, {}), field: text},
    )


def imported(client, field, text):
    """Return the bank transaction of a statement whose only entry has a text in a field."""
    entry = {"amount": 100, "day": "2026-05-04", "bank_reference": f"{field} {text}", field: text}
    statement = camt.document([camt.statement("DE02120300000000202051", [entry])])
    client(
        "POST",
        "/payments/import",
        raw=statement,
        headers={"Content-Type": "application/xml"},
        status=201,
    )
    return client.data("/payments/unmatched?sort=id&order=DESC&per_page=1")[0]


def shared_records(client, schema):
    """Create the records that the example of a schema refers to, and return them by their schema."""
    made = {}
    body_for(client, schema, made)
    return made


@pytest.fixture(scope="module")
def sortable(shared):
    """Return a function that creates records with texts in a field, in any order: id -> text.

    Lists may share them.
    """

    @lru_cache(maxsize=None)
    def create_all(schema, field, texts):
        made = shared_records(shared.organiser, schema)
        shuffled = random.Random(7).sample(texts, len(texts))
        return {
            create(shared.organiser, schema, field, text, made)["id"]: text for text in shuffled
        }

    return create_all


def test_every_text_sort_is_tested():
    """A list that is new appears here by itself. This test protects the discovery."""
    found = {(route.options.singular, field) for route, field in text_sorts()}
    assert {
        ("contact", "company_name"),
        ("booth", "booth_number"),
        ("webhook", "name"),
        ("plan", "plan_key"),
        ("newsletter_subscriber", "email"),
        ("invoice", "invoice_number"),
    } <= found
    assert NUMBERED.keys() | ASSIGNED <= found


@pytest.mark.parametrize(
    "route, field", text_sorts(), ids=lambda value: getattr(value, "path", value)
)
def test_a_list_sorts_texts_as_people_do(shared, sortable, route, field):
    schema, client = route.options.singular, shared.organiser
    if (schema, field) in ASSIGNED:
        assert definition(schema)["properties"][field]["readOnly"]
        return
    for texts in texts_for(schema, field):
        records = sortable(schema, field, tuple(texts))
        required = query_schema(route.options.query, listing=True)
        required = [*required["required"], *required.get("x-at", [])]
        owner = client.data(f"{collections()[schema]}/{next(iter(records))}")
        given = "&".join(f"{name}={owner[name]}" for name in required)
        for order, expected in (("ASC", texts), ("DESC", texts[::-1])):
            for found in walk(client, route.path, f"{given}&sort={field}&order={order}"):
                assert [records[row["id"]] for row in found if row["id"] in records] == expected, (
                    field,
                    order,
                )


@pytest.mark.parametrize(
    "filter", ["country=AT", "category_key={key}", "category_key={key}&country=AT"]
)
@pytest.mark.parametrize("field", ["company_name", "last_name", "city", "customer_number"])
def test_contacts_of_a_country_or_a_category_are_sorted_the_same_way(shared, field, filter):
    client = shared.organiser
    category = make(client, "category")
    for texts in texts_for("contact", field):
        texts = (
            [f"{text} {filter[0]}{field}{len(filter)}" for text in texts]
            if field == "customer_number"
            else texts
        )
        made = {}
        for text in random.Random(7).sample(texts, len(texts)):
            body = {
                "last_name": "x",
                field: text,
                "country": "AT",
                "category_keys": [category["category_key"]],
            }
            made[client.make("/contacts", body)["id"]] = text
        query = filter.format(key=category["category_key"])
        for found in walk(client, "/contacts", f"{query}&sort={field}&order=ASC"):
            assert [made[row["id"]] for row in found if row["id"] in made] == texts


def test_a_changed_name_moves_the_record(shared):
    """The copies of a name in other tables follow it: in the categories of a contact, and in
    reservations.
    """
    client = shared.organiser
    category = make(client, "category")["category_key"]
    ids = [
        client.make("/contacts", {"company_name": name, "category_keys": [category]})["id"]
        for name in ("Arzt", "Öl", "Zebra")
    ]
    client.patch(f"/contacts/{ids[0]}", {"company_name": "Ærø"}, status=200)
    client.patch(f"/contacts/{ids[2]}", {"company_name": "ÄRA"}, status=200)
    found = client.data(f"/contacts?category_key={category}&sort=company_name&order=ASC")
    assert [row["company_name"] for row in found] == ["Ærø", "ÄRA", "Öl"]
    assert [row["id"] for row in client.data("/contacts?search=aro")] == []
    made = shared_records(client, "booth_reservation")
    low, high = (
        create(client, "booth_reservation", "booth_number", number, made)
        for number in ("0A1", "0A10")
    )
    client.patch(f"/booths/{low['booth_id']}", {"booth_number": "0A11"}, status=200)
    found = client.data("/booth-reservations?sort=booth_number&order=ASC&per_page=100")
    assert [row["booth_number"] for row in found if row["id"] in (low["id"], high["id"])] == [
        "0A10",
        "0A11",
    ]


# searches numbers, which the service writes
@each(
    "route",
    [
        route
        for route in LISTS
        if "search" in query_schema(route.options.query, listing=True)["properties"]
        and route.options.singular != "service_order"
    ],
)
def test_a_search_finds_every_spelling(shared, route):
    assert route.options.singular in SEARCHED, "name the field that this list searches, in SEARCHED"
    client, (first, *others) = shared.organiser, SEARCHED[route.options.singular].split()
    schema = "contact" if route.options.singular == "audit_entry" else route.options.singular
    for field, pair in [
        *((first, pair) for pair in PAIRS),
        *((field, PAIRS[0]) for field in others),
    ]:
        spellings = {
            *pair,
            *(unicodedata.normalize(form, text) for form in ("NFC", "NFD") for text in pair),
        }
        made = shared_records(client, schema)
        form = "{}{}@example.org" if field == "email" else "{} {}"
        records = {
            create(client, schema, field, form.format(text, number), made)["id"]
            for number, text in enumerate(sorted(spellings))
        }
        for text in spellings:
            found = client.data(f"{route.path}?search={text}&per_page=100")
            ids = {
                row["entity_id"] if route.options.singular == "audit_entry" else row["id"]
                for row in found
            }
            assert records <= ids, (field, pair, text)
