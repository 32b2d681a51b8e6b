"""Lists of participants: what exhibitors lack, their booths and balances, and the order by name."""

import pytest

from tests.domain.test_billing import Fair
from tests.support.prepared import prepared

PARTS = ("contract", "submissions", "booth", "services", "invoice", "payment", "badge")


@prepared
def fair(organiser, db):
    """Four exhibitors: one with everything, one with a hold, one without company, and one who has
    cancelled; a waiting co-exhibitor and a visitor.
    """
    fair = Fair(organiser, db)
    fair.organiser.make(
        "/submissions/types", {"event_key": "fair", "key": "logo", "title": "Logo", "input": "url"}
    )
    person = organiser.make("/contacts", {"first_name": "Ada", "last_name": "Ärmel"})
    fair.all = {"muster": fair.participant["id"]}
    fair.act("participants", fair.participant, "confirm")
    fair.reserve("B2")
    fair.reserve("B10")
    fair.sent = fair.send(fair.bill()[0])
    fair.organiser.make(
        "/submissions",
        {
            "event_participant_id": fair.participant["id"],
            "type_key": "logo",
            "value": "https://a.example/b.svg",
        },
    )
    for name, role in (("Zopf", "exhibitor"), ("Eis", "co_exhibitor"), ("Blick", "visitor")):
        made = fair.exhibitor(name, role=role, category_key=None)
        fair.all[name.lower()] = made["id"]
    held = fair.organiser.data(f"/participants/{fair.all['zopf']}")
    fair.hold = fair.reserve("A1", status="pending", participant=held)
    organiser.make(
        "/booth-reservations",
        {
            "booth_id": fair.hold["booth_id"],
            "event_participant_id": fair.all["eis"],
            "waitlist": True,
        },
    )
    fair.all["ada"] = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": person["id"]}
    )["id"]
    gone = fair.exhibitor("Fort")
    fair.all["fort"] = gone["id"]
    fair.cancel("participants", gone)
    organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": fair.all["zopf"],
            "email": "z@example.org",
            "rights": ["profile"],
        },
    )
    return fair


def names(fair, query, person=None):
    """Return the names of the participants of a list, in its order."""
    by_id = {id: name for name, id in fair.all.items()}
    rows = (person or fair.organiser).data(f"/participants?event_key=fair&{query}")
    return " ".join(by_id[row["id"]] for row in rows)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sort=name&order=ASC", "ada blick eis fort muster zopf"),
        ("sort=name&order=DESC", "zopf muster fort eis blick ada"),
        (
            "sort=name&order=ASC&role=exhibitor,co_exhibitor&status=registered,confirmed",
            "ada eis muster zopf",
        ),
        ("role=visitor", "blick"),
        ("sort=booth_number&role=exhibitor&status=confirmed", "muster"),
        ("lacks=booth", "zopf ada"),
        ("lacks=badge", "zopf eis blick ada"),
        ("lacks=submissions", "muster zopf eis ada"),
        ("lacks=submission:logo", "muster zopf eis ada"),
        ("lacks=invoice", "zopf ada"),
        ("lacks=payment", "muster zopf ada"),
        ("lacks=services", ""),
        ("lacks=contract", ""),
        ("lacks=logo", "muster zopf eis ada"),
        ("lacks=address", "ada"),
        ("lacks=display_name", "ada"),
        ("lacks=link", "muster eis ada"),
        ("lacks=link&has_link=1", ""),
        ("lacks=link&has_link=0", "muster eis ada"),
        ("has_link=1", "zopf"),
        ("is_named=0", "ada"),
        ("is_named=1&role=exhibitor&status=registered", "zopf"),
        ("is_waitlisted=1", "eis"),
        ("is_waitlisted=0&role=co_exhibitor", ""),
        ("balance=open", "muster"),
        ("balance=overdue", ""),
        ("balance=credit", ""),
    ],
)
def test_a_list_is_filtered_and_ordered(fair, query, expected):
    found = names(fair, query)
    if "sort=" in query:
        assert found == expected
    else:
        assert sorted(found.split()) == sorted(expected.split())


def test_booths_are_ordered_by_their_numbers(fair):
    other = fair.exhibitor("Neun")
    fair.all["neun"] = other["id"]
    fair.reserve("B9", participant=other)
    found = names(fair, "sort=booth_number&order=ASC&role=exhibitor&status=registered,confirmed")
    assert found.split()[:2] == ["muster", "neun"]
    cursor, seen = "", []
    while cursor is not None:
        answer = fair.organiser.get(
            f"/participants?event_key=fair&sort=booth_number&per_page=2&after={cursor}", status=200
        ).json
        seen += [row["id"] for row in answer["data"]]
        cursor = answer["meta"]["next"]
    assert sorted(seen) == sorted(fair.all.values())


