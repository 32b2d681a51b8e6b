"""The page of one exhibitor: steps, the next one, wish, account and co-exhibitors; and the page of a
new one.
"""

import html
import re

from eventapi.pages.desk import api
from tests.support.images import png


def page_of(office, fair):
    return office.get(f"/desk/exhibitors/{fair.exhibitor['id']}")


def next_step(page):
    """Return the text of the filled button in the head of a page, or None."""
    head = page.text.partition("<h1>")[2].partition('<ol class="track"')[0]
    head = head.partition("</details>")[2]
    found = re.search(r'(?s)<(?:a class="button"|button)[^>]*>(.*?)</', head)
    return found and found[1].strip()


def follow(visitor, answer):
    """Return the page to which a form has led."""
    return answer.follow(headers=visitor.headers, status=200)


def hold(organiser, fair):
    body = {"booth_id": fair.booths[0]["id"], "event_participant_id": fair.exhibitor["id"]}
    return organiser.make("/booth-reservations", body)


# The page of one


def test_the_main_button_is_the_next_step_of_the_office(office, organiser, fair):
    organiser.post(f"/participants/{fair.exhibitor['id']}/unconfirm", status=200)
    assert next_step(page_of(office, fair)) == "Confirm participation"
    organiser.post(f"/participants/{fair.exhibitor['id']}/confirm", status=200)
    assert next_step(page_of(office, fair)) == "Assign a booth"
    held = hold(organiser, fair)
    assert next_step(page_of(office, fair)) == "Confirm the booth"
    organiser.post(f"/booth-reservations/{held['id']}/confirm", status=200)
    assert next_step(page_of(office, fair)) == "Write the invoice"
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    assert next_step(page_of(office, fair)) == "Send the invoice"
    sent = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]
    assert next_step(page_of(office, fair)) == "Enter the payment"
    paid = {"invoice_number": sent["invoice_number"], "amount": sent["total"]}
    organiser.make("/payments", paid)
    assert next_step(page_of(office, fair)) is None


def test_each_step_leads_to_its_card(office, desk, fair):
    page = page_of(office, fair)
    track = page.text.partition('<ol class="track"')[2].partition("</ol>")[0]
    cards = re.findall(r'href="#(\w+)"', track)
    assert cards == ["contracts", "submissions", "booth", "orders", "account", "account", "contact"]
    assert all(f'id="{card}"' in page for card in cards)
    # of cards that somebody may not see, the step stands without a link
    few = page_of(desk("participants:read"), fair)
    track = few.text.partition('<ol class="track"')[2].partition("</ol>")[0]
    assert re.findall(r'href="#(\w+)"', track) == ["contact"] and track.count("<li") == 7


def test_the_wish_of_the_application_stands_beside_the_booth(office, desk, organiser, fair):
    organiser.make(
        "/custom-fields",
        {"entity_type": "application", "field_key": "beside", "field_label": "Beside whom?"},
    )
    organiser.make(
        "/booths/types",
        {
            "booth_type_name": "Corner",
            "booth_type_key": "corner",
            "price_model": "fixed",
            "price": 100,
        },
    )
    changed = {
        "booth_type_key": "corner",
        "message": "Near the entrance, please.",
        "requested_area": 12,
        "custom_fields": {"beside": "Schroeder"},
    }
    organiser.patch(f"/applications/{fair.application['id']}", changed, status=200)
    organiser.post(f"/applications/{fair.application['id']}/approve", {}, status=200)
    (made,) = [row for row in organiser.data("/participants") if row["application_id"]]
    address = f"/desk/exhibitors/{made['id']}"
    booth = {"plan_id": fair.booths[0]["plan_id"], "booth_number": "Z9", "booth_type_key": "corner"}
    organiser.make("/booths", booth)
    page = office.get(address)
    options = [" ".join(each.text.split()) for each in page.html.select("#f-booth option")]
    assert options[0] == "Z9 · Corner · 9 m² · EUR 100.00" and len(options) > 1
    for text in ("Near the entrance, please.", "12 m²", "Corner", "Beside whom?", "Schroeder"):
        assert text in page, text
    assert "Beside whom?:" not in page
    hidden = desk("participants:read booths:read").get(address)
    assert "Near the entrance" not in hidden


