"""Contacts."""

import itertools
import random
import re

import pytest

from eventapi import journal, times
from eventapi.domain.people import contacts
from eventapi.domain.privacy import erasing, remnants
from eventapi.domain.records import normalising
from eventapi.domain.subjects import SUBJECTS
from eventapi.storage.statements import statements
from tests.domain.test_billing import Fair
from tests.support.client import SCOPES
from tests.support.prepared import prepared

PERSON = {
    "external_id": "crm-9",
    "company_name": "Rosen Tantau KG",
    "first_name": "Anna",
    "last_name": "Gärtner",
    "email": "anna@rosen.example",
    "invoice_email": "bills@rosen.example",
    "phone": "+49 4122 7084",
    "fax": "+49 4122 7087",
    "mobile": "+49 170 1",
    "postal_code": "25436",
    "address": "Tornescher Weg 13",
    "city": "Uetersen",
    "state": "SH",
    "country": "DE",
    "website": "https://rosen.example",
    "notes": "Knows the hall",
    "tax_id": "DE136695976",
    "is_business": True,
    "leitweg_id": "991-33333TEST-33",
    "gln": "4012345000009",
    "electronic_address": "0204:991-33333TEST-33",
    "e_invoice_profile": "xrechnung",
    "language": "de",
    "rating": 5,
    "tags": ["roses"],
    "account_access_enabled": True,
}


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})


@pytest.fixture
def roses(organiser):
    return organiser.make("/categories", {"title": "Roses"})


def journalled(db, entity_type):
    rows = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = ? ORDER BY id", (entity_type,)
    )
    return [action for (action,) in rows]


def names(organiser, query):
    return [contact["company_name"] for contact in organiser.data(f"/contacts?{query}")]


# One contact


def test_a_contact_is_created_read_changed_and_deleted(organiser, db):
    contact = organiser.make("/contacts", PERSON)
    assert contact == {
        **PERSON,
        "id": contact["id"],
        "customer_number": "C-00001",
        "has_account": False,
        "vat_check": None,
        "newsletter_status": "none",
        "anonymized_at": None,
        "custom_fields": {},
        "created_at": contact["created_at"],
        "updated_at": contact["updated_at"],
    }
    address = f"/contacts/{contact['id']}"
    assert organiser.data(address) == contact
    changed = organiser.patch(
        address, {"city": "Elmshorn", "tags": ["vip", "Roses"]}, status=200
    ).json["data"]
    assert changed == {
        **contact,
        "city": "Elmshorn",
        "tags": ["Roses", "vip"],
        "updated_at": changed["updated_at"],
    }
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert journalled(db, "contact") == ["created", "updated", "deleted"]


def test_omitted_fields_have_their_defaults(organiser):
    contact = organiser.make("/contacts", {"phone": "0341 1"})
    assert (
        contact["country"],
        contact["rating"],
        contact["tags"],
        contact["account_access_enabled"],
    ) == ("DE", 3, [], False)


def test_a_contact_needs_a_name_or_another_identifier(organiser):
    answer = organiser.post(
        "/contacts", {"city": "Leipzig", "email": None, "company_name": " "}, status=422
    )
    assert answer.json["errors"][0]["code"] == "any_of"
    organiser.make("/contacts", {"customer_number": "K-1"})


def test_customer_numbers_continue_and_skip_taken_ones(organiser):
    organiser.make("/contacts", {"customer_number": "C-00002"})
    made = [organiser.make("/contacts", {"last_name": "x"})["customer_number"] for _ in range(3)]
    assert made == ["C-00001", "C-00003", "C-00004"]


@pytest.mark.parametrize("field", ["customer_number", "external_id"])
def test_customer_numbers_are_unique(organiser, field):
    organiser.make("/contacts", {"last_name": "x", field: "A-1"})
    answer = organiser.post("/contacts", {"last_name": "y", field: "A-1"}, status=409).json
    assert (answer["code"], answer["member"]) == ("duplicate", field)
    other = organiser.make("/contacts", {"last_name": "z"})
    organiser.patch(f"/contacts/{other['id']}", {field: "A-1"}, status=409)


def test_all_faults_are_reported_together(organiser):
    errors = organiser.post(
        "/contacts",
        {"email": "no", "country": "XX", "rating": 6, "language": "?", "tags": [""], "nmae": 1},
        status=422,
    ).json["errors"]
    assert {entry["pointer"] for entry in errors} == {
        "/email",
        "/country",
        "/rating",
        "/language",
        "/tags/0",
        "/nmae",
    }
    errors = organiser.post(
        "/contacts", {"last_name": "x", "category_keys": ["no"], "event_keys": ["no"]}, status=422
    ).json["errors"]
    assert [entry["pointer"] for entry in errors] == ["/category_keys/0", "/event_keys/0"]


def test_categories_are_assigned_by_key_replaced_and_journalled(organiser, roses, db):
    organiser.make("/categories", {"title": "Tools"})
    contact = organiser.make("/contacts", {"last_name": "x", "category_keys": ["roses"]})
    address = f"/contacts/{contact['id']}"
    assert organiser.data(f"{address}?include=categories")["categories"] == [
        {"id": roses["id"], "category_key": "roses", "title": "Roses"}
    ]
    organiser.patch(address, {"category_keys": ["tools"]}, status=200)
    assert [
        entry["category_key"]
        for entry in organiser.data(f"{address}?include=categories")["categories"]
    ] == ["tools"]
    organiser.patch(address, {"city": "Ulm"}, status=200)
    assert organiser.data(f"{address}?include=categories")["categories"]
    entry = db.connection.execute(
        "SELECT old_values, new_values FROM audit_log WHERE action = 'updated' ORDER BY id"
    ).fetchone()
    assert entry == ('{"category_keys":["roses"]}', '{"category_keys":["tools"]}')


def test_participations_are_added_and_removed_by_event_key(organiser, fair, db):
    other = organiser.make("/events", {"title": "Winter Fair", "event_key": "winter"})
    contact = organiser.make("/contacts", {"last_name": "x", "event_keys": ["fair"]})
    address = f"/contacts/{contact['id']}"
    [joined] = organiser.data(f"{address}?include=events")["events"]
    assert joined == {
        "id": fair["id"],
        "event_key": "fair",
        "title": "Garden Fair",
        "participant_id": joined["participant_id"],
    }
    assert organiser.data(f"/participants/{joined['participant_id']}")["role"] == "exhibitor"
    organiser.patch(address, {"event_keys": ["fair", "winter"]}, status=200)
    kept = organiser.data(f"{address}?include=events")["events"]
    assert [event["id"] for event in kept] == [fair["id"], other["id"]] and kept[0] == joined
    organiser.patch(address, {"event_keys": []}, status=200)
    assert organiser.data(f"{address}?include=events")["events"] == []
    assert journalled(db, "event_participant") == ["created", "created", "deleted", "deleted"]


