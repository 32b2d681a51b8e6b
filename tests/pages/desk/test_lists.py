"""Lists of the desk: views, order, columns, choosing over pages, and export."""

import csv
import io
import re
from types import SimpleNamespace

import pytest

from eventapi.pages.desk import list_pages
from tests.support import batches


@pytest.fixture
def applicants(organiser, fair):
    """Applications of Aster (a place in Dresden), Birke and Calla, beside that of Tulpen GmbH."""
    return [
        organiser.make(
            "/applications",
            {
                "event_keys": ["fair"],
                "company_name": name,
                "city": city,
                "email": f"x@{name}.example",
            },
        )["id"]
        for name, city in (("Birke", "Halle"), ("Aster", "Dresden"), ("Calla", "Erfurt"))
    ]


def names(page):
    """Return the names of the rows of a list."""
    return [each.text.strip() for each in page.html.select("main tbody a.name")]


def heads(page):
    """Return the heads of a list."""
    return [each.text.strip() for each in page.html.select("main thead th")]


def of_columns(page):
    """Return head -> text of the cell, for each row of a list."""
    found = []
    for row in page.html.select("main tbody tr"):
        cells = [" ".join(each.text.split()) for each in row.find_all("td")]
        found.append(dict(zip(heads(page), cells, strict=True)))
    return found


def tried(office, page, fields):
    """Return the names on the trial of a batch, in their order."""
    trial = office.submit(page, "/desk/batch/applications/review", fields, status="*")
    if trial.status_int == 303:
        trial = trial.follow(headers=office.headers)
    return re.findall(r"C\d\d|Aster|Birke|Calla|Tulpen GmbH", trial.html.find("main").text)


def test_the_head_sorts_and_says_how(office, applicants):
    page = office.get("/desk/applications")
    [link] = [each for each in page.html.select("thead a") if each.text.strip() == "Who"]
    page = office.get(f"/desk/applications{link['href']}")
    assert names(page) == ["Aster", "Birke", "Calla", "Tulpen GmbH"]
    [head] = page.html.select("th[aria-sort]")
    assert (head.text.strip(), head["aria-sort"]) == ("Who", "ascending")
    page = office.get(f"/desk/applications{head.a['href']}")
    assert names(page) == ["Tulpen GmbH", "Calla", "Birke", "Aster"]
    assert page.html.select("th[aria-sort]")[0]["aria-sort"] == "descending"
    assert page.html.find("option", selected=True).text == "Who"


@pytest.mark.parametrize("word", ["id", "notes", "-", "--city", "1;drop", "company_name,city"])
def test_a_list_is_not_sorted_by_what_is_no_column(office, applicants, word):
    page = office.get("/desk/applications", params={"sort": word})
    assert names(page) == ["Calla", "Aster", "Birke", "Tulpen GmbH"]


def test_views_have_numbers(office, organiser, applicants):
    organiser.post(f"/applications/{applicants[0]}/review", status=200)
    page = office.get("/desk/applications?status=in_review")
    [views, *_] = page.html.select("nav.views")
    found = [" ".join(each.text.split()) for each in views.find_all("a")]
    assert found == [
        "All 4",
        "new 3",
        "in review 1",
        "question open 0",
        "waiting list 0",
        "approved 0",
        "rejected 0",
        "withdrawn 0",
    ]
    assert names(page) == ["Birke"]


def test_applications_say_which_size_of_a_booth_they_wish(office, organiser, applicants):
    kind = organiser.make(
        "/booths/types",
        {
            "booth_type_name": "Row 3 × 2",
            "price_model": "fixed",
            "price": 600,
            "usual_width": 3,
            "usual_depth": 2,
        },
    )
    wish = {"booth_type_id": kind["id"]}
    organiser.patch(f"/applications/{applicants[0]}", wish, status=200)
    page = office.get("/desk/applications?q=Birke")
    assert "Row 3 × 2" in page.html.find("tbody").text
    file = office.get("/desk/applications?q=Birke&export=excel")
    assert "Row 3 × 2" in file.text


