"""What an exhibitor does on its page, step by step, and what it says."""

import re
from urllib.parse import urljoin

import pytest

from eventapi.domain.portal import todos
from eventapi.pages.my import page
from eventapi.validation.schema_files import document
from eventapi.web.html import page_requests
from tests.pages.my.conftest import My
from tests.support.page_reader import Reader, forms_of
from tests.support.processes import ROOT
from tests.test_images import PNG

PAGES = (
    "",
    "profile",
    "booth",
    "submissions",
    "submissions/text",
    "submissions/file",
    "orders",
    "contract",
    "invoices",
    "badges",
)
PDF = b"%PDF-1.4\n%%EOF\n"


@pytest.mark.parametrize("page", PAGES)
def test_each_page_is_shown_in_both_languages(my, page):
    english = my.get(page)
    assert '<html lang="en">' in english.text and "<h1>" in english.text
    my.send("", "language", {"language": "de"})
    german = my.get(page)
    assert '<html lang="de">' in german.text and german.text != english.text


def test_the_sheet_for_exhibitors_names_the_pages_and_buttons_that_there_are():
    text = (ROOT / "docs/guides/for-exhibitors.md").read_text(encoding="utf-8")
    for language, part in zip(("en", "de"), text.split("\n## "), strict=True):
        words = page_requests.words(page.PACKAGE, language)
        pages = [words[f"menu_{name}"] for name, right in page.MENU.items() if right]
        assert re.findall(r"^- \*\*([^*]+)\*\*:", part, re.M) == [
            pages[place] for place in (0, 2, 1, 3, 4, 5, 6)
        ]
        for word in ("sign_out", "order_binding", "own_device", "open_button"):
            assert words[word].partition(":")[0] in " ".join(part.split()), (language, word)


def test_each_state_of_a_record_has_its_word():
    """The judge is the API, whose schemas list the states."""

    def states(schema, name):
        return {state for state in document(schema)["properties"][name]["enum"] if state}

    kinds = re.findall(
        r'_todo\("(\w+)"', (ROOT / "eventapi/domain/portal/todos.py").read_text(encoding="utf-8")
    )
    said = {
        "order_": states("service_order", "status") - {"draft"},
        "invoice_": states("invoice", "status") - {"draft"},
        "contract_": states("document", "contract_status"),
        "submission_": states("submission", "status") | {"missing", "draft", "optional"},
        "slot_": {"speaker", "host", "attendee"},
        "state_": todos.STATES,
        "way_": ("mailed", "shown", "office"),
        "do_": kinds,
    }
    words = page_requests.words(page.PACKAGE, "de")
    assert [
        first + state
        for first, all_ in said.items()
        for state in all_
        if first + state not in words
    ] == []


def test_the_first_page_says_what_to_do(my):
    page = my.get().text
    assert "Welcome to the fair." in page and "0 of 4 done" in page and "help@example.org" in page
    assert re.findall(r"<b>([^<]+)</b>\n\s*<span class=\"small", page) == [
        "Choose a booth",
        "Hand in: text wanted",
        "Present your company",
        "Name your team at the booth",
    ]


def test_the_profile_is_written_with_a_logo_and_a_preview(my, site):
    tag = re.search(r'name="etag" value="([^"]+)"', my.get("profile").text)[1].replace(
        "&quot;", '"'
    )
    fields = {
        "etag": tag,
        "is_listed": "1",
        "text_en": "Roses since 1906.",
        "products": "Roses\n\nHerbs",
        "website": "rosen.example",
        "links": "https://social.example/r",
        "display_name": "",
    }
    page = my.send("profile", "profile", fields)
    assert "Your profile is saved." in page.text and "Roses, Herbs" in page.text
    stored = site.organiser.data(f"{site.address}/profile")
    assert (stored["texts"], stored["products"], stored["is_listed"]) == (
        {"en": "Roses since 1906."},
        ["Roses", "Herbs"],
        None,
    )
    stale = my.send("profile", "profile", {**fields, "text_en": "Typed by a colleague"}, 412)
    assert "Typed by a colleague" in stale.text and "changed meanwhile" in stale.text
    assert re.search(r"Changed: ([^.]+)\.", stale.text)[1] == (
        "Text in English, Products and brands, Website, Further addresses"
    )
    page = my.send("profile", "profile/logo", upload=("logo.png", PNG))
    logo = re.search(r'src="([^"]+/logo/\w+)"', page.text)[1]
    assert my.visitor.get(my.home + "profile/" + logo.rpartition("profile/")[2]).body == PNG
    assert (
        "no PNG, JPEG or WebP"
        in my.send("profile", "profile/logo", upload=("a.svg", b"<svg/>"), status=422).text
    )
    page = my.send("profile", "profile/logo/remove")
    assert "/logo/" not in page.text.replace("logo/remove", "")