def test_the_account_needs_the_scope_of_invoices(office, desk, organiser, fair):
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    page = page_of(office, fair)
    account = page.text.partition('id="account"')[2].partition("</section>")[0]
    amounts = re.findall(r"<dd[^>]*>(.*?)</dd>", account)
    assert amounts == ["EUR 357.00", "EUR 0.00", "EUR 357.00"]  # 300 and 19 %
    assert 'id="account"' not in page_of(desk("participants:read"), fair)


def test_access_is_mailed_until_the_contact_has_it(office, organiser, fair, mail):
    organiser.patch(f"/events/{fair.event['id']}/pages", {"my_is_open": True}, status=200)
    button = f"/desk/do/create_participant_link/{fair.exhibitor['id']}"
    page = page_of(office, fair)
    assert button in page
    back = f"exhibitors/{fair.exhibitor['id']}"
    after = office.submit(page, button, {"back": back})
    shown = follow(office, after)
    assert "Rosen KG: The mail with the link is on its way." in shown
    assert button not in shown
    assert page.html.select("#l-email")[0]["value"] == "info@rosen.example"
    assert "Make a link for another person" not in page
    [email] = shown.html.select("#l-email")
    assert email["value"] == "", "the address of the contact has a link already"
    assert "Make a link for another person" in shown
    assert [link["email"] for link in organiser.data("/links")] == ["info@rosen.example"]


def test_co_exhibitors_and_their_host_lead_to_each_other(office, organiser, fair):
    host = fair.exhibitor["id"]
    page = office.get(f"/desk/exhibitors/new?event=fair&host_participant_id={host}")
    assert "New co-exhibitor of Rosen KG" in page and 'name="booth_id"' not in page
    fields = {"host_participant_id": host, "contact/company_name": "Klein & Co"}
    answer = office.submit(page, "/desk/exhibitors/new?event=fair", fields)
    guest = organiser.data("/participants?role=co_exhibitor")[0]
    assert guest["host_participant_id"] == host
    assert f"exhibitors/{guest['id']}" in answer.headers["Location"]
    assert "at the booth of Rosen KG" in office.get(f"/desk/exhibitors/{guest['id']}")
    assert "Klein &amp; Co" in page_of(office, fair)


def test_a_document_is_a_link_to_its_file(office, desk, organiser, fair):
    template = organiser.make("/documents/templates", {"name": "Letter", "body": "<p>Good day</p>"})
    made = organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": fair.exhibitor["id"],
            "template_id": template["id"],
        },
    )
    assert f"documents/{made['id']}/file" in page_of(office, fair)
    answer = office.get(f"/desk/documents/{made['id']}/file")
    assert answer.content_type == "application/pdf" and answer.body.startswith(b"%PDF")
    desk("participants:read").get(f"/desk/documents/{made['id']}/file", 403)


def test_two_exhibitors_exchange_booths_and_see_the_prices_before(office, organiser, fair):
    one = hold(organiser, fair)
    contact = organiser.make("/contacts", {"company_name": "Nelken GmbH"})
    other = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    second = {"booth_id": fair.booths[1]["id"], "event_participant_id": other["id"]}
    two = organiser.make("/booth-reservations", second)
    for each in (one, two):
        organiser.post(f"/booth-reservations/{each['id']}/confirm", status=200)
    address = f"/desk/do/swap_booth_reservation/{one['id']}"
    assert address in page_of(office, fair)
    choice = office.get(address)
    assert f'<option value="{two["id"]}"' in choice and "Nelken GmbH" in choice
    effect = office.get(f"{address}?with={two['id']}")
    assert effect.text.count("so far") == 2 and 'name="keep_price"' in effect
    office.submit(effect, address, {"back": "", "with": two["id"]})
    assert [
        organiser.data(f"/booth-reservations/{each['id']}")["booth_id"] for each in (one, two)
    ] == [
        two["booth_id"],
        one["booth_id"],
    ]


# A new one

NEW = {
    "contact/company_name": "Ebner Keramik",
    "contact/last_name": "Ebner",
    "contact/email": "eva@ebner.example",
}


