"""The registration of visitors: from the form to the badge, and all that is left to the office."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import directory
from eventapi.storage.database import Database
from tests.pages.conftest import Visitor
from tests.pages.show.conftest import TYPED, built, confirmed, link_of, participants, token_of


def test_a_visitor_registers_and_has_a_badge_at_once_and_by_mail(
    register, pages, organiser, db, app
):
    visitor, page = register()
    assert "Please look into your e-mail" in page.text and "office@example.org" in page.text
    assert participants(organiser) == [] and organiser.data("/applications") == []
    page, path = confirmed(visitor, db)
    assert "You are registered" in page.text and "Show the badge" in page.text
    (participant,) = participants(organiser, include="contact")
    assert (
        participant["status"],
        participant["category_key"],
        participant["contact"]["last_name"],
        participant["contact"]["email"],
    ) == ("confirmed", "visitors", "Reißmann", "greta@mail.example")
    (application,) = organiser.data("/applications")
    assert (application["status"], application["decided_by"], application["language"]) == (
        "approved",
        None,
        "en",
    )
    assert application["email_confirmed_at"]
    badge = visitor.get(f"{path}badge")
    assert "Greta Reißmann" in badge.text
    assert participant["badge_number"] in badge.text.replace(" ", "")
    picture = visitor.get(f"{path}badge.svg")
    assert (
        picture.content_type == "image/svg+xml"
        and "sandbox" in picture.headers["Content-Security-Policy"]
    )
    pdf = visitor.get(f"{path}badge.pdf")
    assert pdf.body.startswith(b"%PDF") and pdf.headers["Cache-Control"] == "no-store"
    ((recipient, mail),) = built(db, "badge")
    assert (
        recipient == "greta@mail.example"
        and f'filename="badge-{participant["badge_number"]}.pdf"' in mail
    )
    phone = Visitor(app)
    assert phone.post(link_of(mail)).headers["Location"].endswith(path)
    answer = organiser.post(
        "/check-ins", {"badge_number": participant["badge_number"], "event_key": "fair"}, status=201
    )
    assert answer.json["data"]["event_participant_id"] == participant["id"]


def test_a_badge_is_for_its_visitor_alone(register, pages, db, app):
    visitor, _ = register()
    _, path = confirmed(visitor, db)
    for page in ("", "badge", "badge.svg", "badge.pdf"):
        assert "Greta" not in Visitor(app).get(path + page, 403).text


def test_the_same_address_again_leads_to_the_badge_that_exists(register, pages, organiser, db):
    visitor, _ = register()
    _, first = confirmed(visitor, db)
    other, _ = register(first_name="Gustav")
    page, second = confirmed(other, db)
    assert "You have registered with this address before." in page.text
    assert second == f"{first}?done=known_visit"
    assert len(participants(organiser)) == 1 and len(organiser.data("/applications")) == 1


def test_each_address_of_the_link_of_a_visitor_is_in_the_audit_log(register, pages, organiser, db):
    """The first confirmation makes the link and mails the badge with it, the second one gets an
    address of it.
    """
    for name in ("Greta", "Gustav"):
        visitor, _ = register(first_name=name)
        confirmed(visitor, db)
    found = organiser.data("/audit-log?entity_type=link&sort=id&order=ASC")
    assert [(entry["action"], entry["admin_name"]) for entry in found] == [
        ("created", None),
        ("mailed", None),
        ("mailed", None),
    ]
    assert TYPED["email"] not in str(found)


def test_the_address_of_an_exhibitor_gets_a_badge_with_the_name_of_the_visitor(
    register, pages, organiser, db, show
):
    contact = organiser.make(
        "/contacts", {"company_name": "Farn GmbH", "last_name": "Farn", "email": TYPED["email"]}
    )
    visitor, _ = register()
    _, path = confirmed(visitor, db)
    (participant,) = participants(organiser)
    assert (participant["contact_id"], participant["badge_name"]) == (
        contact["id"],
        "Greta Reißmann",
    )
    assert "Greta Reißmann" in visitor.get(f"{path}badge").text


def test_the_application_deadline_is_that_of_exhibitors(register, pages, organiser, db, show):
    organiser.patch(
        f"/events/{show['event']['id']}", {"application_deadline": "2020-01-01"}, status=200
    )
    visitor, _ = register()
    page, _ = confirmed(visitor, db)
    assert "You are registered" in page.text


def leave_two_contacts(organiser, pages, show):
    for name in ("Eins", "Zwei"):
        organiser.make("/contacts", {"last_name": name, "email": TYPED["email"]})


def fill_the_category(organiser, pages, show):
    category = organiser.data("/categories?category_key=visitors")[0]
    organiser.patch(f"/categories/{category['id']}", {"capacity": 1}, status=200)
    contact = organiser.make("/contacts", {"last_name": "First"})
    organiser.make(
        "/participants",
        {
            "event_key": "fair",
            "contact_id": contact["id"],
            "role": "visitor",
            "category_key": "visitors",
        },
    )


def close_the_form(organiser, pages, show):
    organiser.patch(pages, {"visit_is_open": False}, status=200)


def end_the_registration(organiser, pages, show):
    organiser.patch(pages, {"visit_until": "2020-01-01"}, status=200)


def hide_the_pages(organiser, pages, show):
    organiser.patch(pages, {"is_public": False}, status=200)


def ask_the_office(organiser, pages, show):
    category = organiser.data("/categories?category_key=visitors")[0]
    organiser.patch(f"/categories/{category['id']}", {"approval": "manual"}, status=200)


def cancel_it(organiser, pages, show):
    contact = organiser.make("/contacts", {"last_name": "Reißmann", "email": TYPED["email"]})
    participant = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": "visitor"}
    )
    organiser.post(f"/participants/{participant['id']}/cancel", {}, status=200)


@pytest.mark.parametrize(
    "change",
    [
        leave_two_contacts,
        fill_the_category,
        close_the_form,
        end_the_registration,
        hide_the_pages,
        ask_the_office,
        cancel_it,
    ],
)
def test_what_a_rule_would_have_to_guess_is_left_to_the_office(
    register, pages, organiser, db, show, change
):
    visitor, _ = register()
    change(organiser, pages, show)
    page, path = confirmed(visitor, db)
    assert "We have your registration" in page.text and "Show the badge" not in page.text
    assert organiser.data("/applications")[0]["status"] == "new" and built(db, "badge") == []
    visitor.get(f"{path}badge", 404)
    assert [row["status"] for row in participants(organiser) if row["application_id"]] == []


def test_a_full_category_leaves_the_form_and_the_office_admits_with_a_badge(
    register, pages, organiser, db, show, app
):
    visitor, _ = register()
    fill_the_category(organiser, pages, show)
    _, path = confirmed(visitor, db)
    assert "All places are taken" in Visitor(app).get("/e/fair/visit").text
    assert "/e/fair/visit" not in Visitor(app).get("/e/fair").text
    application = organiser.data("/applications")[0]
    answer = organiser.post(
        f"/applications/{application['id']}/approve", {"mail": True, "confirm": True}, status=200
    )
    assert answer.json["meta"]["mail"] == {"status": "queued"}
    ((_, mail),) = built(db, "badge")
    assert "Content-Disposition: attachment" in mail and "Show the badge" in visitor.get(path).text


def test_a_hundred_visitors_want_the_last_place(pages, organiser, db, show, settings):
    category = organiser.data("/categories?category_key=visitors")[0]
    organiser.patch(f"/categories/{category['id']}", {"capacity": 1}, status=200)
    event = directory.show(db, "fair")
    body = {
        "country": "DE",
        "last_name": "V",
        "event_keys": ["fair"],
        "category_keys": ["visitors"],
        "late": False,
        "custom_fields": {},
        "terms_accepted_at": None,
        "language": "en",
    }
    columns = [
        name
        for (name,) in db.connection.execute("SELECT name FROM pragma_table_info('applications')")
    ]
    body = {**dict.fromkeys(columns), "rating": 3, **body}
    with db.write():
        ids = [
            drafts.store(
                db,
                event,
                "visit",
                {**body, "email": f"v{number}@mail.example"},
                f"{number:032}",
                "en",
                f"192.0.2.{number}",
                "https://show.example.org",
            )
            for number in range(100)
        ]

    def confirm(ids):
        own = Database(settings)
        try:
            for id in ids:
                with own.write():
                    drafts.confirm(
                        own,
                        drafts.get(own, id),
                        directory.show(own, "fair"),
                        "https://show.example.org",
                    )
        finally:
            own.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(confirm, [ids[part::4] for part in range(4)]))
    states = [row["status"] for row in organiser.data("/applications?per_page=100")]
    assert (states.count("approved"), states.count("new")) == (1, 99) and len(
        participants(organiser)
    ) == 1
    count = db.connection.execute("SELECT count(*) FROM mails WHERE kind = 'badge'").fetchone()[0]
    assert count == 1


def test_the_address_is_corrected_and_the_wrong_one_opens_nothing(
    register, pages, organiser, db, app
):
    visitor, page = register(email="grate@mail.example")
    wrong = link_of(built(db, "application_confirmation")[0][1])
    db.connection.execute("UPDATE mails SET state = 'sent'")
    token = token_of(page)
    page = visitor.post("/e/fair/visit/address", {"token": token, "email": "no address"}, 422)
    assert "enter an e-mail address such as" in page.text
    for _ in range(2):  # pressed twice
        page = visitor.post("/e/fair/visit/address", {"token": token, "email": TYPED["email"]}, 200)
        assert "Please look into your e-mail" in page.text
    assert db.connection.execute(
        "SELECT count(*) FROM application_drafts WHERE fields IS NOT NULL"
    ).fetchone() == (1,)
    assert "not valid any more" in Visitor(app).get(wrong, 404).text
    confirmed(visitor, db)
    assert organiser.data("/applications")[0]["email"] == TYPED["email"]
    visitor.post("/e/fair/visit/address", {"token": token, "email": "late@mail.example"}, 200)
    assert len(organiser.data("/applications")) == 1 and len(participants(organiser)) == 1


def test_an_address_is_corrected_three_times(register, pages, db):
    visitor, page = register(email="a0@mail.example")
    token = token_of(page)
    for number in range(1, 4):
        visitor.post(
            "/e/fair/visit/address", {"token": token, "email": f"a{number}@mail.example"}, 200
        )
    page = visitor.post("/e/fair/visit/address", {"token": token, "email": "a4@mail.example"}, 409)
    assert "corrected three times" in page.text
    count = db.connection.execute(
        "SELECT count(*) FROM mails WHERE recipient = 'a4@mail.example'"
    ).fetchone()
    assert count == (0,)


def test_corrections_send_an_address_no_more_mails_than_others(register, pages, db):
    """Neither corrections nor tags get a stranger more than three mails in a day, if each was sent
    before.
    """
    for number in range(4):
        visitor, page = register(email=f"victim+{number}@mail.example")
        db.connection.execute("UPDATE mails SET state = 'sent', next_at = NULL")
        visitor.post(
            "/e/fair/visit/address",
            {"token": token_of(page), "email": f"other{number}@mail.example"},
            200,
        )
    count = db.connection.execute(
        "SELECT count(*) FROM mails WHERE recipient LIKE 'victim%'"
    ).fetchone()[0]
    assert count == 3


def test_corrections_before_the_mail_was_sent_use_up_no_mail_of_the_wrong_address(
    register, pages, db
):
    """Otherwise anybody could keep somebody from registering for a day, by naming an address and
    correcting it.
    """
    for number in range(4):
        visitor, page = register(email=f"victim+{number}@mail.example")
        visitor.post(
            "/e/fair/visit/address",
            {"token": token_of(page), "email": f"other{number}@mail.example"},
            200,
        )
    count = db.connection.execute(
        "SELECT count(*) FROM mails WHERE recipient LIKE 'victim%'"
    ).fetchone()[0]
    waiting = db.connection.execute(
        "SELECT count(*) FROM application_drafts WHERE fields IS NOT NULL"
    ).fetchone()[0]
    assert (count, waiting) == (0, 4), "the mails that were not sent yet are withdrawn"
    visitor, _ = register(email="victim@mail.example")
    count = db.connection.execute(
        "SELECT count(*) FROM mails WHERE recipient LIKE 'victim%'"
    ).fetchone()[0]
    assert count == 1


def test_only_the_fields_of_visitors_are_asked(register, pages, organiser, db, app, show):
    for key, label in (("products", "SECRETPRODUCTS"), ("diet", "Diet")):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "application",
                "field_key": key,
                "field_label": label,
                "applicant_visibility": "editable",
                "is_required": True,
            },
        )
    organiser.patch(pages, {"visit_fields": ["diet"]}, status=200)
    page = Visitor(app).get("/e/fair/visit").text
    assert "Diet" in page and "SECRETPRODUCTS" not in page and 'name="tax_id"' not in page
    _, page = register(status=422)
    assert 'id="e-custom.diet"' in page.text
    visitor, _ = register(**{"custom.diet": "vegan", "custom.products": "x"})
    confirmed(visitor, db)
    assert organiser.data("/applications?include=custom_fields")[0]["custom_fields"] == {
        "diet": "vegan"
    }


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"last_name": ""}, ["last_name"]),
        ({"category": ""}, ["category"]),
        ({"category": "pots"}, ["category"]),
        ({"email": "x"}, ["email"]),
        ({"last_name": "x" * 101}, ["last_name"]),
    ],
)
def test_a_fault_stands_beside_its_field(register, pages, changed, fields):
    _, page = register(status=422, **changed)
    assert sorted(re.findall(r'id="e-([\w.]+)"', page.text)) == fields


def test_the_category_in_the_address_is_chosen(pages, organiser, app, category):
    organiser.make(
        "/categories",
        {
            "title": "Press",
            "category_key": "press",
            "approval": "automatic",
            "role": "press",
            "event_keys": ["fair"],
        },
    )
    assert (
        '<option value="press" selected>' in Visitor(app).get("/e/fair/visit?category=press").text
    )


def test_exhibitors_do_not_see_the_categories_of_visitors(pages, app):
    assert "Visitors" not in Visitor(app).get("/e/fair/apply").text


def test_visitors_do_not_fill_the_form_of_exhibitors(register, pages, organiser, db, app):
    organiser.patch(pages, {"apply_capacity": 1}, status=200)
    for number in range(2):
        visitor, _ = register(email=f"v{number}@mail.example")
        confirmed(visitor, db)
    assert 'name="tax_id"' in Visitor(app).get("/e/fair/apply").text


def test_the_form_opens_only_with_an_automatic_category_and_public_pages(organiser, show):
    address = f"/events/{show['event']['id']}/pages"
    refused = organiser.patch(address, {"visit_is_open": True}, status=409).json
    assert (refused["code"], refused["missing"]) == ("page_incomplete", ["automatic_category"])
    assert refused["detail"] == (
        "The form of visitors cannot open yet. Give the event a selectable category with "
        "`approval` automatic, then repeat the request."
    )
    organiser.make(
        "/categories",
        {"title": "Visitors", "approval": "automatic", "role": "visitor", "event_keys": ["fair"]},
    )
    organiser.patch(address, {"is_public": False, "apply_is_open": False}, status=200)
    assert organiser.patch(address, {"visit_is_open": True}, status=409).json["missing"] == [
        "is_public"
    ]


def test_the_texts_of_the_organiser_replace_the_usual_ones(register, pages, organiser, db):
    organiser.patch(
        pages,
        {
            "mail_texts": {
                "visit_confirmation": {"de": "Hallo Gartenfreund."},
                "badge": {"de": "Bis bald."},
            }
        },
        status=200,
    )
    visitor, _ = register("de")
    confirmed(visitor, db)
    assert "Hallo Gartenfreund." in built_text(db, "application_confirmation", visitor)
    assert "Bis bald." in built(db, "badge")[0][1]


def built_text(db, kind, visitor):
    """Return the text of the mail of a draft, as if it were not confirmed."""
    db.connection.execute("UPDATE application_drafts SET confirmed_at = NULL, fields = '{}'")
    return built(db, kind)[0][1]