def test_sending_back_a_contact_that_was_read_changes_nothing(organiser, db, roses):
    contact = organiser.make(
        "/contacts", {**PERSON, "category_keys": ["roses"], "tags": ["b", "a"]}
    )
    read = organiser.data(f"/contacts/{contact['id']}?include=categories,events")
    assert (
        organiser.put(
            f"/contacts/{contact['id']}",
            {**read, "tags": ["b", "a"], "category_keys": ["roses"]},
            status=200,
        ).json["data"]
        == contact
    )
    assert journalled(db, "contact") == ["created"]


def test_a_stale_change_is_refused(organiser):
    contact = organiser.make("/contacts", PERSON)
    address = f"/contacts/{contact['id']}"
    tag = organiser.get(address).headers["ETag"]
    organiser.patch(address, {"rating": 1}, headers={"If-Match": tag}, status=200)
    organiser.patch(address, {"rating": 2}, headers={"If-Match": tag}, status=412)
    organiser.delete(address, headers={"If-Match": tag}, status=412)


def test_a_contact_with_participations_cannot_be_deleted(organiser, fair):
    contact = organiser.make("/contacts", {"last_name": "x", "event_keys": ["fair"]})
    answer = organiser.delete(f"/contacts/{contact['id']}", status=409).json
    assert (
        answer["used_by"] == ["participants"]
        and f"/contacts/{contact['id']}/anonymize" in answer["detail"]
    )


# Lists


@prepared
def three(organiser, db):
    """Create three contacts, two of them in the category `roses`, one at the event `fair`."""
    organiser.make("/categories", {"title": "Roses"})
    organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})
    organiser.make(
        "/contacts",
        {
            "company_name": "Äpfel AG",
            "email": "Info@Apfel.example",
            "country": "AT",
            "tags": ["Fruit"],
            "category_keys": ["roses"],
            "city": "Graz",
            "external_id": "x1",
        },
    )
    organiser.make(
        "/contacts",
        {
            "company_name": "Birnen GmbH",
            "last_name": "Müller",
            "city": "Bonn",
            "event_keys": ["fair"],
            "category_keys": ["roses"],
        },
    )
    organiser.make("/contacts", {"company_name": "Citrus KG", "customer_number": "K-7"})


@pytest.mark.parametrize(
    "query, found",
    [
        ("search=apfel", "Ä"),
        ("search=mull", "B"),
        ("search=mueller", "B"),
        ("search=M%C3%BCller", "B"),
        ("search=K-7", "C"),
        ("search=nobody", ""),
        ("email=info@apfel.example", "Ä"),
        ("country=DE", "BC"),
        ("tag=fruit", "Ä"),
        ("external_id=x1", "Ä"),
        ("customer_number=K-7", "C"),
        ("event_key=fair", "B"),
        ("event_id=1", "B"),
        ("category_key=roses", "ÄB"),
        ("category_key=roses&country=DE", "B"),
        ("category_key=roses&search=graz", "Ä"),
        ("category_key=roses&event_key=fair&ids=2", "B"),
        ("category_key=none", ""),
        ("event_key=none", ""),
        ("category_id=1&tag=fruit", "Ä"),
        ("category_id=1&email=INFO@apfel.example", "Ä"),
        ("category_id=1&external_id=x1", "Ä"),
        ("category_id=1&customer_number=K-7", ""),
        ("category_id=1&updated_since=2020-01-01T00:00:00Z", "ÄB"),
        ("updated_since=2999-01-01T00:00:00Z", ""),
    ],
)
def test_contacts_are_found(organiser, three, query, found):
    answer = organiser.get(f"/contacts?{query}&order=ASC&per_page=1", status=200).json
    assert answer["meta"]["total"] == len(found)
    assert "".join(name[0] for name in names(organiser, f"{query}&order=ASC")) == found


@pytest.mark.parametrize("where", ["", "&category_key=roses", "&country=DE"])
@pytest.mark.parametrize(
    "sort",
    [
        "company_name",
        "last_name",
        "first_name",
        "email",
        "customer_number",
        "city",
        "created_at",
        "id",
    ],
)
def test_contacts_are_sorted_and_paged(organiser, three, sort, where):
    for order in ("ASC", "DESC"):
        by_page = names(organiser, f"sort={sort}&order={order}{where}")
        walked, cursor = [], ""
        while cursor is not None:
            answer = organiser.get(
                f"/contacts?sort={sort}&order={order}&per_page=1&after={cursor}{where}", status=200
            ).json
            walked += [contact["company_name"] for contact in answer["data"]]
            cursor = answer["meta"]["next"]
        assert walked == by_page and len(walked) == len(set(walked)) == {"": 3}.get(where, 2)


def test_null_sorts_last_in_both_directions(organiser, three):
    assert names(organiser, "sort=city&order=ASC") == ["Birnen GmbH", "Äpfel AG", "Citrus KG"]
    assert names(organiser, "sort=city&order=DESC")[-1] == "Citrus KG"


def test_a_list_includes_categories_and_events(organiser, three):
    listed = organiser.data("/contacts?include=categories,events&order=ASC")
    assert [len(contact["categories"]) for contact in listed] == [1, 1, 0]
    assert [len(contact["events"]) for contact in listed] == [0, 1, 0]


def test_contacts_are_exported_as_csv(organiser, three):
    lines = organiser.get(
        "/contacts?include=categories&order=ASC", headers={"Accept": "text/csv"}, status=200
    ).text.splitlines()
    assert len(lines) == 4 and "categories.category_key" in lines[0] and ",Fruit," in lines[1]


@prepared
def mixed(organiser, db):
    """Create twelve contacts that differ in tag, event, category, country, name and a custom field.

    Return them.
    """
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "hall",
            "field_label": "Hall",
            "field_type": "text",
            "is_searchable": True,
        },
    )
    organiser.make("/categories", {"title": "Roses", "category_key": "roses"})
    fair = organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    made = []
    for number in range(12):
        made.append(
            organiser.make(
                "/contacts",
                {
                    "company_name": None
                    if number == 5
                    else f"{'Linden' if number % 3 else 'Rosen'} {number * 7 % 12:02}",
                    "last_name": "x",
                    "country": "DE" if number % 2 else "AT",
                    "tags": ["press"] if number % 4 else ["vip"],
                    "category_keys": ["roses"] if number > 4 else [],
                    **({"custom_fields": {"hall": "north"}} if number % 5 else {}),
                },
            )
        )
        for role in ("visitor", "speaker")[: number % 3]:
            organiser.make(
                "/participants",
                {"event_id": fair["id"], "contact_id": made[-1]["id"], "role": role},
            )
    return made