def create(visitor, fields, status=303, page=None):
    page = page or visitor.get("/desk/exhibitors/new?event=fair")
    return visitor.submit(page, "/desk/exhibitors/new?event=fair", fields, status)


def test_a_new_exhibitor_is_made_with_booth_and_access_on_one_page(office, organiser, fair, mail):
    organiser.patch(f"/events/{fair.event['id']}/pages", {"my_is_open": True}, status=200)
    booth, category = fair.booths[0], organiser.data("/categories")[0]
    fields = {
        **NEW,
        "category_key": category["category_key"],
        "booth_id": booth["id"],
        "is_confirmed": "1",
        "access": "1",
    }
    visitors = {"title": "Guests", "role": "visitor", "event_keys": ["fair"]}
    organiser.make("/categories", visitors)
    page = office.get("/desk/exhibitors/new?event=fair")
    assert f"{booth['booth_number']} · " in page
    assert f">{category['title']}</option>" in page and "Guests" not in page
    answer = create(office, fields, page=page)
    made = organiser.data("/participants?include=contact&search=ebner")[0]
    assert (made["role"], made["status"], made["category_key"]) == (
        "exhibitor",
        "confirmed",
        category["category_key"],
    )
    [held] = organiser.data(f"/booth-reservations?event_participant_id={made['id']}")
    assert (held["booth_id"], held["status"]) == (booth["id"], "confirmed")
    [link] = organiser.data(f"/links?participant_id={made['id']}")
    assert link["email"] == "eva@ebner.example" and link["mailed_at"]
    shown = follow(office, answer)
    assert "Ebner Keramik takes part now." in shown
    # pressed twice: nothing more
    assert create(office, fields, page=page).headers["Location"] == answer.headers["Location"]
    assert len(organiser.data("/participants?search=ebner")) == 1


def test_the_page_leads_through_the_list_that_it_was_opened_from(office, organiser, fair):
    for name in ("Aster", "Birke", "Calla"):
        contact = organiser.make("/contacts", {"company_name": name})
        organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})

    def opened(link):
        return office.get("/desk/" + link["href"].rpartition("desk/")[2])

    def beside(page):
        """Return the words of the links before and after."""
        found = page.html.select("main nav.crumb a[rel]")
        return [(each["rel"][0], each["aria-label"].partition(": ")[2]) for each in found]

    rows = office.get("/desk/exhibitors?show=booth&sort=-name&size=10").html.select("tbody a.name")
    assert [row.text for row in rows] == ["Rosen KG", "Calla", "Birke", "Aster"]
    page = opened(rows[0])
    assert beside(page) == [("next", "Calla")]
    page = opened(page.html.select_one("main a[rel=next]"))
    assert page.html.h1.text == "Calla"
    assert beside(page) == [("prev", "Rosen KG"), ("next", "Birke")]

    # Calla gets a booth and leaves this view: Birke is at its position now
    [calla] = organiser.data("/participants?search=calla")
    hold = {"booth_id": fair.booths[0]["id"], "event_participant_id": calla["id"]}
    held = organiser.make("/booth-reservations", hold)
    organiser.post(f"/booth-reservations/{held['id']}/confirm", status=200)
    page = opened(rows[1])
    assert beside(page) == [("prev", "Rosen KG"), ("next", "Birke")]
    page = opened(page.html.select_one("main a[rel=next]"))
    assert page.html.h1.text == "Birke"
    assert beside(page) == [("prev", "Rosen KG"), ("next", "Aster")]
    back = opened(page.html.select_one("main nav.crumb a"))
    assert [row.text for row in back.html.select("tbody a.name")] == ["Rosen KG", "Birke", "Aster"]


def test_a_list_that_is_closed_or_unknown_leads_nowhere(desk, fair):
    address = f"/desk/exhibitors/{fair.exhibitor['id']}"
    visitor = desk("events:read participants:read")
    for query in (
        "list=exhibitors&filter=show%3Dopen%26event%3Dfair&at=1",  # needs invoices
        "list=exhibitors&filter=show%3Dall&at=1",
        "list=exhibitors&filter=event%3Dfair&at=x",
        "list=contacts&filter=event%3Dfair&at=1",
        "list=nothing&at=1",
        f"list=exhibitors&filter=event%3Dfair&at={10**17}",  # beyond all pages
        "list=exhibitors&filter=event%3Dfair%26q%3D%2500&at=1",  # no list has such a search
    ):
        assert visitor.get(f"{address}?{query}").html.select("main nav.crumb") == []
    known = visitor.get(f"{address}?list=exhibitors&filter=event%3Dfair&at=1")
    assert len(known.html.select("main nav.crumb")) == 1