def test_faults_of_the_profile_stand_beside_their_field_and_nothing_is_lost(my):
    tag = re.search(r'name="etag" value="([^"]+)"', my.get("profile").text)[1].replace(
        "&quot;", '"'
    )
    page = my.send(
        "profile",
        "profile",
        {
            "etag": tag,
            "text_de": "Bleibt hier",
            "email": "no address",
            "links": "javascript:alert(1)",
        },
        422,
    ).text
    assert (
        "Bleibt hier" in page
        and 'id="e-email"' in page
        and 'id="e-links"' in page
        and 'href="#f-email"' in page
    )


def test_a_locked_profile_can_only_be_unlisted(my, site):
    site.organiser.patch(
        f"{site.address}/profile", {"locked": True, "texts": {"en": "Fixed"}}, status=200
    )
    tag = re.search(r'name="etag" value="([^"]+)"', my.get("profile").text)[1].replace(
        "&quot;", '"'
    )
    assert (
        "cannot be changed"
        in my.send("profile", "profile", {"etag": tag, "text_en": "Other"}, 409).text
    )
    my.send("profile", "profile", {"etag": tag, "text_en": "Fixed"})
    assert site.organiser.data(f"{site.address}/profile")["is_listed"] is False


def etag_of(my, page):
    return re.search(r'name="etag" value="([^"]+)"', my.get(page).text)[1].replace("&quot;", '"')


def test_a_text_is_saved_submitted_revised_and_approved(my, site):
    page = "submissions/text"
    shown = my.send(
        page, page, {"etag": etag_of(my, page), "value": "Draft text", "action": "draft"}
    )
    assert "Saved as a draft" in shown.text and "Draft text" in shown.text
    shown = my.send(
        page, page, {"etag": etag_of(my, page), "value": "Final text", "action": "submit"}
    )
    assert "it is submitted" in shown.text and "<button name" not in shown.text
    (submission,) = site.organiser.data("/submissions")
    site.act("submissions", submission, "request-revision", {"feedback": "Longer, please"})
    shown = my.get(page).text
    assert "Longer, please" in shown and "please revise" in shown and "Version 1" in shown
    my.send(page, page, {"etag": etag_of(my, page), "value": "Longer text", "action": "submit"})
    site.act("submissions", submission, "approve")
    assert "approved" in my.get(page).text and "Version 2" in my.get(page).text
    assert "Final text" in my.get(page).text


def test_other_kinds_of_submissions(my, site):
    for kind, value, wrong in (
        ("textarea", "Two\nlines", None),
        ("url", "https://a.example", "a.example"),
        ("checkbox", "1", ""),
    ):
        page = f"submissions/{kind}"
        if wrong is not None:
            assert my.send(
                page, page, {"etag": etag_of(my, page), "value": wrong, "action": "submit"}, 422
            )
        my.send(page, page, {"etag": etag_of(my, page), "value": value, "action": "submit"})
    stored = {
        row["type"]["key"]: row["value"] for row in site.organiser.data("/submissions?include=type")
    }
    assert stored == {"textarea": "Two\nlines", "url": "https://a.example", "checkbox": True}


def test_a_file_is_uploaded_as_a_draft_then_submitted_and_downloaded(my, site):
    page = "submissions/file"
    assert (
        "Files of this kind"
        in my.send(page, f"{page}/file", upload=("a.exe", b"MZ"), status=422).text
    )
    assert (
        "does not fit its extension"
        in my.send(page, f"{page}/file", upload=("a.pdf", b"MZ"), status=422).text
    )
    assert my.send(page, f"{page}/file", upload=("", b""), status=422)
    assert site.organiser.data("/documents") == []
    shown = my.send(page, f"{page}/file", {"draft": "1"}, upload=("C:\\me\\plan.pdf", PDF))
    assert "Saved as a draft" in shown.text and "plan.pdf" in shown.text
    shown = my.send(page, f"{page}/submit")
    assert "it is submitted" in shown.text
    file = my.get(f"{page}/file")
    assert (
        file.body == PDF
        and file.headers["Content-Disposition"] == 'attachment; filename="plan.pdf"'
    )
    assert my.get(f"{page}/revisions/1/file").body == PDF
    assert my.send(page, f"{page}/file", upload=("new.pdf", PDF), status=412)