def test_views_of_a_long_list_have_none(office, applicants, monkeypatch):
    monkeypatch.setattr(list_pages, "COUNTED", 3)
    assert not office.get("/desk/applications").html.select("nav.views .tally")


def test_columns_are_chosen_and_kept(office, applicants):
    page = office.get("/desk/applications")
    assert heads(page) == [
        "All",
        "Who",
        "State",
        "Category",
        "Size of the booth",
        "Area",
        "Received",
    ]
    answer = office.get("/desk/applications?columns=1&cols=city&cols=rating&q=Aster", 303)
    assert answer.headers["Location"] == "applications?q=Aster"
    assert answer.headers["Set-Cookie"] == (
        "evd-cols=applications.rating.city; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
    )
    page = office.get("/desk/applications?q=Aster")
    assert heads(page) == ["All", "Who", "Rating", "City"]
    assert "Dresden" in page.html.find("tbody").find_all("td")[-1].text
    ticked = [each["value"] for each in page.html.select("input[name=cols][checked]")]
    assert ticked == ["rating", "city"]


@pytest.mark.parametrize(
    "value",
    [
        "applications",
        "applications.",
        "applications.evil.<b>.applicant",
        "~~~...~applications.state.state",
        "applications.state~applications.__class__",
        "nothing.state",
        "a" * 3500,
        "applications.state" * 200,
        '"applications.state"',
        "%00%0d%0aSet-Cookie:x=1",
        "applications.\xe4",
    ],
)
def test_what_a_cookie_of_columns_contains_does_no_harm(office, applicants, value):
    headers = {**office.headers, "Cookie": f"evd-cols={value}"}
    cookies = "; ".join(f"{each.name}={each.value}" for each in office.app.cookiejar)
    headers["Cookie"] = f"{cookies}; {headers['Cookie']}"
    page = office.app.get("/desk/applications", headers=headers, status=200)
    assert len(names(page)) == 4 and "evil" not in page.text
    known = {"All", "Who", "State", "Category", "Size of the booth", "Area", "Received"}
    assert set(heads(page)) <= known
    answer = office.app.get("/desk/applications?columns=1&cols=state", headers=headers, status=303)
    assert answer.headers["Set-Cookie"].startswith("evd-cols=applications.state; Path=/;")


def test_a_page_has_as_many_rows_as_one_wants(office, organiser, fair):
    for number in range(12):
        organiser.make("/applications", {"event_keys": ["fair"], "company_name": f"C{number:02}"})
    page = office.get("/desk/applications?size=10&sort=company_name")
    assert len(names(page)) == 10 and "1 to 10 of 13" in page
    page = office.get("/desk/applications?size=10&sort=company_name&page=2")
    assert names(page) == ["C10", "C11", "Tulpen GmbH"] and "11 to 13 of 13" in page
    [all_of_page] = page.html.select("th.c-tick a")
    page = office.get(f"/desk/applications{all_of_page['href']}")
    assert names(page) == ["C10", "C11", "Tulpen GmbH"]
    assert len(page.html.select("tbody input[checked]")) == 3
    for size in ("0", "11", "100000", "-1", "x"):
        assert len(names(office.get(f"/desk/applications?size={size}"))) == 13


def test_all_rows_of_the_filter_are_chosen(office, organiser, fair):
    for number in range(12):
        organiser.make("/applications", {"event_keys": ["fair"], "company_name": f"C{number:02}"})
    page = office.get("/desk/applications?size=10&status=new&sort=company_name")
    [link] = page.html.select(".picked a.act")
    assert link.text == "Select all 13"
    page = office.get(f"/desk/applications{link['href']}")
    [form] = page.html.select("main form[method=post]")
    assert not form.select("tbody input:not([disabled])"), "what is chosen is all, not the page"
    sent = {each["name"]: each["value"] for each in form.select("input[type=hidden]")}
    found = tried(office, page, sent)
    assert found[:2] == ["C00", "C01"] and found[-1] == "Tulpen GmbH" and len(found) == 13