def test_a_new_visitor_has_the_category_of_visitors_and_an_address(office, organiser, fair):
    keys = {}
    for title, role in (("Press", "press"), ("Guests", "visitor")):
        body = {"title": title, "role": role, "event_keys": ["fair"]}
        keys[title] = organiser.make("/categories", body)["category_key"]
    assert "desk/visitors/new" in office.get("/desk/visitors?event=fair")
    page = office.get("/desk/visitors/new?event=fair")
    chosen = page.html.select_one("main [name=category_key] option[selected]")
    assert chosen.text.strip() == "Guests" and "Plants" not in page.html.find("main").text
    assert page.html.select("main [name=booth_id], main [name=access]") == []
    [folded] = page.html.select("main details.more")
    assert [each["name"] for each in folded.select("input, select")] == [
        "contact/address",
        "contact/postal_code",
        "contact/city",
        "contact/country",
    ]
    place = {"contact/address": "Ring 3", "contact/postal_code": "04109", "contact/city": "Leipzig"}
    fields = {**NEW, **place, "contact/country": "DE", "is_confirmed": "1"}
    address = "/desk/visitors/new?event=fair"
    answer = office.submit(page, address, {**fields, "category_key": chosen["value"]}, 303)
    assert "Ebner Keramik takes part now." in follow(office, answer)
    [made] = organiser.data("/participants?search=ebner")
    assert (made["role"], made["status"]) == ("visitor", "confirmed")
    contact = organiser.data(f"/contacts/{made['contact_id']}")
    assert (contact["address"], contact["city"], contact["country"]) == ("Ring 3", "Leipzig", "DE")

    other = organiser.make("/contacts", {"company_name": "Blatt"})
    page = office.get(f"/desk/visitors/new?event=fair&contact_id={other['id']}")
    office.submit(page, address, {"contact_id": other["id"], "category_key": keys["Press"]}, 303)
    assert organiser.data("/participants?search=blatt")[0]["role"] == "press"


def test_a_known_address_asks_whether_to_take_that_contact(office, organiser, fair):
    body = {"first_name": "Mia", "last_name": "Sommer", "email": "eva@ebner.example"}
    known = organiser.make("/contacts", body)
    asked = create(office, NEW, 409)
    assert "Take that contact, or create another one?" in asked and "Take Mia Sommer" in asked
    assert 'value="Ebner Keramik"' in asked  # what was typed stays
    create(office, {**NEW, "contact_id": known["id"]}, page=asked)
    assert organiser.data("/participants?search=sommer")[0]["contact_id"] == known["id"]
    assert len(organiser.data("/contacts")) == 2


def test_another_contact_with_a_known_address_is_made_on_demand(office, organiser, fair):
    organiser.make("/contacts", {"last_name": "Sommer", "email": "eva@ebner.example"})
    fields = {**NEW, "category_key": organiser.data("/categories")[0]["category_key"]}
    asked = create(office, fields, 409)
    answer = create(office, {**fields, "anyway": "1"}, page=asked)
    going_on = follow(office, answer)
    assert "Ebner Keramik" in going_on and 'name="contact/company_name"' not in going_on
    assert f'<option value="{fields["category_key"]}" selected' in going_on
    new = organiser.data("/contacts?search=ebner")[0]
    create(office, {"contact_id": new["id"]}, page=going_on)
    assert organiser.data("/participants?search=ebner")[0]["contact_id"] == new["id"]


def test_contacts_are_found_and_taken(office, organiser, fair):
    other = organiser.make("/contacts", {"company_name": "Rosenhof"})
    page = office.get("/desk/exhibitors/new?event=fair&q=rosen")
    found = page.text.partition("From the contacts")[2].partition("</section>")[0]
    assert f"contact_id={other['id']}" in found
    # somebody who takes part already leads to its page
    assert f"exhibitors/{fair.exhibitor['id']}" in found and "Takes part already" in found
    chosen = office.get(f"/desk/exhibitors/new?event=fair&contact_id={other['id']}")
    assert "Rosenhof" in chosen and 'name="contact/company_name"' not in chosen