def test_a_booth_is_held_moved_and_given_back(my, site):
    page = my.get("booth").text
    assert "Free booths: 3." in page and "<svg" in page and "booth=A1&amp;plan=" in page
    chosen = my.get("booth?booth=A3").text
    assert "Hold until" in chosen and "EUR 1,800.00" in chosen and "plus 19% VAT" in chosen
    held = my.send("booth", "booth/hold", {"booth_number": "A1"}).text
    assert "The booth is held for you." in held and "held until" in held and 'class="mine"' in held
    moved = my.send("booth", "booth/hold", {"booth_number": "A3"}).text
    assert (
        "Booth A3" in moved
        and site.organiser.data(f"/booths/{site.booths['A1']}")["status"] == "available"
    )
    reservation = re.search(r'name="reservation_id" value="(\d+)"', moved)[1]
    assert (
        "is free again" in my.send("booth", "booth/give-back", {"reservation_id": reservation}).text
    )
    (entry, *_) = site.organiser.data("/audit-log?entity_type=booth_reservation")
    assert entry["admin_name"] == f"link {my.link['id']}" and entry["admin_id"] is None


def test_booths_of_the_size_that_was_wished_come_first(site):
    organiser = site.organiser
    small = {"booth_type_name": "Small", "price_model": "fixed", "price": 90}
    kind = organiser.make("/booths/types", {**small, "usual_width": 3, "usual_depth": 2.5})
    organiser.patch(f"/booths/{site.booths['A2']}", {"booth_type_id": kind["id"]}, status=200)
    application = organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "company_name": "Rosen",
            "email": "info@rosen.example",
            "booth_type_key": kind["booth_type_key"],
        },
    )
    organiser.post(f"/applications/{application['id']}/approve", {}, status=200)
    [participant] = organiser.data("/participants?search=rosen")
    link, visitor = site.visitor(participant)
    reader = Reader(*forms_of(visitor))
    said = reader.open(f"/my/{link['ref']}/booth")
    assert "Your wish: Small 3 × 2.5 m Free ones of this size: 1. They come first" in said
    assert [row[0] for row in reader.rows()] == ["A2 Small", "A1 Row", "A3 Row"]

    other = site.exhibitor("Fast AG")["id"]
    body = {"booth_id": site.booths["A2"], "event_participant_id": other}
    organiser.make("/booth-reservations", body)
    assert "None of this size is free now." in reader.open(f"/my/{link['ref']}/booth")


def test_an_exempt_booth_and_an_exempt_service_show_no_tax(my, site):
    site.change(booth_confirm="self")
    stage = {"booth_type_name": "Stage", "price_model": "fixed", "price": 1800}
    kind = site.organiser.make("/booths/types", {**stage, "exemption_reason": "§ 4 Nr. 22 UStG"})
    site.organiser.patch(f"/booths/{site.booths['A3']}", {"booth_type_id": kind["id"]}, status=200)
    chosen = my.get("booth?booth=A3").text
    assert "Hold until" in chosen and "% VAT" not in chosen
    site.act("participants", site.participant, "confirm")
    held = my.send("booth", "booth/hold", {"booth_number": "A3"}).text
    assert "The booth is held for you." in held and "% VAT" not in held
    id = re.search(r'name="reservation_id" value="(\d+)"', held)[1]
    check = my.get(f"booth/confirm/{id}").text
    assert (
        "Book with obligation to pay" in check and "EUR 1,800.00" in check and "% VAT" not in check
    )

    power = site.power["id"]
    exempt = {"exemption_reason": "§ 4 Nr. 22 UStG", "tax_rate": None}
    site.organiser.patch(f"/services/{power}", exempt, status=200)
    basket = my.send("orders", "orders", {f"q.{power}": "2"}).text
    assert (
        "2 × Power" in basket and "Order with obligation to pay" in basket and "% VAT" not in basket
    )