PASSES = {
    "search=linden": lambda number: number % 3 and number != 5,
    "tag=press": lambda number: number % 4,
    "event_key=fair": lambda number: number % 3,
    "category_key=roses": lambda number: number > 4,
    "country=DE": lambda number: number % 2,
    "cf.hall=north": lambda number: number % 5,
}


@pytest.mark.parametrize("sort", ["id", "company_name", "city"])
def test_filters_find_the_contacts_that_pass_all_of_them(mixed, organiser, sort):
    for size in (1, 2, 3):
        for chosen in itertools.combinations(PASSES, size):
            passing = [
                contact["id"]
                for number, contact in enumerate(mixed)
                if all(PASSES[query](number) for query in chosen)
            ]
            for order in ("ASC", "DESC"):
                query = "&".join([*chosen, f"sort={sort}&order={order}"])
                answer = organiser.get(f"/contacts?{query}", status=200).json
                found = [contact["id"] for contact in answer["data"]]
                assert sorted(found) == passing and answer["meta"]["total"] == len(passing), query
                pages = [
                    contact["id"]
                    for page in (1, 2, 3, 4)
                    for contact in organiser.data(f"/contacts?{query}&per_page=3&page={page}")
                ]
                first = organiser.get(f"/contacts?{query}&per_page=4&after=", status=200).json
                after = first["meta"]["next"]
                rest = organiser.data(f"/contacts?{query}&after={after}") if after else []
                assert pages == found == [contact["id"] for contact in first["data"] + rest], query
                names = [
                    contact["company_name"] for contact in answer["data"] if contact["company_name"]
                ]
                assert sort != "company_name" or names == sorted(names, reverse=order == "DESC")


# Duplicates and merging


@pytest.mark.parametrize(
    "one, other",
    [
        ("+49 341 12345", "0341/12345"),
        ("0049 (0)341 12345", "0341 123-45"),
        ("+49 (0) 341 12345", "0341 12345"),
    ],
)
def test_a_phone_number_is_the_same_however_it_is_written(one, other):
    assert normalising.phone(one, "DE") == normalising.phone(other, "DE") == "4934112345"
    assert normalising.phone(one, "AT") != normalising.phone(other, "AT")


def test_tags_are_sorted_as_people_do(organiser):
    tags = ["Birne", "apfelsaft", "Zebra", "A\u0308pfel", "Öl"]
    contact = organiser.make("/contacts", {"last_name": "x", "tags": tags})
    assert contact["tags"] == ["A\u0308pfel", "apfelsaft", "Birne", "Öl", "Zebra"]
    assert organiser.data("/contacts")[0]["tags"] == contact["tags"]


def test_duplicates_are_listed_with_the_strongest_reason(organiser):
    a = organiser.make(
        "/contacts",
        {
            "company_name": "Müller & Söhne",
            "postal_code": "04109",
            "email": "a@b.example",
            "phone": "0341 12345",
        },
    )
    b = organiser.make(
        "/contacts", {"last_name": "B", "email": "A@B.example", "phone": "+49 341 12345"}
    )
    c = organiser.make(
        "/contacts", {"company_name": "MUELLER + SO\u0308HNE", "postal_code": "04109"}
    )
    d = organiser.make("/contacts", {"last_name": "D", "phone": "0049 341 123 45"})
    organiser.make("/contacts", {"company_name": "Müller & Söhne", "postal_code": "80331"})
    answer = organiser.get("/contacts/duplicates?order=ASC", status=200).json
    found = [
        ([contact["id"] for contact in pair["contacts"]], pair["reason"]) for pair in answer["data"]
    ]
    assert found == [
        ([a["id"], b["id"]], "email"),
        ([a["id"], c["id"]], "name"),
        ([a["id"], d["id"]], "phone"),
    ]
    assert answer["meta"]["total"] == 3
    assert (
        organiser.get("/contacts/duplicates?per_page=2", status=200).json["meta"]["total_pages"]
        == 2
    )
    assert organiser.get("/contacts/duplicates?after=&per_page=2", status=200).json["meta"]["next"]
    assert (
        len(
            organiser.get(
                "/contacts/duplicates", headers={"Accept": "text/csv"}, status=200
            ).text.splitlines()
        )
        == 4
    )


def test_changing_a_contact_changes_its_duplicates(organiser):
    organiser.make("/contacts", {"company_name": "A", "postal_code": "1"})
    other = organiser.make("/contacts", {"company_name": "B", "postal_code": "1"})
    assert organiser.data("/contacts/duplicates") == []
    organiser.patch(f"/contacts/{other['id']}", {"company_name": "a"}, status=200)
    assert [pair["reason"] for pair in organiser.data("/contacts/duplicates")] == ["name"]


def test_the_list_of_duplicates_follows_every_change_of_a_shared_value(db):
    """Few values, so that the oldest of a group often loses or gets its value."""
    dice, ids = random.Random(5), []
    add = (
        "INSERT INTO contacts (customer_number, country, rating, account_access_enabled, email, folded_phone, "
        "folded_name, created_at, updated_at) VALUES (?, 'DE', 3, 0, ?, ?, ?, '', '')"
    )
    with db.write():
        for number in range(400):
            values = [
                dice.choice([*letters, None])
                for letters in (["a", "A", "b"], ["1", "2"], ["x", "y", "z"])
            ]
            kind = dice.choice(("add", "change", "change", "remove")) if len(ids) > 30 else "add"
            if kind == "add":
                ids.append(db.connection.execute(add, [f"D-{number}", *values]).lastrowid)
            elif kind == "change":
                db.connection.execute(
                    "UPDATE contacts SET email = ?, folded_phone = ?, folded_name = ? WHERE id = ?",
                    [*values, dice.choice(ids)],
                )
            else:
                db.connection.execute(
                    "DELETE FROM contacts WHERE id = ?", [ids.pop(dice.randrange(len(ids)))]
                )
            assert contacts.check(db) == [], number


def test_check_finds_a_wrong_list_of_duplicates(organiser, db):
    for _ in range(2):
        organiser.make("/contacts", {"last_name": "B", "email": "b@b.example"})
    assert contacts.check(db) == []
    with db.write():
        db.connection.execute("INSERT INTO contact_duplicates (id, by_name) VALUES (1, 1)")
        db.connection.execute("UPDATE contact_duplicates SET by_phone = 1 WHERE id = 2")
    assert contacts.check(db) == [
        f"contact {id}: its entry in the list of duplicates is missing, wrong or too much"
        for id in (1, 2)
    ]