@pytest.mark.parametrize("address", ["exhibitors", "hall/holds"])
def test_all_rows_of_a_short_list_are_chosen_on_a_phone(office, organiser, fair, address):
    """A phone does not show the heads of columns, with the link that a desk has."""
    contact = organiser.make("/contacts", {"company_name": "Nelken KG"})
    body = {"event_key": "fair", "contact_id": contact["id"]}
    other = organiser.make("/participants", body)
    for booth, exhibitor in zip(fair.booths, (fair.exhibitor, other), strict=True):
        hold = {"booth_id": booth["id"], "event_participant_id": exhibitor["id"]}
        organiser.make("/booth-reservations", hold)
    page = office.get(f"/desk/{address}?event=fair")
    [link] = page.html.select(".picked a.act.phone-only")
    assert link.text == "Select all 2"
    chosen = office.get(f"/desk/{address}{link['href']}")
    assert len(chosen.html.select("tbody input[checked]")) == 2
    assert chosen.html.select(".picked a.phone-only") == []


def test_the_box_of_a_draft_has_the_name_that_is_shown(office, busy_fair):
    [box] = office.get("/desk/money").html.select("tbody input[name=ids]")
    assert box["aria-label"] == "Tick Draft 1"


@pytest.mark.parametrize(
    "fields",
    [
        {"list": "applications", "filter": ""},
        {"list": "applications", "filter": "status=new"},
        {"list": "nothing", "filter": "event=fair"},
        {},
    ],
)
def test_without_its_list_and_show_nothing_is_chosen(office, applicants, fields):
    page = office.get("/desk/applications")
    office.submit(page, "/desk/batch/applications/review", {"all": "1", **fields}, status=404)


def test_the_ids_of_another_list_are_not_taken(office, applicants):
    page = office.get("/desk/applications")
    for name in ("exhibitors", "contacts", "visitors"):
        sent = {"all": "1", "list": name, "filter": "event=fair"}
        office.submit(page, "/desk/batch/applications/review", sent, status=404)


def test_a_filter_knows_only_what_the_list_knows(office, applicants):
    page = office.get("/desk/applications")
    filter = (
        "event=fair&sort=company_name&ids=1&per_page=1&page=9&status=nothing&lacks=all&q=example"
    )
    sent = {"all": "1", "list": "applications", "filter": filter}
    assert tried(office, page, sent) == ["Aster", "Birke", "Calla", "Tulpen GmbH"]


def test_export_has_filter_and_order(office, applicants):
    answer = office.get("/desk/applications?sort=company_name&q=example&export=csv")
    assert answer.content_type == "text/csv" and answer.headers["Cache-Control"] == "no-store"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["company_name"] for row in rows] == ["Aster", "Birke", "Calla", "Tulpen GmbH"]


def test_the_address_book_is_browsed_by_name(office, organiser, fair):
    for company, person in (("Älpler AG", "Zech"), ("Zander KG", "Abel"), (None, "Mohn")):
        organiser.make("/contacts", {"company_name": company, "last_name": person})
    assert names(office.get("/desk/contacts")) == ["Älpler AG", "Rosen KG", "Zander KG", "Mohn"]
    page = office.get("/desk/contacts?sort=last_name")
    assert names(page) == ["Zander KG", "Mohn", "Älpler AG", "Rosen KG"]
    assert names(office.get("/desk/contacts?q=zand")) == ["Zander KG"]


def test_invoices_are_searched_in_all_states(office, busy_fair):
    assert names(office.get("/desk/money")) == ["Draft 1"]
    found = names(office.get("/desk/money?q=rosen"))
    assert len(found) == 4 and "Draft 1" in found
    assert names(office.get("/desk/money?show=overdue")) != []


def test_orders_show_what_waits_and_all_others(office, busy_fair):
    waiting = office.get("/desk/exhibitors/orders")
    assert len(names(waiting)) == 1 and "1 × Power" in waiting
    assert len(names(office.get("/desk/exhibitors/orders?show=all"))) == 3
    confirm = "batch/service-orders/confirm"
    assert confirm in waiting and confirm not in office.get("/desk/exhibitors/orders?show=draft")


