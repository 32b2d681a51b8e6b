"""The office hands in what is asked of an exhibitor, for one who has called, written or mailed a file."""

import re

import pytest

from tests.pages.desk.test_exhibitor import follow, page_of, tag_of
from tests.support.images import png


@pytest.fixture
def ask(organiser, fair):
    """Return ask("text", title=…), which creates a submission type of the show."""

    def make(input="text", **values):
        return organiser.make(
            "/submissions/types",
            {"event_key": "fair", "title": "Slogan", "input": input, **values},
        )

    return make


@pytest.fixture
def hand_in(office, fair):
    """Return a function that sends the form of a type, and returns the response."""

    def sent(kind, value="", status=303, upload=None, page=None, tag=None):
        address = address_of(fair, kind)
        page = page or office.get(address)
        fields = {"tag": tag_of(page) if tag is None else tag}
        if upload:
            return office.submit(page, f"{address}/file", fields, status, upload=upload)
        return office.submit(page, address, {**fields, "value": value}, status)

    return sent


def address_of(fair, kind):
    return f"/desk/exhibitors/{fair.exhibitor['id']}/hand_in/{kind['id']}"


def submissions(organiser):
    return organiser.data("/submissions")


def card(page):
    """Return the card of submissions of a page."""
    return page.text.partition('id="submissions"')[2].partition("</section>")[0]


def test_the_card_shows_what_is_asked_and_its_state(office, organiser, fair, ask):
    assert "Nothing has to be submitted" in card(page_of(office, fair))
    slogan = ask()
    ask("file", title="Photo", is_required=False)
    ask(title="For speakers", roles=["speaker"])
    ask(title="Old", is_active=False)
    shown = card(page_of(office, fair))
    assert re.findall(r"<b>(.*?)</b>", shown) == ["Slogan", "Photo"]
    assert re.findall(r'<span class="chip[^>]*>(.*?)</span>', shown) == ["missing", "optional"]
    assert f'{address_of(fair, slogan)}?event=fair" aria-label="Submit: Slogan"' in shown


def test_the_office_hands_in_a_text(office, organiser, fair, ask, hand_in):
    slogan = ask(description="At most one line")
    page = office.get(address_of(fair, slogan))
    assert "At most one line" in page
    answer = hand_in(slogan, "Roses for all")
    assert "The submission “Slogan” is in." in follow(office, answer)
    [made] = submissions(organiser)
    assert (made["value"], made["status"]) == ("Roses for all", "submitted")
    shown = card(page_of(office, fair))
    assert "Roses for all" in shown and address_of(fair, slogan) not in shown
    page = office.get(address_of(fair, slogan))
    assert "Roses for all" in page and "cannot be submitted now" in page
    assert 'name="value"' not in page


def test_the_log_says_who_of_the_office_did_it(organiser, ask, hand_in):
    hand_in(ask(), "Roses for all")
    entries = organiser.data("/audit-log?entity_type=submission")
    assert {entry["admin_name"] for entry in entries} == {"Ada Lovelace"}
    assert {entry["action"] for entry in entries} == {"created", "submitted"}


def test_what_was_returned_is_handed_in_again(office, organiser, fair, ask, hand_in):
    slogan = ask()
    hand_in(slogan, "Roses")
    [made] = submissions(organiser)
    organiser.post(
        f"/submissions/{made['id']}/request-revision", {"feedback": "Longer, please"}, status=200
    )
    assert "Submit again: Slogan" in card(page_of(office, fair))
    page = office.get(address_of(fair, slogan))
    assert "Longer, please" in page and 'value="Roses"' in page
    hand_in(slogan, "Roses for all")
    [made] = submissions(organiser)
    assert (made["value"], made["status"], made["revision"]) == ("Roses for all", "submitted", 2)


def test_the_office_hands_in_a_draft_of_the_exhibitor(office, organiser, fair, ask, hand_in):
    slogan = ask()
    organiser.make(
        "/submissions",
        {
            "event_participant_id": fair.exhibitor["id"],
            "type_id": slogan["id"],
            "value": "Roses",
            "draft": True,
        },
    )
    page = page_of(office, fair)
    assert "Submit the draft" in card(page) and "Change and submit: Slogan" in card(page)
    office.submit(page, "/desk/do/submit_submission/1", {"back": ""})
    assert submissions(organiser)[0]["status"] == "submitted"


@pytest.mark.parametrize(
    ("input", "value", "sentence"),
    [
        ("text", "", "Please fill in."),
        ("text", "x" * 256, "one line of at most 255"),
        ("textarea", "x" * 11, "at most 10 characters"),
        ("url", "no address", "web address"),
        ("checkbox", "", "Please tick"),
    ],
)
def test_a_refused_value_is_shown_again(organiser, ask, hand_in, input, value, sentence):
    kind = ask(input, **({"max_length": 10} if input == "textarea" else {}))
    page = hand_in(kind, value, 422)
    assert sentence in page.text
    assert not value or value in page
    assert submissions(organiser) == []


def test_a_box_is_ticked_and_an_address_completed(organiser, ask, hand_in):
    hand_in(ask("checkbox", title="House rules"), "1")
    hand_in(ask("url", title="Shop"), "roses.example")
    found = {each["title"]: each["value"] for each in submissions(organiser)}
    assert found == {"House rules": True, "Shop": "https://roses.example"}