def test_a_booth_that_was_taken_names_others(my, site):
    token_page = my.get("booth")
    site.organiser.make(
        "/booth-reservations",
        {"booth_id": site.booths["A1"], "event_participant_id": site.exhibitor("Fast AG")["id"]},
    )
    page = my.visitor.submit(token_page, f"{my.home}booth/hold", {"booth_number": "A1"}, 409).text
    assert "Booth A1 has just been taken. These booths are still free: A2, A3." in page


def test_a_booth_is_confirmed_with_all_amounts_shown(my, site):
    site.change(booth_confirm="self")
    site.act("participants", site.participant, "confirm")
    held = my.send("booth", "booth/hold", {"booth_number": "A1"}).text
    id = re.search(r'name="reservation_id" value="(\d+)"', held)[1]
    check = my.get(f"booth/confirm/{id}").text
    assert (
        "EUR 1,428.00" in check and "EUR 228.00" in check and "Book with obligation to pay" in check
    )
    shown = re.search(r'name="shown" value="(\w+)"', check)[1]
    fields = {"reservation_id": id, "shown": shown, "agree": "1"}
    assert my.send(f"booth/confirm/{id}", f"booth/confirm/{id}", {**fields, "agree": ""}, 422)
    assert my.send(f"booth/confirm/{id}", f"booth/confirm/{id}", {**fields, "shown": "0" * 64}, 412)
    done = my.send(f"booth/confirm/{id}", f"booth/confirm/{id}", fields).text
    assert "The booth is yours." in done and "Give back" not in done


def test_services_are_ordered_with_a_check_page(my, site):
    power, book = site.power["id"], site.book["id"]
    check = my.send("orders", "orders", {f"q.{power}": "2", f"q.{book}": "1"}).text
    assert (
        "2 × Power" in check
        and "EUR 193.33" in check
        and "EUR 30.40" in check
        and "EUR 2.33" in check
    )
    assert "EUR 226.06" in check and "Order with obligation to pay" in check
    shown = re.search(r'name="shown" value="(\w+)"', check)[1]
    site.organiser.patch(f"/services/{power}", {"base_price": 90}, status=200)
    stale = my.send("orders/check", "orders/check", {"shown": shown, "agree": "1"}, 412).text
    assert "EUR 249.86" in stale
    shown = re.search(r'name="shown" value="(\w+)"', stale)[1]
    done = my.send("orders/check", "orders/check", {"shown": shown, "agree": "1"}).text
    assert "your order is submitted" in done and "SO-" in done
    (order,) = site.organiser.data("/service-orders")
    assert (order["status"], order["total"]) == ("submitted", 249.86)


def test_a_wrong_quantity_is_said_beside_it_and_an_empty_basket_goes(my, site):
    power = site.power["id"]
    assert "whole number" in my.send("orders", "orders", {f"q.{power}": "two"}, 422).text
    my.send("orders", "orders", {f"q.{power}": "2"})
    assert "The basket is empty." in my.send("orders", "orders", {f"q.{power}": "0"}).text
    assert site.organiser.data("/service-orders") == []
    site.organiser.patch(f"/services/{power}", {"requires_specification": True}, status=200)
    refused = my.send("orders", "orders", {f"q.{power}": "1"}, 422).text
    assert f'id="e-{power}"' in refused and f'<a href="#f-s.{power}">' in refused


def test_all_faults_of_an_order_are_said_at_once(my, site):
    water = site.organiser.make(
        "/services",
        {
            "service_name": "Water",
            "base_price": 80,
            "requires_specification": True,
            "events": [{"event_key": "fair"}],
        },
    )
    typed = {f"q.{site.power['id']}": "two", f"q.{water['id']}": "1"}
    refused = my.send("orders", "orders", typed, 422).text
    found = re.findall(r'href="#f-([qs]\.\d+)">([^<]+)<', refused)
    assert sorted(found) == [
        (f"q.{site.power['id']}", "Power: Quantity"),
        (f"s.{water['id']}", "Water: Details"),
    ]
    assert site.organiser.data("/service-orders") == []