def test_booths_show_who_has_them_with_the_sums_of_their_hall(office, desk, organiser, busy_fair):
    other = organiser.make(
        "/plans", {"event_key": "fair", "plan_name": "Hall 2", "width": 40, "height": 30}
    )
    blocked = {"status": "blocked", "blocked_reason": "Column"}
    organiser.make("/booths", {"plan_id": other["id"], "booth_number": "B1", **blocked})
    hold = organiser.data("/booth-reservations?status=pending")[0]
    organiser.post(f"/booth-reservations/{hold['id']}/confirm", status=200)

    page = office.get("/desk/hall/booths")
    first, second, third = of_columns(page)
    assert first["Booth"] == "A1" and first["Exhibitor"] == "Rosen KG" and first["State"] == "sold"
    assert first["Size"] == "3 × 3 m" and first["Area"].endswith("9 m²")
    assert first["Price (net)"] == "EUR 720.00" and first["Booth type"] == "Row"
    assert second["Booth"] == "A2" and second["Exhibitor"] == ""
    assert third["State"] == "blocked Column" and third["Price (net)"] == "no price"
    [foot] = page.html.select("main tfoot tr")
    assert "3 booths" in foot.text and "27 m²" in foot.text

    [link] = office.get("/desk/hall").html.select('main a[href*="hall/booths"]')
    page = office.get("/desk/" + link["href"].rpartition("desk/")[2])
    assert names(page) == ["A1", "A2"]
    counts = {each.contents[0].strip(): each.span.text for each in page.html.select("nav.views a")}
    assert counts == {"All": "2", "free": "1", "held": "0", "sold": "1", "blocked": "0"}
    assert names(office.get("/desk/hall/booths?show=blocked")) == ["B1"]
    assert names(office.get("/desk/hall/booths?plan_id=no&sort=-booth_number")) == [
        "B1",
        "A2",
        "A1",
    ]
    csv_text = office.get("/desk/hall/booths?show=sold&export=csv").text
    assert "exhibitor.name" in csv_text and "Rosen KG" in csv_text

    halls_only = desk("booths:read plans:read events:read")
    assert "Rosen KG" not in halls_only.get("/desk/hall/booths")


def test_submissions_are_reviewed_together(office, organiser, busy_fair):
    kind = organiser.make(
        "/submissions/types", {"event_key": "fair", "title": "Motto", "input": "textarea"}
    )
    body = {"event_participant_id": busy_fair.exhibitor["id"], "type_id": kind["id"]}
    motto = organiser.make("/submissions", {**body, "value": "<b>Green</b>"})
    organiser.patch(f"/submissions/types/{kind['id']}", {"needs_approval": True}, status=200)

    page = office.get("/desk/exhibitors/submissions")
    rows = of_columns(page)
    assert [(row["Exhibitor"], row["Submission"], row["Content"]) for row in rows] == [
        ("Rosen KG", "Slogan", "Roses"),
        ("Rosen KG", "Motto", "<b>Green</b>"),
    ]
    ids = [each["id"] for each in organiser.data("/submissions?status=submitted")]
    result = batches.done(
        office, page, "submissions/request-revision", [motto["id"]], feedback="Shorter"
    )
    assert "A revision of 1 submission is requested" in result
    waiting = of_columns(office.get("/desk/exhibitors/submissions?show=revision"))
    assert [(row["Submission"], row["State"]) for row in waiting] == [
        ("Motto", "revision requested Shorter")
    ]
    [slogan] = [id for id in ids if id != motto["id"]]
    result = batches.done(office, page, "submissions/approve", [slogan])
    assert "1 submission is approved" in result and "Rosen KG" in result
    assert organiser.data(f"/submissions/{slogan}")["status"] == "approved"
    page = office.get("/desk/exhibitors/submissions")
    assert "Nothing waits for a review" in page and "Documents missing" in page


# Two contacts that are one