def test_a_merge_fills_empty_fields_and_removes_the_duplicate(organiser, roses, db):
    kept = organiser.make("/contacts", {"company_name": "Tantau", "tags": ["a"]})
    gone = organiser.make("/contacts", {**PERSON, "category_keys": ["roses"]})
    merged = organiser.post(
        f"/contacts/{kept['id']}/merge", {"duplicate_id": gone["id"]}, status=200
    ).json["data"]
    assert merged == {
        **PERSON,
        **{
            name: kept[name]
            for name in (
                "id",
                "customer_number",
                "company_name",
                "rating",
                "account_access_enabled",
                "has_account",
                "vat_check",
                "newsletter_status",
                "anonymized_at",
                "created_at",
            )
        },
        "tags": ["a", "roses"],
        "custom_fields": {},
        "updated_at": merged["updated_at"],
    }
    assert (
        organiser.data(f"/contacts/{kept['id']}?include=categories")["categories"][0][
            "category_key"
        ]
        == "roses"
    )
    organiser.get(f"/contacts/{gone['id']}", status=404)
    assert journalled(db, "contact") == ["created", "created", "deleted", "merged"]
    assert not journal.verify(db)


def test_a_merge_keeps_the_stricter_rules_for_e_invoices(organiser):
    strict, plain = (
        {"last_name": "x", "e_invoice_profile": profile} for profile in ("xrechnung", "en16931")
    )
    for kept, gone in ((strict, plain), (plain, strict)):
        ids = [organiser.make("/contacts", body)["id"] for body in (kept, gone)]
        merged = organiser.post(
            f"/contacts/{ids[0]}/merge", {"duplicate_id": ids[1]}, status=200
        ).json["data"]
        assert merged["e_invoice_profile"] == "xrechnung"


@pytest.mark.parametrize(
    "kept, other, merged",
    [
        (None, False, False),
        (None, True, True),
        (True, False, True),
        (False, True, False),
        (None, None, None),
    ],
)
def test_a_merge_keeps_whether_the_contact_is_a_business_else_takes_that_of_the_other(
    organiser, kept, other, merged
):
    ids = [
        organiser.make("/contacts", {"last_name": "x", "is_business": value})["id"]
        for value in (kept, other)
    ]
    answer = organiser.post(f"/contacts/{ids[0]}/merge", {"duplicate_id": ids[1]}, status=200)
    assert answer.json["data"]["is_business"] is merged


def test_whether_a_contact_is_a_business_is_set_cleared_exported_and_erased(organiser):
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    address = f"/contacts/{contact['id']}"
    assert contact["is_business"] is None
    for value in (True, None, False):
        changed = organiser.patch(address, {"is_business": value}, status=200).json["data"]
        assert changed["is_business"] is value and organiser.data(address)["is_business"] is value
    organiser.patch(address, {"is_business": "club"}, status=422)
    assert organiser.data(f"{address}/export")["contact"]["is_business"] is False
    lines = organiser.get("/contacts", headers={"Accept": "text/csv"}).text.splitlines()
    row = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    assert row["is_business"] == "false"
    organiser.post(f"{address}/anonymize", status=200)
    assert organiser.data(address)["is_business"] is None


def make_invoice(
    db, contact_id, participant_id=None, status="sent", number="INV-1", day="2026-05-01", **values
):
    """Insert an invoice with one item, one tax and one payment. Return its id."""
    with db.write():
        run = db.connection.execute
        row = {
            "invoice_number": number,
            "status": status,
            "contact_id": contact_id,
            "event_participant_id": participant_id,
            "currency": "EUR",
            "total": 11900,
            "issue_date": day,
            "created_at": db.now,
            "updated_at": db.now,
            **values,
        }
        id = run(
            f"INSERT INTO invoices ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
            list(row.values()),
        ).lastrowid
        run(
            """
            INSERT INTO invoice_items (invoice_id, position, description, quantity, unit_price, tax_rate,
              tax_category, net)
            VALUES (?, 1, ?, 1000, 1000000, 1900, 'S', 10000)""",
            (id, values.get("text") or "Booth"),
        )
        run(
            "INSERT INTO invoice_taxes (invoice_id, category, rate, net, tax) VALUES (?, 'S', 1900, 10000, 1900)",
            [id],
        )
        if status != "draft":
            run(
                """
                INSERT INTO payments (invoice_id, amount, currency, transaction_id, status, notes, created_at,
                  updated_at)
                VALUES (?, 100, 'EUR', ?, 'completed', ?, ?, ?)""",
                (id, f"{values.get('text')} {id}", values.get("notes"), db.now, db.now),
            )
    return id


def test_a_merge_moves_all_records_of_the_duplicate(organiser, fair, db):
    kept, gone = (organiser.make("/contacts", {"last_name": name}) for name in ("kept", "gone"))
    participant = organiser.make("/participants", {"event_key": "fair", "contact_id": gone["id"]})
    application = organiser.make("/applications", {"last_name": "x", "event_keys": ["fair"]})
    organiser.post(f"/applications/{application['id']}/review", status=200)
    organiser.post(
        f"/applications/{application['id']}/approve", {"contact_id": gone["id"]}, status=200
    )
    note = organiser.make(
        "/notes", {"entity_type": "contact", "entity_id": gone["id"], "note_text": "x"}
    )
    invoice = make_invoice(db, gone["id"], participant["id"])
    organiser.post(f"/contacts/{kept['id']}/merge", {"duplicate_id": gone["id"]}, status=200)
    assert organiser.data(f"/participants/{participant['id']}")["contact_id"] == kept["id"]
    assert organiser.data(f"/applications/{application['id']}")["contact_id"] == kept["id"]
    assert organiser.data(f"/notes/{note['id']}")["entity_id"] == kept["id"]
    moved = db.connection.execute(
        "SELECT contact_id, event_participant_id FROM invoices WHERE id = ?", (invoice,)
    ).fetchone()
    assert moved == (kept["id"], participant["id"])
    for entity_type in ("event_participant", "application", "note", "invoice"):
        assert journalled(db, entity_type)[-1] == "updated"


def test_a_merge_joins_two_participations_in_one_event(organiser, fair, roses, db):
    kept, gone = (organiser.make("/contacts", {"last_name": name}) for name in ("kept", "gone"))
    mine = organiser.make("/participants", {"event_key": "fair", "contact_id": kept["id"]})
    other = organiser.make(
        "/participants",
        {
            "event_key": "fair",
            "contact_id": gone["id"],
            "is_confirmed": True,
            "category_key": "roses",
            "badge_name": "Anna",
        },
    )
    speaker = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": gone["id"], "role": "speaker"}
    )
    note = organiser.make(
        "/notes", {"entity_type": "event_participant", "entity_id": other["id"], "note_text": "x"}
    )
    invoice = make_invoice(db, gone["id"], other["id"])
    organiser.post(f"/contacts/{kept['id']}/merge", {"duplicate_id": gone["id"]}, status=200)
    joined = organiser.data(f"/participants/{mine['id']}")
    assert (joined["is_confirmed"], joined["category_key"], joined["badge_name"]) == (
        True,
        "roses",
        "Anna",
    )
    organiser.get(f"/participants/{other['id']}", status=404)
    assert organiser.data(f"/participants/{speaker['id']}")["contact_id"] == kept["id"]
    assert organiser.data(f"/notes/{note['id']}")["entity_id"] == mine["id"]
    moved = db.connection.execute(
        "SELECT contact_id, event_participant_id FROM invoices WHERE id = ?", (invoice,)
    ).fetchone()
    assert moved == (kept["id"], mine["id"])