def test_a_contract_is_accepted_and_read_again(my, site):
    contract = site.contract()
    page = my.get(f"contract/{contract['id']}").text
    assert "We agree with Muster AG." in page and "Accept with binding effect" in page
    assert contract["signature_sha256"] in page
    shown = re.search(r'name="shown" value="(\w+)"', page)[1]
    address = f"contract/{contract['id']}"
    refused = my.send(
        address, f"{address}/accept", {"signer_name": "Anna Gärtner", "shown": shown}, 422
    ).text
    assert "Please tick the box." in refused and "Anna Gärtner" in refused
    done = my.send(
        address, f"{address}/accept", {"signer_name": "Anna Gärtner", "shown": shown, "agree": "1"}
    ).text
    assert (
        "the contract is accepted" in done
        and "Accepted by Anna Gärtner" in done
        and "handed over" in done
    )
    assert my.get(f"{address}/file").headers["Content-Disposition"].startswith("attachment")
    stored = site.organiser.data(f"/documents/{contract['id']}")
    assert (stored["contract_status"], stored["signer_name"]) == ("active", "Anna Gärtner")


def test_a_contract_is_declined_with_a_reason(my, site):
    address = f"contract/{site.contract()['id']}"
    page = my.send(address, f"{address}/decline", {"reason": "Too expensive"}).text
    assert "is declined" in page
    (note,) = site.organiser.data(
        f"/notes?entity_type=event_participant&entity_id={site.participant['id']}"
    )
    assert "Too expensive" in note["note_text"] and note["entity_id"] == site.participant["id"]


def test_with_mail_binding_steps_need_a_mailed_link(my, site, settings, monkeypatch):
    monkeypatch.setattr(settings, "smtp_host", "localhost")
    monkeypatch.setattr(settings, "smtp_sender", "office@example.org")
    address = f"contract/{site.contract()['id']}"
    page = my.get(address).text
    assert "Accept with binding effect" not in page and "needs a link" in page
    fields = {"signer_name": "Anna", "shown": "0" * 64, "agree": "1"}
    assert "open a link that was sent by mail" in my.send("", f"{address}/accept", fields, 409).text


def test_invoices_are_shown_with_files_and_girocode(my, site):
    site.organiser.patch(
        f"/contacts/{site.participant['contact_id']}", {"country": "AT"}, status=200
    )
    site.act("participants", site.participant, "confirm")
    assert "There is no invoice yet." in my.get("invoices").text
    sent = site.send(site.bill()[0])
    page = my.get("invoices").text
    assert sent["invoice_number"] in page and "EUR 178.50" in page and "girocode" in page
    id = sent["id"]
    assert my.get(f"invoices/{id}/pdf").body[:5] == b"%PDF-"
    assert sent["invoice_number"] in my.get(f"invoices/{id}/xml").text
    assert my.get(f"invoices/{id}/girocode").headers["Content-Type"] == "image/svg+xml"
    site.organiser.make(
        "/payments", {"invoice_number": sent["invoice_number"], "amount": sent["total"]}
    )
    page = my.get("invoices").text
    assert ">paid<" in page and "girocode" not in page


def test_badges_are_named_downloaded_renamed_and_limited(my, site):
    page = my.send("badges", "badges", {"first_name": "Bela", "last_name": "Nagy"}).text
    assert "1 of 2 badges are used." in page and "Bela Nagy" in page
    id = re.search(r"badges/(\d+)/issue", page)[1]
    my.get(f"badges/{id}/badge.pdf", 404)
    file = my.send("badges", f"badges/{id}/issue")
    assert file.headers["Content-Disposition"].startswith("attachment")
    my.send(f"badges/{id}", f"badges/{id}", {"first_name": "Carl", "last_name": "Nagy"})
    assert "changed already" in my.get(f"badges/{id}").text
    assert (
        "changed already"
        in my.send("badges", f"badges/{id}", {"first_name": "D", "last_name": "N"}, 409).text
    )
    my.send("badges", "badges", {"first_name": "Dora", "last_name": "Kis"})
    assert (
        "All badges are used"
        in my.send("", "badges", {"first_name": "E", "last_name": "F"}, 409).text
    )
    assert "is removed" in my.send(f"badges/{id}", f"badges/{id}/remove").text
    assert my.get("badges/own.pdf").headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ["anne\u202eB", "Be\u2066la", "Bela\nDirector", "Be\x07la"])
def test_a_name_on_a_badge_reads_as_it_is_typed(my, site, name):
    page = my.send("badges", "badges", {"first_name": name, "last_name": "Nagy"}, 422).text
    assert "without line breaks and invisible characters" in page and 'id="e-first_name"' in page
    assert site.organiser.data(f"/participants?host_participant_id={site.participant['id']}") == []
    assert (
        "1 of 2"
        in my.send("badges", "badges", {"first_name": "محمد", "last_name": "O'Neill-Nagy"}).text
    )