@pytest.fixture
def twin(organiser, fair):
    """A second contact of Rosen KG that takes part in the same show."""
    contact = organiser.make(
        "/contacts", {"company_name": "Rosen", "email": "info@rosen.example", "city": "Halle"}
    )
    participant = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact["id"]}
    )
    return SimpleNamespace(
        contact=contact,
        participant=participant,
        page=merge_page(fair.contact, contact),
        address=f"/desk/contacts/{fair.contact['id']}/merge",
        fields={"duplicate_id": contact["id"]},
    )


def merge_page(kept, other):
    return f"/desk/contacts/{kept['id']}/merge?duplicate_id={other['id']}"


@pytest.fixture
def link_of(organiser):
    """Return a function that makes a link of a participant for an address."""

    def make(participant, email):
        body = {"kind": "participant", "participant_id": participant["id"], "email": email}
        return organiser.make("/links", body)

    return make


def test_two_contacts_become_one_after_a_look_at_both(office, organiser, fair, twin, link_of):
    office_of, works_of = fair.exhibitor, twin.participant
    for participant, email in (
        (office_of, "office@rosen.example"),
        (works_of, "works@rosen.example"),
        (works_of, "yard@rosen.example"),
    ):
        link_of(participant, email)
    organiser.make(
        "/booth-reservations",
        {"booth_id": fair.booths[0]["id"], "event_participant_id": works_of["id"]},
    )
    page = office.get("/desk/contacts/duplicates")
    assert names(page) == ["Rosen KG"] and "same e-mail" in page
    [row] = page.html.select("main tbody a.name")
    page = office.get(f"/desk/{row['href'].partition('desk/')[2]}")
    sides = [
        [each.text.split()[0] for each in side.find_all("label")]
        for side in page.html.select("main fieldset")
    ]
    assert sides == [["office@rosen.example"], ["yard@rosen.example", "works@rosen.example"]]
    assert not page.html.select("main input[checked]")
    ticked = page.html.select("main fieldset")[1].find_all("input")[1]["value"]
    done = office.submit(page, twin.address, {**twin.fields, "keep_links": ticked})
    place = f"/contacts/{fair.contact['id']}?done=merge_contact"
    assert done.headers["Location"].endswith(place)
    again = office.submit(page, twin.address, {**twin.fields, "keep_links": ticked})
    assert again.headers["Location"].endswith(place)
    organiser.get(f"/contacts/{twin.contact['id']}", status=404)
    left = {each["email"]: each["status"] for each in organiser.data("/links")}
    assert left["works@rosen.example"] == "active" and left["yard@rosen.example"] != "active"
    assert left["office@rosen.example"] != "active"


def test_a_merge_without_the_scope_of_what_moves_is_refused(desk, fair, twin):
    visitor = desk("contacts participants:read")
    page = visitor.get(twin.page)
    assert "participants" in visitor.submit(page, twin.address, twin.fields, status=403)
    assert visitor.get(f"/desk/contacts/{twin.contact['id']}")


def test_without_the_scope_for_links_no_address_is_shown(desk, fair, twin, link_of):
    link_of(twin.participant, "works@rosen.example")
    page = desk("contacts participants").get(twin.page)
    assert "works@rosen.example" not in page and "you may not see links" in page
    page = desk("contacts").get(twin.page)
    assert "Garden Fair" not in page.html.find("main").text


def test_a_contact_is_not_merged_with_itself(office, fair):
    office.get(merge_page(fair.contact, fair.contact), 404)
    office.get(merge_page(fair.contact, {"id": 999}), 404)


# Exhibitors and visitors


@pytest.fixture
def exhibitors(organiser, fair):
    """Four sponsors beside the exhibitor Rosen KG. Return name -> id."""
    found = {}
    for name in ("Dahl", "Blum", "Anders", "Cramer"):
        contact = organiser.make("/contacts", {"company_name": name, "city": f"{name}stadt"})
        body = {"event_key": "fair", "contact_id": contact["id"], "role": "sponsor"}
        body["is_confirmed"] = name in ("Anders", "Cramer")
        found[name] = organiser.make("/participants", body)["id"]
    return found