def test_a_merge_moves_reservations_and_orders_and_keeps_one_waiting_list_place(organiser, db):
    fair = Fair(organiser, db)
    other = fair.exhibitor("Muster A.G.")
    blocker = fair.reserve("A1", participant=fair.exhibitor("Blocker"))
    waiting = [
        organiser.make(
            "/booth-reservations",
            {"booth_id": blocker["booth_id"], "event_participant_id": who["id"], "waitlist": True},
        )
        for who in (fair.participant, other)
    ]
    held = fair.reserve("A2", participant=other)
    order = fair.order((fair.power, 1), participant=other)
    organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": other["contact_id"]},
        status=200,
    )
    for path in (
        f"/booth-reservations/{held['id']}",
        f"/service-orders/{order['id']}",
        f"/booth-reservations/{waiting[1]['id']}",
    ):
        assert organiser.data(path)["event_participant_id"] == fair.participant["id"]
    assert [
        organiser.data(f"/booth-reservations/{place['id']}")["status"] for place in waiting
    ] == ["waitlisted", "cancelled"]
    assert organiser.data(f"/booth-reservations/{held['id']}")["status"] == "confirmed"
    assert journalled(db, "booth_reservation")[-3:] == ["cancelled", "updated", "updated"]
    assert journalled(db, "service_order")[-1] == "updated"


@pytest.mark.parametrize("status", ["waitlisted", "pending", "confirmed"])
def test_a_merge_ends_a_place_on_the_waiting_list_of_the_own_booth(organiser, db, status):
    """The contact holds the booth, has bought it, or awaits it as well."""
    fair = Fair(organiser, db)
    other = fair.exhibitor("Muster A.G.")
    if status == "waitlisted":
        own = fair.reserve("A1", participant=fair.exhibitor("Blocker"))
        organiser.make(
            "/booth-reservations",
            {
                "booth_id": own["booth_id"],
                "waitlist": True,
                "event_participant_id": fair.participant["id"],
            },
        )
    else:
        own = fair.reserve("A1", status=status)
    place = organiser.make(
        "/booth-reservations",
        {"booth_id": own["booth_id"], "event_participant_id": other["id"], "waitlist": True},
    )
    organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": other["contact_id"]},
        status=200,
    )
    assert organiser.data(f"/booth-reservations/{place['id']}")["status"] == "cancelled"


def test_a_merge_keeps_the_link_of_a_person_with_one_to_each_and_ends_all_others(
    organiser, fair, db
):
    kept, gone = (organiser.make("/contacts", {"last_name": name}) for name in ("kept", "gone"))
    mine, other = (
        organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
        for contact in (kept, gone)
    )
    own, second, third = (
        organiser.make(
            "/links",
            {
                "kind": "participant",
                "participant_id": participant["id"],
                "name": "Ada",
                "email": email,
            },
        )["id"]
        for participant, email in (
            (mine, "ada@x.example"),
            (other, "ADA@x.example"),
            (other, "eva@x.example"),
        )
    )
    with db.write():
        db.connection.execute(
            "INSERT INTO booth_choices (participant_id, ends_at, given_back) VALUES (?, ?, 2)",
            (other["id"], "2026-05-01T08:00:00Z"),
        )
    organiser.post(f"/contacts/{kept['id']}/merge", {"duplicate_id": gone["id"]}, status=200)
    assert [
        (row["id"], row["participant_id"], row["status"])
        for row in map(lambda id: organiser.data(f"/links/{id}"), (own, second, third))
    ] == [
        (own, mine["id"], "active"),
        (second, mine["id"], "revoked"),
        (third, mine["id"], "revoked"),
    ]
    secrets = db.connection.execute("SELECT link_id FROM link_secrets ORDER BY link_id").fetchall()
    assert [id for (id,) in secrets] == [own]
    assert db.connection.execute(
        "SELECT participant_id, given_back FROM booth_choices"
    ).fetchall() == [(mine["id"], 2)]


def test_contacts_that_were_merged_before_follow(organiser):
    first, second, third = (
        organiser.make("/contacts", {"last_name": name})["id"] for name in ("A", "B", "C")
    )
    organiser.post(f"/contacts/{second}/merge", {"duplicate_id": first}, status=200)
    organiser.post(f"/contacts/{third}/merge", {"duplicate_id": second}, status=200)
    merged = organiser.data(f"/contacts/{third}/export")["merged_contacts"]
    assert [entry["duplicate_id"] for entry in merged] == [first, second]


@pytest.mark.parametrize("which, code", [("itself", "same"), ("nobody", "unknown")])
def test_a_merge_needs_another_existing_contact(organiser, which, code):
    contact = organiser.make("/contacts", {"last_name": "x"})
    body = {"duplicate_id": contact["id"] if which == "itself" else 99}
    errors = organiser.post(f"/contacts/{contact['id']}/merge", body, status=422).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [("/duplicate_id", code)]


# Merging and privacy cover every table: a new one must be added here