def test_lacks_is_what_the_checklists_say(fair):
    rows = fair.organiser.data(
        "/participants?event_key=fair&include=readiness&status=registered,confirmed"
    )
    for part in PARTS:
        lacking = [
            row["id"]
            for row in rows
            for item in row["readiness"]["items"]
            if item["item"] == part and item["status"] in ("open", "blocked")
        ]
        found = fair.organiser.data(f"/participants?event_key=fair&lacks={part}")
        assert sorted(row["id"] for row in found) == sorted(lacking), part


def test_held_booths_are_shown_with_their_scope_only(fair, person):
    def booths(client):
        rows = client.data("/participants?event_key=fair&include=booths&sort=id")
        return {row["id"]: [booth["booth_number"] for booth in row["booths"]] for row in rows}

    expected = {id: [] for id in fair.all.values()}
    expected[fair.all["muster"]] = ["B2", "B10"]
    assert booths(person("participants:read")) == expected
    expected[fair.all["zopf"]] = ["A1"]
    assert booths(person("participants:read booths:read")) == expected


def test_balances_need_the_scope_of_invoices(fair, person):
    rows = fair.organiser.data("/participants?event_key=fair&include=balance")
    balances = {row["id"]: row["balance"] for row in rows}
    total = fair.sent["total"]
    assert balances[fair.all["muster"]] == {
        "currency": "EUR",
        "invoiced": total,
        "paid": 0,
        "open": total,
        "overdue": 0,
        "others": [],
    }
    assert balances[fair.all["zopf"]]["open"] == 0
    for query in ("include=balance", "balance=open"):
        person("participants:read").get(f"/participants?{query}", status=403)
        person("participants:read invoices:read").get(f"/participants?{query}", status=200)
    id = fair.participant["id"]
    person("participants:read").get(f"/participants/{id}?include=balance", status=403)
    assert fair.organiser.data(f"/participants/{id}?include=balance")["balance"]["open"] == total


@pytest.mark.parametrize(
    ("query", "scope"),
    [
        ("has_link=0", "links:read"),
        ("has_link=1", "links:read"),
        ("lacks=link", "links:read"),
        ("is_waitlisted=0", "booths:read"),
        ("is_waitlisted=1", "booths:read"),
    ],
)
def test_filters_about_other_records_need_their_scope(fair, person, query, scope):
    refused = person("participants:read").get(f"/participants?{query}", status=403).json
    assert (refused["code"], refused["scope"]) == ("insufficient_scope", scope)
    person(f"participants:read {scope}").get(f"/participants?{query}", status=200)


@pytest.mark.parametrize(
    "query",
    ["lacks=hat", "lacks=submission:hat", "balance=all", "has_link=2", "sort=email", "role=guest"],
)
def test_what_is_unknown_is_refused(fair, query):
    answer = fair.organiser.get(f"/participants?{query}", status=422)
    assert answer.json["errors"][0]["parameter"] == query.partition("=")[0]


def test_totals_are_those_of_all_pages(fair, person):
    total = fair.sent["total"]
    sums = {"currency": "EUR", "invoiced": total, "open": total, "others": []}

    def totals(path, client=fair.organiser):
        return client.get(f"{path}&totals=1&per_page=1", status=200).json["meta"]["totals"]

    people = "/participants?event_key=fair"
    assert totals(people) == {"count": 6, **sums}
    assert totals(f"{people}&after=") == {"count": 6, **sums}
    assert totals(f"{people}&lacks=booth") == {"count": 2, **sums, "invoiced": 0, "open": 0}
    assert totals(people, person("participants:read")) == {"count": 6}
    assert totals("/invoices?event_key=fair") == {"count": 1, **sums}
    assert totals("/invoices?status=draft") == {"count": 0, **sums, "invoiced": 0, "open": 0}
    assert totals("/booths?event_key=fair") == {"count": 3, "area": 36.0}
    assert totals("/booths?status=sold&event_key=fair") == {"count": 2, "area": 24.0}
    fair.order((fair.power, 1))
    assert totals("/service-orders?event_key=fair") == {"count": 1}
    assert "totals" not in fair.organiser.get(f"{people}&totals=0").json["meta"]
    fair.organiser.get("/contacts?totals=1", status=422)