def test_exhibitors_are_listed_by_name_with_what_they_still_have_to_do(
    office, organiser, fair, exhibitors
):
    booth = {"booth_id": fair.booths[0]["id"], "event_participant_id": exhibitors["Blum"]}
    organiser.make("/booth-reservations", booth)
    page = office.get("/desk/exhibitors")
    assert names(page) == ["Anders", "Blum", "Cramer", "Dahl", "Rosen KG"]
    rows = of_columns(page)
    assert [row["Booth"] for row in rows] == ["", "A1", "", "", ""]
    assert rows[0]["Next"] == "All done" and rows[4]["Next"].startswith("Booth")
    bars = page.html.select("main tbody .ticks")[4]
    assert bars["aria-label"].endswith("steps done") and bars.select(".wait, .blocked")


def test_views_of_exhibitors_find_what_the_api_finds(office, organiser, fair, exhibitors):
    organiser.post(f"/participants/{exhibitors['Dahl']}/cancel", status=200)
    found = {}
    for view in ("unready", "booth", "open", "submissions", "link", "nameless", "waitlisted"):
        found[view] = names(office.get(f"/desk/exhibitors?show={view}"))
    assert found == {
        "unready": ["Blum", "Rosen KG"],
        "booth": ["Rosen KG"],
        "open": [],
        "submissions": [],
        "link": ["Anders", "Blum", "Cramer", "Rosen KG"],
        "nameless": [],
        "waitlisted": [],
    }
    assert names(office.get("/desk/exhibitors?show=cancelled")) == ["Dahl"]
    [views, *_] = office.get("/desk/exhibitors").html.select("nav.views")
    assert [" ".join(each.text.split()) for each in views.find_all("a")] == [
        "All 4",
        "Not ready 2",
        "No booth 1",
        "Payment open 0",
        "Documents missing 0",
        "No access 4",
        "No display name 0",
        "Waiting list 0",
        "Cancelled 1",
    ]


def test_without_the_scope_for_invoices_no_sum_is_shown(desk, busy_fair):
    page = desk("participants:read").get("/desk/exhibitors")
    assert not {"Invoiced", "Open"} & set(heads(page)) and "Payment open" not in page
    assert not page.html.select("input[name=cols][value=open]")
    page = desk("participants:read invoices:read").get("/desk/exhibitors")
    [rosen] = [row for row in of_columns(page) if "Rosen" in row["Exhibitor"]]
    assert rosen["Open"] == "Open EUR 347.00"
    refused = desk("participants:read").get("/desk/exhibitors?show=open", 403)
    assert "invoices" in refused


def test_visitors_are_those_who_are_no_exhibitors(office, organiser, fair, exhibitors):
    for name, role in (("Ada", "visitor"), ("Bea", "press"), ("Cleo", "staff")):
        contact = organiser.make("/contacts", {"first_name": name, "last_name": "Lovelace"})
        body = {"event_key": "fair", "contact_id": contact["id"], "role": role}
        made = organiser.make("/participants", body)
    organiser.post(f"/participants/{made['id']}/cancel", status=200)
    page = office.get("/desk/visitors")
    assert names(page) == ["Bea Lovelace", "Ada Lovelace"]
    assert names(office.get("/desk/visitors?show=press")) == ["Bea Lovelace"]
    assert names(office.get("/desk/visitors?show=cancelled")) == ["Cleo Lovelace"]
    assert {row["Role"] for row in of_columns(page)} == {"visitor", "press"}


def test_payments_and_letters_have_lists(office, busy_fair):
    rows = of_columns(office.get("/desk/money/payments"))
    assert sorted(row["State"] for row in rows) == ["completed", "completed", "pending"]
    assert sorted(row["Amount"] for row in rows) == ["EUR 10.00", "EUR 10.00", "EUR 130.00"]
    assert len(names(office.get("/desk/money/payments?show=completed"))) == 2
    [row] = of_columns(office.get("/desk/money/letters"))
    assert "Rosen KG" in row["Invoice"] and row["Level"] == "First letter"
    assert of_columns(office.get("/desk/money/letters?show=open")) == [row]