def test_somebody_who_takes_part_already_is_led_to(office, organiser, fair):
    page = office.get(f"/desk/exhibitors/new?event=fair&contact_id={fair.contact['id']}")
    refused = create(office, {"contact_id": fair.contact["id"]}, 409, page=page)
    assert f"exhibitors/{fair.exhibitor['id']}" in refused
    # a booth that no form offers is none
    create(office, {**NEW, "booth_id": "x"})
    assert len(organiser.data("/participants?search=ebner")) == 1


def test_a_booth_that_is_taken_meanwhile_leaves_the_exhibitor_and_says_so(office, organiser, fair):
    page = office.get("/desk/exhibitors/new?event=fair")
    held = hold(organiser, fair)
    answer = create(office, {**NEW, "booth_id": held["booth_id"]}, page=page)
    shown = follow(office, answer)
    assert "Ebner Keramik takes part now, but the booth was given away meanwhile." in shown
    made = organiser.data("/participants?search=ebner")[0]
    assert organiser.data(f"/booth-reservations?event_participant_id={made['id']}") == []


def test_a_new_contact_without_a_name_is_refused_beside_its_fields(office, organiser, fair):
    before = organiser.data("/contacts")
    refused = create(office, {"contact/email": "nobody"}, 422)
    assert "Error" in refused.text.partition("</title>")[0]
    create(office, {}, 422)
    assert organiser.data("/contacts") == before


def test_without_the_scope_of_contacts_only_known_ones_become_exhibitors(desk, organiser, fair):
    other = organiser.make("/contacts", {"company_name": "Rosenhof"})
    visitor = desk("participants contacts:read")
    page = visitor.get("/desk/exhibitors/new?event=fair&q=rosenhof")
    assert 'name="contact/company_name"' not in page and f"contact_id={other['id']}" in page
    create(visitor, {"contact_id": other["id"]}, page=page)
    desk("participants:read").get("/desk/exhibitors/new?event=fair", 403)


# Its logo


def test_the_office_uploads_the_logo_of_an_exhibitor_and_removes_it(office, desk, organiser, fair):
    address = f"/desk/exhibitors/{fair.exhibitor['id']}/logo"
    assert address in page_of(office, fair)
    page = office.get(address)
    fields = {"tag": tag_of(page)}
    refused = office.submit(page, address, fields, 422, upload=("logo.png", b"no picture"))
    assert "no logo yet" in refused.text.lower()
    answer = office.submit(page, address, fields, upload=("logo.png", png(40, 20)))
    assert "Rosen KG: The logo is saved." in follow(office, answer)
    logo = organiser.data(f"/participants/{fair.exhibitor['id']}/profile")["logo"]
    assert (logo["width"], logo["height"]) == (40, 20)
    page = office.get(address)
    shown = office.get(f"/desk/documents/{logo['document_id']}/file")
    assert f"documents/{logo['document_id']}/file" in page and shown.content_type == "image/png"
    answer = office.submit(page, f"{address}/remove", {"tag": tag_of(page)})
    assert "Rosen KG: The logo is removed." in follow(office, answer)
    reader = desk("participants:read").get(address)
    assert 'type="file"' not in reader


def tag_of(page):
    return html.unescape(re.search(r'name="tag" value="([^"]*)"', page.text)[1])


def test_no_record_is_read_again_for_its_buttons(office, busy_fair, monkeypatch):
    called, real = [], api.read

    def read(name, **options):
        called.append(name)
        return real(name, **options)

    monkeypatch.setattr(api, "read", read)
    page = office.get(f"/desk/exhibitors/{busy_fair.exhibitor['id']}")
    for name in ("booth_reservation", "service_order", "submission", "document", "task"):
        assert f"list_{name}s" in called
        assert f"get_{name}" not in called
    for button in ("cancel_booth_reservation", "confirm_service_order", "approve_submission"):
        assert f"desk/do/{button}/" in page