@pytest.mark.parametrize(
    "query, expected",
    [
        ("lacks=booth", "zopf ada"),
        ("lacks=payment&status=registered,confirmed", "muster zopf ada"),
        ("ready=0&status=registered,confirmed", "muster zopf eis ada"),
        ("ready=0&status=registered", "zopf eis ada"),
        ("ready=0&ids=1,2,99&sort=name", "muster zopf"),
        ("ready=0&search=eis", "eis"),
        ("ready=0&search=nobody", ""),
        ("lacks=logo", "muster zopf eis ada"),
    ],
)
def test_a_list_of_exhibitors_is_the_same_with_its_totals(fair, query, expected):
    """With totals, readiness is looked up once for the page, its number and the totals."""
    roles = "role=exhibitor,co_exhibitor,sponsor&order=ASC"
    assert names(fair, f"{roles}&{query}") == expected
    assert names(fair, f"{roles}&{query}&totals=1") == expected
    address = f"/participants?event_key=fair&{roles}&{query}&totals=1&per_page=1"
    meta = fair.organiser.get(address, status=200).json["meta"]
    count = len(expected.split())
    open = fair.sent["total"] if "muster" in expected else 0
    assert (meta["total"], meta["totals"]["count"]) == (count, count)
    assert meta["totals"]["open"] == open


def test_totals_of_several_currencies_stand_side_by_side(fair, db):
    with db.write():
        db.connection.execute(
            "INSERT INTO invoices (invoice_number, status, contact_id, event_participant_id, event_id, currency, "
            "total, paid_amount, locked_at, created_at, updated_at) SELECT 'OLD-' || value, 'paid', ?, ?, 1, 'CHF', "
            "10010, 10000 + value * 20, ?, ?, ? FROM json_each('[0, 1]')",
            (fair.participant["contact_id"], fair.all["zopf"], db.now, db.now, db.now),
        )
    francs = {"currency": "CHF", "invoiced": 200.2, "open": 0.1}
    for path in ("/participants?event_key=fair", "/invoices?event_key=fair"):
        found = fair.organiser.get(f"{path}&totals=1", status=200).json["meta"]["totals"]
        assert found["others"] == [francs], path
        assert found["currency"] == "EUR"
    [row] = fair.organiser.data(f"/participants?ids={fair.all['zopf']}&include=balance")
    assert row["balance"]["others"] == [
        {"currency": "CHF", "invoiced": 200.2, "paid": 200.2, "open": 0, "overdue": 0}
    ]


# What the application wishes


@pytest.fixture
def wishes(organiser):
    """Return company -> wish of those who applied with a size, with an area, or without a wish."""
    organiser.make("/events", {"event_key": "fair", "title": "Fair"})
    for name, width in (("Row", 3), ("Corner", 4)):
        body = {"booth_type_name": name, "price_model": "fixed", "price": 100}
        organiser.make("/booths/types", {**body, "usual_width": width, "usual_depth": 2.5})
    for company, wish in (
        ("Rosen", {"booth_type_key": "row", "requested_area": 9}),
        ("Tulpen", {"booth_type_key": "corner"}),
        ("Astern", {"requested_area": 12.5}),
        ("Nelken", {}),
    ):
        made = organiser.make(
            "/applications",
            {
                "event_keys": ["fair"],
                "company_name": company,
                "email": f"{company}@mail.example",
                **wish,
            },
        )
        organiser.post(f"/applications/{made['id']}/approve", {}, status=200)

    def read(person, query=""):
        rows = person.data(f"/participants?include=contact,wish{query}")
        return {row["contact"]["company_name"]: row["wish"] for row in rows}

    return read


def test_participants_include_what_their_application_wishes(organiser, person, wishes):
    found = wishes(organiser)
    assert found["Rosen"] == {
        "application_id": 1,
        "booth_type_key": "row",
        "requested_area": 9,
        "booth_type_name": "Row",
        "usual_width": 3,
        "usual_depth": 2.5,
    }
    assert found["Astern"]["requested_area"] == 12.5 and found["Astern"]["booth_type_key"] is None
    assert found["Nelken"] is None
    assert list(wishes(organiser, "&sort=wish&order=ASC"))[:2] == ["Tulpen", "Rosen"]
    [row] = organiser.data("/participants?search=rosen")
    one = organiser.data(f"/participants/{row['id']}?include=wish")
    assert one["wish"] == found["Rosen"]
    csv = organiser.get("/participants?include=wish", headers={"Accept": "text/csv"}).text
    assert "wish.booth_type_name" in csv.splitlines()[0]


def test_a_wish_needs_the_scope_of_applications(person, wishes):
    reader = person("participants:read booths:read")
    for path in ("?include=wish", "?sort=wish", "/1?include=wish"):
        refused = reader.get(f"/participants{path}", status=403)
        assert refused.json["scope"] == "applications:read"
    plain = wishes(person("participants:read applications:read"))["Rosen"]
    assert (plain["booth_type_key"], plain["booth_type_name"]) == ("row", None)
    assert plain["usual_width"] is plain["usual_depth"] is None