@pytest.mark.parametrize(
    ("fields", "is_shown"),
    [
        ({"accent_color": "#b5651d", "is_public": True}, True),
        ({"accent_color": "#b5651d"}, False),
        ({"is_public": True}, False),
    ],
)
def test_pages_have_the_colour_of_a_public_show(my, site, fields, is_shown):
    """The nearest shade that can be read.

    Of a show that is not public, everybody could read the stylesheet.
    """
    site.change(**fields)
    styles = re.findall(r'rel="stylesheet" href="([^"]+)"', my.get("booth").text)
    assert len(styles) == 1 + is_shown
    if is_shown:
        assert "--accent:#9a5619" in my.visitor.app.get(urljoin(my.home + "booth", styles[1])).text


def test_own_sessions_are_shown(my, site):
    assert "programme" not in my.get().text
    site.organiser.make(
        "/schedules",
        {
            "event_id": site.event["id"],
            "title": "Opening",
            "slot_date": "2099-05-01",
            "start_time": "10:00",
            "end_time": "11:00",
            "location": "Stage",
            "assignments": [{"event_participant_id": site.participant["id"], "role": "speaker"}],
        },
    )
    page = my.get("programme").text
    assert "Opening" in page and "you speak" in page and "Stage" in page


def test_the_kept_drawing_of_a_hall_marks_only_the_own_booth(my, site):
    other = My(*site.visitor(site.exhibitor("Other AG")))
    assert 'class="mine"' not in my.get("booth").text
    mine = my.send("booth", "booth/hold", {"booth_number": "A1"}).text
    assert re.search(r'<g id="b-A1"[^>]* class="mine">', mine) and mine.count('class="mine"') == 1
    theirs = other.get("booth").text
    assert (
        'class="mine"' not in theirs
        and my.link["ref"] not in theirs
        and f"my/{other.link['ref']}/booth?" in theirs
    )


def test_the_kept_drawing_of_a_hall_shows_what_changes_and_holds_that_end(my, site, clock):
    """A hold that runs out changes no row."""
    other = site.exhibitor("Other AG")
    site.change(is_public=True)
    site.organiser.make(
        "/booth-reservations",
        {
            "booth_id": site.booths["A1"],
            "event_participant_id": other["id"],
            "expires_at": "2030-01-01T14:00:00Z",
        },
    )
    fresh = My(*site.visitor(name="Bela Nagy"))
    assert fresh.get("booth").text.count('class="free"') == 2
    clock("2030-01-01T14:00:01Z")
    assert fresh.get("booth").text.count('class="free"') == 3
    reserved = site.organiser.make(
        "/booth-reservations", {"booth_id": site.booths["A2"], "event_participant_id": other["id"]}
    )
    site.act("booth-reservations", reserved, "confirm")
    site.act("participants", other, "confirm")
    assert "Other AG" in fresh.get("booth").text
    site.organiser.patch(
        f"/contacts/{other['contact_id']}", {"company_name": "Renamed AG"}, status=200
    )
    page = fresh.get("booth").text
    assert "Renamed AG" in page and "Other AG" not in page
    site.organiser.patch(f"/participants/{other['id']}/profile", {"is_listed": False}, status=200)
    assert "Renamed AG" not in fresh.get("booth").text


def test_a_cancelled_participation_can_only_be_read(my, site):
    token_page = my.get("booth")
    site.act("participants", site.participant, "cancel")
    assert "is cancelled" in my.get().text
    page = my.visitor.submit(token_page, f"{my.home}booth/hold", {"booth_number": "A1"}, 409).text
    assert "is cancelled" in page and "booth/hold" not in page


def test_after_the_show_the_page_can_only_be_read(my, site, clock):
    clock("2099-05-10T12:00:00Z")
    fresh = My(*site.visitor(site.exhibitor("Late AG")))
    assert "The show is over." in fresh.get().text
    assert (
        "nothing can be changed" in fresh.send("", "booth/hold", {"booth_number": "A1"}, 409).text
    )


def test_closed_pages_and_missing_rights_are_not_found(my, site):
    site.change(my_rights=["profile"])
    for name in PAGES:
        my.get(name, 200 if name in ("", "profile") else 404)
    assert "badges" not in my.get().text
    site.change(my_is_open=False)
    for name in PAGES:
        my.get(name, 404)