def test_the_office_hands_in_a_file(office, organiser, fair, ask, hand_in):
    logo = ask("file", title="Logo", allowed_extensions=["png"], max_size_mb=1)
    page = office.get(address_of(fair, logo))
    assert "PNG, at most 1 MB" in page and "accept=.png" in page
    refused = hand_in(logo, status=422, upload=("logo.png", b"no picture"))
    assert "does not fit its extension" in refused.text
    refused = hand_in(logo, status=422, upload=("logo.gif", png(8, 8)))
    assert "kind of file" in refused.text.lower()
    refused = hand_in(logo, status=422, upload=("logo.png", png(8, 8) + bytes(1024 * 1024)))
    assert "The file is too large" in refused.text
    refused = hand_in(logo, status=422, upload=("", b""))
    assert "choose a file" in refused.text.lower()
    assert organiser.data("/documents") == []
    answer = hand_in(logo, upload=("logo.png", png(8, 8)))
    assert "The submission “Logo” is in." in follow(office, answer)
    [made] = submissions(organiser)
    shown = office.get(f"/desk/submissions/{made['id']}/file")
    assert shown.body == png(8, 8)


def test_a_file_that_was_returned_is_replaced(organiser, ask, hand_in):
    logo = ask("file", title="Logo")
    hand_in(logo, upload=("logo.png", png(8, 8)))
    [made] = submissions(organiser)
    organiser.post(f"/submissions/{made['id']}/reject", {"feedback": "Too small"}, status=200)
    hand_in(logo, upload=("larger.png", png(80, 80)))
    [made] = submissions(organiser)
    assert (made["status"], made["revision"]) == ("submitted", 2)


def test_what_came_meanwhile_is_not_replaced(office, organiser, fair, ask, hand_in):
    """Two people hand in the same at once; so do the office and the exhibitor."""
    slogan, logo = ask(needs_approval=False), ask("file", title="Logo")
    before, before_file = (office.get(address_of(fair, each)) for each in (slogan, logo))
    hand_in(slogan, "First")
    hand_in(logo, upload=("logo.png", png(8, 8)))
    late = office.get(address_of(fair, slogan))
    page = office.submit(before, address_of(fair, slogan), {"tag": "", "value": "Second"}, 409)
    assert "First" in page and "Second" in page
    office.submit(
        before_file,
        f"{address_of(fair, logo)}/file",
        {"tag": ""},
        409,
        upload=("logo.png", png(9, 9)),
    )
    hand_in(slogan, "Third", 409, page=late, tag="")
    assert {each["value"] for each in submissions(organiser)} == {"First", None}


def test_a_draft_that_was_changed_meanwhile_is_shown(office, organiser, fair, ask, hand_in):
    slogan = ask()
    made = organiser.make(
        "/submissions",
        {
            "event_participant_id": fair.exhibitor["id"],
            "type_id": slogan["id"],
            "value": "Roses",
            "draft": True,
        },
    )
    before = office.get(address_of(fair, slogan))
    organiser.patch(f"/submissions/{made['id']}", {"value": "Tulips"}, status=200)
    refused = hand_in(slogan, "Lilies", 412, page=before)
    assert "Tulips" in refused and "Lilies" in refused
    hand_in(slogan, "Lilies", page=refused)
    assert submissions(organiser)[0]["value"] == "Lilies"


def test_after_the_deadline_the_office_still_hands_in(office, organiser, fair, ask, hand_in):
    slogan = ask(due="2020-01-01")
    assert "marked as late" in office.get(address_of(fair, slogan))
    hand_in(slogan, "Roses")
    assert submissions(organiser)[0]["is_late"] is True


def test_nothing_is_handed_in_for_those_who_have_cancelled(
    office, organiser, fair, ask, hand_in, db
):
    slogan = ask()
    before = office.get(address_of(fair, slogan))
    organiser.post(f"/participants/{fair.exhibitor['id']}/cancel", status=200)
    assert address_of(fair, slogan) not in card(page_of(office, fair))
    assert 'name="value"' not in office.get(address_of(fair, slogan))
    refused = hand_in(slogan, "Roses", 409, page=before)
    assert "cancelled" in refused
    organiser.post(f"/contacts/{fair.contact['id']}/anonymize", status=200)
    assert hand_in(slogan, "Roses", 409, page=before)
    assert submissions(organiser) == []


def test_what_is_not_asked_of_an_exhibitor_has_no_page(office, organiser, fair, ask):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    of_other_show = ask(event_key="other")
    for kind in (of_other_show, ask(roles=["speaker"], title="Talk"), {"id": 999}):
        office.get(address_of(fair, kind), 404)


def test_the_page_needs_the_scopes_of_the_api(desk, fair, ask):
    slogan, logo = ask(), ask("file", title="Logo")
    reader = desk("participants:read submissions:read")
    assert (
        address_of(fair, slogan) not in reader.get(f"/desk/exhibitors/{fair.exhibitor['id']}").text
    )
    assert "<button>Submit" not in reader.get(address_of(fair, slogan)).text
    writer = desk("participants:read submissions")
    shown = card(writer.get(f"/desk/exhibitors/{fair.exhibitor['id']}"))
    assert address_of(fair, slogan) in shown and address_of(fair, logo) not in shown
    desk("participants:read").get(address_of(fair, slogan), 403)


def test_a_file_is_offered_to_those_who_may_read_documents(desk, organiser, fair, ask, hand_in):
    logo = ask("file", title="Logo")
    hand_in(logo, upload=("logo.png", png(8, 8)))
    pages = (address_of(fair, logo), f"/desk/exhibitors/{fair.exhibitor['id']}")
    for scopes, count in (("submissions:read", 0), ("submissions:read documents:read", 1)):
        reader = desk(f"participants:read {scopes}")
        assert [reader.get(page).text.count("submissions/1/file") for page in pages] == [count] * 2