def foreign_keys(db, parent):
    tables = [
        name
        for (name,) in db.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    return [
        (table, key[3])
        for table in tables
        for key in db.connection.execute(f"PRAGMA foreign_key_list({table})")
        if key[2] == parent
    ]


def hand_overs():
    """Return the text of all statements whose name begins with hand_over."""
    return "".join(
        statement.plain()
        for file in contact_book_folder().glob("*.sql")
        for name, statement in vars(statements(file.stem)).items()
        if name.startswith("hand_over")
    )


@pytest.mark.parametrize("parent", ["contacts", "participants"])
def test_a_merge_moves_every_record_that_names_a_contact_or_participant(db, parent):
    text = re.sub(r"--.*", "", (contact_book_folder() / "merging.sql").read_text())
    text += hand_overs()
    for table, column in foreign_keys(db, parent):
        assert re.search(
            rf"UPDATE {table} SET {column} =|INSERT OR IGNORE INTO {table} \({column}", text
        ), f"a merge forgets {table}.{column}: name it in a statement `hand_over…` of its .sql file"


# Tables with numbers and days only. The audit log or the letters, which are exported, have these
# changes as well.
IMPERSONAL = {
    "invoice_taxes",
    "tax_entries",
    "payment_moves",
    "due_date_changes",
    "invoice_deposits",
    "booth_choices",
    "claim_movements",
}


def test_privacy_knows_every_table_that_names_a_contact_participant_or_application(db):
    text = "".join(
        (contact_book_folder() / f"{name}.sql").read_text()
        for name in ("privacy", "contacts", "applications")
    )
    for subject in SUBJECTS:
        erases = (*subject.erases_first, *subject.erases, *subject.erases_at_end)
        text += "".join(statement.plain() for statement in erases)
    for parent in ("contacts", "participants", "applications", "invoices"):
        for table, _ in foreign_keys(db, parent):
            assert re.search(rf"(UPDATE|FROM|JOIN) {table}\b", text) or table in IMPERSONAL, (
                f"export and erasing forget {table}: name it in `erases` of a subject.py and in privacy/export.py"
            )


def contact_book_folder():
    from eventapi import paths

    return paths.folder("sql")


# Privacy

MARK = "zqmark"


@pytest.fixture
def marked(organiser, person, fair, roses, db):
    """Create a contact with a mark in every personal field, in all its records, and in merged and
    deleted ones.
    """
    texts = (
        "company_name",
        "first_name",
        "last_name",
        "phone",
        "fax",
        "mobile",
        "address",
        "postal_code",
        "city",
        "state",
        "notes",
        "tax_id",
    )
    texts = {name: f"{MARK} {name}"[:20] for name in texts}
    contact = organiser.make(
        "/contacts",
        {
            **texts,
            "customer_number": MARK,
            "external_id": MARK,
            "email": f"{MARK}@{MARK}.example",
            "invoice_email": f"{MARK}.bill@x.example",
            "website": f"https://{MARK}.example",
            "language": "de",
            "tags": [MARK],
            "category_keys": ["roses"],
        },
    )
    duplicate = organiser.make("/contacts", {"last_name": f"{MARK} twin"})
    application = organiser.post(
        "/applications",
        {
            **{
                name: text
                for name, text in texts.items()
                if name
                in (
                    "company_name",
                    "first_name",
                    "last_name",
                    "phone",
                    "address",
                    "postal_code",
                    "city",
                    "tax_id",
                )
            },
            "email": f"{MARK}@{MARK}.example",
            "website": f"https://{MARK}.example",
            "message": MARK,
            "event_keys": ["fair"],
        },
        headers={"Idempotency-Key": "again"},
        status=201,
    ).json["data"]
    organiser.post(f"/applications/{application['id']}/review", status=200)
    organiser.post(
        f"/applications/{application['id']}/request-info", {"question": MARK}, status=200
    )
    organiser.post(f"/applications/{application['id']}/review", status=200)
    organiser.post(f"/applications/{application['id']}/approve", status=200)
    participant = organiser.data(f"/participants?customer_number={MARK}")[0]
    organiser.patch(f"/participants/{participant['id']}", {"badge_name": MARK}, status=200)
    with db.write():
        db.connection.execute(
            "UPDATE applications SET fax = ?, mobile = ?, state = ?, notes = ?, decision_reason = ?",
            [MARK] * 5,
        )
    draft = make_invoice(
        db,
        contact["id"],
        status="draft",
        number="DRAFT-9",
        day=None,
        text=MARK,
        notes=MARK,
        buyer_reference=MARK,
    )
    for entity_type, id in (
        ("contact", contact["id"]),
        ("application", application["id"]),
        ("event_participant", participant["id"]),
        ("invoice", draft),
    ):
        organiser.make(
            "/notes",
            {
                "entity_type": entity_type,
                "entity_id": id,
                "note_text": f"{MARK} about {entity_type}",
            },
        )
    gone = organiser.make(
        "/notes",
        {"entity_type": "contact", "entity_id": contact["id"], "note_text": f"{MARK} gone"},
    )
    organiser.delete(f"/notes/{gone['id']}", status=204)
    organiser.post(
        f"/contacts/{contact['id']}/merge",
        {"duplicate_id": duplicate["id"]},
        headers={"Idempotency-Key": "merge"},
        status=200,
    )
    return organiser.data(f"/contacts/{contact['id']}")


def file_bytes(db):
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return db.path.read_bytes()


def test_the_export_contains_all_personal_data(organiser, marked, db):
    export = organiser.data(f"/contacts/{marked['id']}/export")
    assert export["contact"] == marked and export["category_keys"] == ["roses"]
    [application] = export["applications"]
    [participant] = export["participants"]
    [invoice] = export["invoices"]
    for field in (
        "company_name",
        "first_name",
        "last_name",
        "email",
        "phone",
        "fax",
        "mobile",
        "address",
        "postal_code",
        "city",
        "state",
        "website",
        "notes",
        "tax_id",
        "message",
        "question",
        "decision_reason",
    ):
        assert MARK in application[field], field
    assert application["event_keys"] == ["fair"] and participant["badge_name"] == MARK
    assert (
        MARK in invoice["text"]
        and invoice["items"][0]["description"] == MARK
        and invoice["taxes"][0]["tax"] == 19
    )
    assert len(export["notes"]) == 4 and all(MARK in note["note_text"] for note in export["notes"])
    assert {entry["entity_type"] for entry in export["audit_log"]} == {
        "contact",
        "application",
        "event_participant",
        "note",
    }
    assert any("twin" in str(entry["old_values"]) for entry in export["audit_log"])
    assert len(export["outgoing_events"]) == len(export["audit_log"])
    assert "ip_address" not in export["audit_log"][0]


def test_an_export_needs_a_key_with_every_scope(organiser, person):
    contact = organiser.make("/contacts", {"last_name": "x"})
    address = f"/contacts/{contact['id']}/export"
    person(" ".join(f"{scope}:read" for scope in SCOPES.split())).get(address, status=200)
    answer = person(SCOPES.replace("audit", "")).get(address, status=403)
    assert answer.json["scope"] == "audit:read"
    answer = person(SCOPES.replace("audit", "").replace("invoices", "")).get(address, status=403)
    assert answer.json["detail"] == (
        "The API key lacks the scopes invoices:read and audit:read. Use a key that has them."
    )


def at_night(db, monkeypatch):
    """Do what the worker does in the night after an anonymisation."""
    monkeypatch.setattr(remnants, "NIGHT", range(24))
    assert remnants.erase(db)


def test_anonymising_leaves_no_trace_in_the_database_file(organiser, marked, db, monkeypatch):
    assert file_bytes(db).count(MARK.encode()) > 50
    answer = organiser.post(f"/contacts/{marked['id']}/anonymize", status=200).json["data"]
    assert (
        answer["kept"] == []
        and answer["anonymized_at"]
        and answer["customer_number"] == f"ANON-{marked['id']}"
    )
    at_night(db, monkeypatch)
    assert MARK.encode() not in file_bytes(db)
    assert MARK not in str(organiser.data(f"/contacts/{marked['id']}/export"))
    assert organiser.data(f"/contacts?search={MARK}") == []
    assert journal.verify(db) == []


def test_notes_on_reservations_and_orders_are_exported_and_erased(organiser, db):
    fair = Fair(organiser, db)
    service = organiser.make(
        "/services",
        {
            "service_name": "Sign",
            "base_price": 1,
            "requires_specification": True,
            "events": [{"event_key": "fair"}],
        },
    )
    named = {"event_participant_id": fair.participant["id"], "notes": f"{MARK} notes"}
    reservation = organiser.make(
        "/booth-reservations", {**named, "booth_id": fair.booth("A1")["id"]}
    )
    organiser.post(
        f"/booth-reservations/{reservation['id']}/cancel", {"reason": f"{MARK} reason"}, status=200
    )
    orders = [
        organiser.post(
            "/service-orders",
            {
                **named,
                "items": [
                    {"service_id": service["id"], "quantity": 1, "specification": f"{MARK} says"}
                ],
            },
            headers={"Idempotency-Key": f"order-{number}"},
            status=201,
        ).json["data"]
        for number in range(2)
    ]
    organiser.post(
        f"/service-orders/{orders[0]['id']}/cancel", {"reason": f"{MARK} reason"}, status=200
    )
    organiser.delete(f"/service-orders/{orders[1]['id']}", status=204)
    contact = f"/contacts/{fair.participant['contact_id']}"
    export = organiser.data(f"{contact}/export")
    [reserved], [ordered] = export["booth_reservations"], export["service_orders"]
    assert reserved == organiser.data(f"/booth-reservations/{reservation['id']}")
    assert reserved["notes"] == f"{MARK} notes"
    assert ordered == organiser.data(f"/service-orders/{orders[0]['id']}")
    assert ordered["items"][0]["specification"] == f"{MARK} says"
    assert {("service_order", order["id"]) for order in orders} <= {
        (entry["entity_type"], entry["entity_id"]) for entry in export["audit_log"]
    }
    organiser.post(f"{contact}/anonymize", status=200)
    assert MARK.encode() not in file_bytes(db)
    assert organiser.data(f"/booth-reservations/{reservation['id']}")["status"] == "cancelled"


def test_database_pages_freed_earlier_are_overwritten(organiser, db, monkeypatch):
    contact = organiser.make("/contacts", PERSON)
    with db.write():
        db.connection.execute("INSERT INTO blanks (zeros) VALUES (?)", (MARK.encode() * 50_000,))
        db.connection.execute("DELETE FROM blanks")
    assert MARK.encode() in file_bytes(db)
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    monkeypatch.setattr(remnants, "LARGEST_REWRITE", 0)
    at_night(db, monkeypatch)
    assert MARK.encode() not in file_bytes(db)


def test_a_response_stored_for_an_idempotency_key_is_emptied_too(organiser, marked):
    organiser.post(f"/contacts/{marked['id']}/anonymize", status=200)
    again = organiser.post(
        f"/contacts/{marked['id']}/merge",
        {"duplicate_id": marked["id"] + 1},
        headers={"Idempotency-Key": "merge"},
        status=200,
    )
    assert (
        again.headers["Idempotency-Replayed"] == "true" and again.json["data"]["id"] == marked["id"]
    )
    assert MARK not in again.text


def test_anonymising_twice_changes_nothing(organiser, db):
    contact = organiser.make("/contacts", PERSON)
    once = organiser.post(f"/contacts/{contact['id']}/anonymize", status=200).json["data"]
    before = len(journalled(db, "contact"))
    assert organiser.post(f"/contacts/{contact['id']}/anonymize", status=200).json["data"] == once
    assert len(journalled(db, "contact")) == before
    assert db.connection.execute(
        "SELECT name FROM outgoing_events ORDER BY id DESC"
    ).fetchone() == ("contact.anonymized",)


def test_an_anonymised_contact_cannot_be_changed(organiser):
    contact, other = (organiser.make("/contacts", {"last_name": name}) for name in "xy")
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    assert (
        organiser.patch(f"/contacts/{contact['id']}", {"last_name": "x"}, status=409).json["code"]
        == "anonymized"
    )
    event = organiser.make("/events", {"title": "Garden Fair"})
    joined = organiser.post(
        "/participants", {"event_id": event["id"], "contact_id": contact["id"]}, status=409
    )
    assert joined.json["code"] == "anonymized"
    organiser.post(f"/contacts/{contact['id']}/merge", {"duplicate_id": other["id"]}, status=409)
    organiser.post(f"/contacts/{other['id']}/merge", {"duplicate_id": contact["id"]}, status=409)


def test_anonymising_does_not_change_other_contacts(organiser, marked):
    other = organiser.make("/contacts", {**PERSON, "last_name": "Neighbour"})
    organiser.post(f"/contacts/{marked['id']}/anonymize", status=200)
    assert organiser.data(f"/contacts/{other['id']}") == other
    assert organiser.data("/contacts?search=neighb")[0]["id"] == other["id"]
    assert (
        organiser.data(f"/contacts/{other['id']}/export")["audit_log"][0]["new_values"]["last_name"]
        == "Neighbour"
    )


def test_an_unlinked_application_belongs_to_the_contact_with_its_email(organiser, fair):
    contact = organiser.make("/contacts", {"email": "a@b.example"})
    application = organiser.make(
        "/applications", {"last_name": "x", "email": "A@b.example", "event_keys": ["fair"]}
    )
    assert (
        organiser.data(f"/contacts/{contact['id']}/export")["applications"][0]["id"]
        == application["id"]
    )
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    assert organiser.data(f"/applications/{application['id']}")["last_name"] is None


# Erasing somebody who owes money, or is owed some


LINE = {"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}


def invoice_of(client, contact, **fields):
    """Send an invoice over 119.00 to a contact, and return it."""
    draft = client.make("/invoices", {"contact_id": contact["id"], "items": [LINE], **fields})
    return client.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]


def pay(client, invoice, amount, **fields):
    number = invoice["invoice_number"]
    client.make("/payments", {"invoice_number": number, "amount": amount, **fields})


def erasure_refused(client, contact):
    """Anonymise a contact without `force`, and return the invoices that the refusal names."""
    problem = client.post(f"/contacts/{contact['id']}/anonymize", status=409).json
    assert problem["code"] == "open_invoices"
    for invoice in problem["invoices"]:
        assert invoice["invoice_number"] in problem["detail"]
    assert "`force`" in problem["detail"]
    assert client.data(f"/contacts/{contact['id']}")["anonymized_at"] is None
    return problem["invoices"]


def test_who_owes_money_is_erased_only_by_force(organiser):
    contact = organiser.make("/contacts", PERSON)
    unpaid, partly = invoice_of(organiser, contact), invoice_of(organiser, contact)
    paid = invoice_of(organiser, contact)
    pay(organiser, partly, 19)
    pay(organiser, paid, 119)
    assert erasure_refused(organiser, contact) == [
        {
            "id": unpaid["id"],
            "invoice_number": unpaid["invoice_number"],
            "open_amount": 119.0,
            "claims_open": 0.0,
        },
        {
            "id": partly["id"],
            "invoice_number": partly["invoice_number"],
            "open_amount": 100.0,
            "claims_open": 0.0,
        },
    ]
    erased = organiser.post(f"/contacts/{contact['id']}/anonymize", {"force": True}, status=200)
    assert erased.json["data"]["anonymized_at"]
    # it is done: a repetition is no refusal
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)


