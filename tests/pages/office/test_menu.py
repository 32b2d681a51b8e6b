"""The menu of the desk: the parts that a person may read, and the pages below "Set up" and "Settings"."""

import re

import pytest

SETUP = [
    "setup",
    *(
        f"setup/{page}"
        for page in (
            "details",
            "website",
            "programme",
            "visitors",
            "apply",
            "categories",
            "stands",
            "halls",
            "services",
            "submissions",
            "portal",
            "dunning",
        )
    ),
]
COMPANY = [
    f"company/{page}"
    for page in ("company", "bank", "taxes", "invoices", "dunning", "mails", "look", "datev")
]


def menu(page):
    """Return the address below /desk/ -> (label, number beside it) of each entry of the menu."""
    text = page.text.partition('<nav class="rail"')[2].partition('<div class="rail-foot">')[0]
    text = text.rpartition("</details>")[2]
    links = re.findall(
        r'(?s)<a (?:class="within" )?href="(?:[./]*desk/)?([^"?]*)[^>]*>(.*?)</a>', text
    )
    return {address.lstrip("./"): entry(content) for address, content in links}


def entry(content):
    label, *rest = re.sub(r"<[^>]+>", "|", content).split("|")
    return label.strip(), next((text for text in rest if text.strip()), "")


@pytest.mark.parametrize(
    ("scopes", "shown"),
    [
        ("events:read", ["", "setup"]),
        ("contacts:read", ["search", "contacts"]),
        ("applications:read", ["search", "applications"]),
        ("participants:read", ["search", "exhibitors", "visitors"]),
        ("booths:read", ["search", "hall"]),
        ("invoices:read", ["search", "money"]),
        ("settings:read", ["company/company"]),
        ("events settings", ["", "setup", "company/company"]),
        ("tasks", []),
    ],
)
def test_an_entry_is_shown_to_those_who_may_read_its_records(desk, fair, scopes, shown):
    assert list(menu(desk(scopes).get("/desk/"))) == shown


def test_parts_of_a_show_are_not_offered_before_there_is_one(desk):
    assert list(menu(desk().get("/desk/"))) == [
        *("search", "", "applications", "money", "contacts", "setup", "company/company")
    ]


def test_a_part_has_its_pages_within_it(office, fair):
    assert [each for each in menu(office.get("/desk/setup")) if each in SETUP] == SETUP
    assert [each for each in menu(office.get("/desk/company/bank")) if "/" in each] == COMPANY
    page = office.get("/desk/setup/website").text
    assert re.search(r'class="within" href="[^"]*setup/website[^"]*"\s+aria-current="page"', page)


def test_pages_of_a_disabled_feature_are_not_offered(office, fair, db):
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name IN ('pages', 'booths')")
    left = [each for each in menu(office.get("/desk/setup")) if each in SETUP]
    off = {f"setup/{page}" for page in ("website", "visitors", "apply", "portal", "stands")}
    assert left == [page for page in SETUP if page not in off]
    for page in left:
        office.get(f"/desk/{page}")


def test_a_phone_has_the_menu_folded_with_the_name_of_the_page(desk):
    page = desk(language="de").get("/desk/company/bank").text
    bar = page.partition('<header class="phonebar">')[2].partition("</header>")[0]
    assert "<b>Bank</b>" in bar and "<summary>Menü</summary>" in bar
    assert "Ihre Firma" in bar and "Steuerberater" in bar and "Abmelden" in bar


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({}, {}),
        ({"organiser_iban": ""}, {"bank": "1"}),
        (
            {"organiser_name": "", "organiser_city": "", "organiser_iban": ""},
            {"company": "2", "bank": "1"},
        ),
        ({"organiser_vat_id": "", "organiser_tax_number": ""}, {"taxes": "1"}),
        ({"smtp_host": "", "base_url": ""}, {}),
    ],
)
def test_the_menu_counts_what_is_missing_on_each_page(office, settings, changed, shown):
    vars(settings).update(changed)
    found = menu(office.get("/desk/company/look"))
    assert {
        address.removeprefix("company/"): count
        for address, (_, count) in found.items()
        if count and address.startswith("company/")
    } == shown


def test_the_menu_counts_the_new_applications_for_the_show_in_hand(office, busy_fair, db):
    waiting = db.connection.execute(
        "SELECT count(*) FROM application_events WHERE event_id = 1 AND application_id IN"
        " (SELECT id FROM applications WHERE status = 'new')"
    ).fetchone()[0]
    assert menu(office.get("/desk/"))["applications"] == ("Applications", str(waiting))


def test_the_tab_names_the_page_and_the_show(office, busy_fair):
    def title(path):
        return re.search(r"<title>([^<]*)</title>", office.get(f"/desk/{path}").text)[1]

    assert title("exhibitors") == "Exhibitors · Garden Fair · May 2027"
    assert title("edit/booths/1") == "Edit the booth: A1 · Garden Fair · May 2027"
    assert title("edit/services") == "New service · Garden Fair · May 2027"
    assert title("do/reject_application/1") == "Reject · Garden Fair · May 2027"


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ("saved&of=booths/1", "Booth A1 is saved."),
        ("saved&of=booths/999", "Saved."),
        ("saved", "Saved."),
        ("cancel_invoice&of=invoices/1", "Invoice {number} is cancelled."),
        ("cancel_invoice&of=invoices/x", "Invoice is cancelled."),
        ("approve_application&of=nothing/1", "The application is approved."),
    ],
)
def test_what_was_done_names_the_record(office, organiser, busy_fair, done, said):
    number = organiser.get("/invoices/1", status=200).json["data"]["invoice_number"]
    page = office.get(f"/desk/?done={done}").text
    assert f'role="status">{said.format(number=number)}</p>' in page


def test_what_was_done_names_no_record_that_the_person_may_not_read(desk, busy_fair):
    page = desk("events").get("/desk/?done=cancel_invoice&of=invoices/1").text
    assert 'role="status">Invoice is cancelled.</p>' in page


def test_steps_that_a_show_can_do_without_do_not_count(office, fair):
    page = office.get("/desk/setup")
    found = {}
    for row in page.html.select(".checklist li"):
        chip = row.select_one(".chip")
        found[row.find("b").text] = chip and chip.text
    optional = [name for name, mark in found.items() if mark == "optional"]
    assert optional == [
        "Programme",
        "Visitors and doors",
        "Services",
        "Documents",
        "Dunning levels",
    ]
    [bar] = page.html.select("progress")
    assert bar["max"] == str(len(found) - len(optional))
    main = page.html.select_one(".top a.button:not(.second)").text
    assert not any(name in main for name in optional)


def test_a_saved_page_leads_to_the_next_step(office, fair):
    address = "/desk/setup/details?event=fair"
    page = office.get(address)
    assert "Next: " not in page.html.select_one(".top").text
    saved = office.get(f"{address}&done=saved").html.select_one(".top a.button:not(.second)")
    assert saved.text == "Next: Website" and "setup/website" in saved["href"]