def test_who_is_owed_money_is_not_erased_either(organiser):
    contact = organiser.make("/contacts", PERSON)
    invoice = invoice_of(organiser, contact)
    pay(organiser, invoice, 119)
    credit = {"items": [{**LINE, "unit_price": 50}], "mail": False}
    organiser.post(f"/invoices/{invoice['id']}/credit", credit, status=201)
    (named,) = erasure_refused(organiser, contact)
    assert (named["id"], named["open_amount"]) == (invoice["id"], -59.5)


def test_what_a_dunning_letter_claims_keeps_the_data_of_who_has_paid_the_invoice(organiser):
    contact = organiser.make("/contacts", PERSON)
    organiser.make("/invoices/dunning-levels", {"name": "Reminder", "days": 1, "fee": 5})
    old = {"invoice_number": "OLD-1", "issue_date": "2026-01-02", "due_date": "2026-01-20"}
    invoice = invoice_of(organiser, contact, **old)
    (letter,) = organiser.post("/invoices/dunning/send", {"mail": False}, status=200).json["data"][
        "sent"
    ]
    pay(organiser, invoice, 119)
    (named,) = erasure_refused(organiser, contact)
    assert (named["open_amount"], named["claims_open"]) == (0.0, letter["claimed"])
    organiser.post(
        f"/invoices/{invoice['id']}/dunning/{letter['id']}/withdraw",
        {"reason": "waived"},
        status=200,
    )
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)


def test_drafts_and_settled_invoices_do_not_stop_an_erasure(organiser):
    contact = organiser.make("/contacts", PERSON)
    organiser.make("/invoices", {"contact_id": contact["id"], "items": [LINE]})
    cancelled, written_off = invoice_of(organiser, contact), invoice_of(organiser, contact)
    organiser.post(f"/invoices/{cancelled['id']}/cancel", {"mail": False}, status=200)
    organiser.post(f"/invoices/{written_off['id']}/write-offs", {"reason": "bankrupt"}, status=201)
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)


def this_year():
    return int(times.now()[:4])


def test_a_sent_invoice_is_kept_for_the_retention_period(organiser, db):
    contact = organiser.make("/contacts", PERSON)
    year = this_year()
    young = make_invoice(
        db,
        contact["id"],
        number="INV-2",
        day=f"{year}-02-03",
        text=f"{MARK} young",
        notes="remark",
        buyer='{"name": "Young"}',
    )
    make_invoice(
        db,
        contact["id"],
        number="INV-1",
        day=f"{year - 9}-12-31",
        text=f"{MARK} old",
        buyer='{"name": "Old buyer"}',
    )
    answer = organiser.post(f"/contacts/{contact['id']}/anonymize", status=200).json["data"]
    assert answer["kept"] == [
        {
            "invoice_id": young,
            "invoice_number": "INV-2",
            "issue_date": f"{year}-02-03",
            "kept_until": f"{year + 8}-12-31",
        }
    ]
    content = file_bytes(db)
    assert f"{MARK} young".encode() in content and b"Young" in content
    assert (
        f"{MARK} old".encode() not in content
        and b"Old buyer" not in content
        and b"remark" not in content
    )
    assert organiser.delete(f"/contacts/{contact['id']}", status=409).json["used_by"] == [
        "invoices"
    ]


def test_the_worker_completes_the_erasure_after_the_retention_period(organiser, db, monkeypatch):
    contact = organiser.make("/contacts", PERSON)
    make_invoice(
        db,
        contact["id"],
        text=MARK,
        notes=MARK,
        buyer=f'{{"name": "{MARK}"}}',
        buyer_reference=MARK,
        pdf_sha256=MARK,
        day=f"{this_year()}-01-01",
    )
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    assert erasing.end_retention(db) == 0
    with db.write():
        db.connection.execute("UPDATE invoices SET issue_date = ?", (f"{this_year() - 9}-12-31",))
        db.connection.execute(
            "UPDATE anonymizations SET kept_until = ?", (f"{this_year() - 1}-12-31",)
        )
    assert MARK.encode() in file_bytes(db)
    assert erasing.end_retention(db) == 1
    monkeypatch.setattr(remnants, "NIGHT", range(24))
    assert remnants.erase(db) and MARK.encode() not in file_bytes(db)
    assert erasing.end_retention(db) == 0
    row = db.connection.execute("SELECT total, buyer, text, pdf_sha256 FROM invoices").fetchone()
    assert row == (11900, None, None, None)
    assert journal.verify(db) == []


def test_the_database_file_is_vacuumed_once_at_night(organiser, db, monkeypatch):
    contact = organiser.make("/contacts", {"last_name": MARK})
    for number in range(300):  # so that pages split and leave copies
        organiser.make("/contacts", {"last_name": f"{MARK} {number * 7919 % 300}"})
    with db.write():
        db.connection.execute(
            "UPDATE contacts SET last_name = NULL WHERE id <> ?", (contact["id"],)
        )
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    monkeypatch.setattr(remnants, "NIGHT", range(0))
    assert not remnants.erase(db)
    monkeypatch.setattr(remnants, "NIGHT", range(24))
    size = len(file_bytes(db))
    assert remnants.erase(db) and not remnants.erase(db)
    assert len(file_bytes(db)) < size
    assert organiser.data(f"/contacts/{contact['id']}")["anonymized_at"]


def test_a_restore_repeats_the_anonymisation(organiser, db, tmp_path, monkeypatch):
    contact = organiser.make("/contacts", {**PERSON, "last_name": MARK})
    duplicate = organiser.make("/contacts", {"last_name": f"{MARK} twin"})
    backup = file_bytes(db)
    organiser.post(
        f"/contacts/{contact['id']}/merge", {"duplicate_id": duplicate["id"]}, status=200
    )
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    (tmp_path / "restored").mkdir()
    (tmp_path / "restored" / "eventapi.db").write_bytes(backup)
    config = db.config.with_options(data_dir=tmp_path / "restored")
    restored = type(db)(config)
    assert MARK.encode() in file_bytes(restored)
    lost = erasing.lost_anonymizations(restored, db)
    assert sorted(lost) == [contact["id"], duplicate["id"]]
    erasing.anonymize_again(restored, lost)
    at_night(restored, monkeypatch)
    assert MARK.encode() not in file_bytes(restored)
    assert erasing.lost_anonymizations(restored, db) == []
    restored.close()
