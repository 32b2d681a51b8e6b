"""The public pages of a show: who sees what, in which language, and with which headers."""

import re

import pytest

from eventapi import times
from eventapi.domain.shows import directory
from eventapi.web.html import shell
from tests.support import openapi_check
from tests.support.images import png
from tests.test_images import PNG

PARTS = ("", "/exhibitors", "/plan/{plan}", "/programme", "/exhibitors/{exhibitor}")
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Texts of the show that pages show
SHOWN = (
    "Pots of clay.",
    "Amphora",
    "kerámia.example",
    "visit@keramia.example",
    "+36 1",
    "social.example/keramia",
    "Erdőháti Kerámia Zrt.",
    "Budapest",
    "Pots",
    "Opening",
    "Stage",
    "Trade visitors",
    "Hall of Leipzig",
    "visit@example.org",
    "No cookies.",
)


@pytest.fixture
def addresses(organiser, show):
    """Return the addresses of all pages of the show."""
    plan = organiser.data(f"/plans/{show['plan']}")["plan_key"]
    return [
        "/e/fair" + part.format(plan=plan, exhibitor=f"{show['exhibitor']['id']}-x")
        for part in PARTS
    ]


def test_pages_say_what_the_show_is_in_both_languages(read, addresses):
    english, german = read("/e/fair").text, read("/e/fair", "de").text
    assert "1–3 May 2027" in english and "01.–03.05.2027" in german
    assert "Everything that grows &lt;b&gt;." in english and "Alles, was wächst." in german
    assert "Saturday, 1 May 2027" in english and "1 Aussteller" in german
    assert "Alles, was wächst." in read("/e/fair?language=de").text
    for address in addresses:
        assert read(address).headers["Content-Language"] == "en"
        assert '<html lang="de">' in read(address, "de").text


def test_nothing_is_shown_that_is_not_meant_to_be(app, read, addresses):
    """All texts that no page may show contain the word SECRET; those that pages show are listed
    here.
    """
    shown = set()
    for address in addresses:
        for text in (
            read(address).text,
            app.get(f"{address}.json").text,
            read("/e/fair/calendar.ics").text.replace("\r\n ", ""),
        ):
            leaked = re.findall(
                r"(?i).{30}secret.{20}|.{20}\+49 999", text.replace("SECRET event", "")
            )
            assert not leaked, f"{address}: {leaked}"
            shown |= {word for word in SHOWN if word in text}
        assert "SECRET event" not in read(address).text + app.get(f"{address}.json").text
    assert shown == set(SHOWN)


def test_data_has_what_the_reference_names_and_nothing_else(app, addresses, settings):
    for address in addresses:
        openapi_check.check_response(settings, "GET", f"{address}.json", app.get(f"{address}.json"))


def test_a_program_that_asks_too_much_is_told_so(app, show):
    (fault,) = app.get(f"/e/fair/exhibitors.json?q={'x' * 101}", status=422).json["errors"]
    assert (fault["parameter"], fault["code"]) == ("q", "max_length")


def test_only_confirmed_companies_are_listed(app, show):
    data = app.get("/e/fair/exhibitors.json").json["data"]
    assert [row["name"] for row in data["exhibitors"]] == ["Erdőháti Kerámia Zrt."]
    assert [booth["booth_number"] for booth in data["exhibitors"][0]["booths"]] == [
        show["booth_exhibitor"]["booth_number"]
    ]


def test_the_plan_links_the_booths_of_listed_exhibitors_only(app, read, addresses, show):
    text, id = read(addresses[2]).text, show["exhibitor"]["id"]
    assert (
        f'<a id="b-{show["booth_exhibitor"]["booth_number"]}" href="../../../e/fair/exhibitors/{id}-'
        in text
    )
    assert text.count("<a id=") == 1 and "#1c2420" not in text
    statuses = [
        booth["status"] for booth in app.get(f"{addresses[2]}.json").json["data"]["plan"]["booths"]
    ]
    assert statuses == ["exhibitor", "taken", "taken"]


def test_the_page_of_an_exhibitor_has_the_piece_of_the_plan_around_its_booth(organiser, read, show):
    organiser.make(
        "/booths",
        {
            "plan_id": show["plan"],
            "booth_number": "FAR",
            "width": 3,
            "depth": 3,
            "pos_x": 50,
            "pos_y": 30,
        },
    )
    path = f"/e/fair/exhibitors/{show['exhibitor']['id']}-x"
    number = show["booth_exhibitor"]["booth_number"]
    page = read(path).text
    _, _, width, height = map(float, re.search(r'viewBox="([^"]+)"', page)[1].split())
    assert width == pytest.approx(height) and f'id="b-{number}"' in page and 'class="mine"' in page
    assert "FAR" not in page and "FAR" in read("/e/fair").text
    organiser.patch(
        f"/booths/{show['booth_exhibitor']['id']}", {"pos_x": None, "pos_y": None}, status=200
    )
    page = read(path).text
    assert "<svg" not in page and number in page
    organiser.patch(f"/events/{show['event']['id']}/pages", {"show_plan": False}, status=200)
    assert "<svg" not in read(path).text


def test_exhibitors_are_found_without_accents_and_by_booth(read, show):
    for words in ("keramia", "KERÁMIA zrt", show["booth_exhibitor"]["booth_number"]):
        assert "Erdőháti" in read(f"/e/fair/exhibitors?q={words}").text
    assert "Nobody matches" in read(f"/e/fair/exhibitors?q={'x' * 101}").text
    nobody = read("/e/fair/exhibitors?q=<script>").text
    assert "Nobody matches" in nobody and "&lt;script&gt;" in nobody and "<script" not in nobody


@pytest.mark.parametrize(
    "change",
    [("/events/{id}", {"is_visible": False}), ("/events/{id}/pages", {"is_public": False})],
)
def test_an_event_that_is_not_public_does_not_exist(organiser, app, read, addresses, show, change):
    path, fields = change
    read("/e/fair")
    organiser.patch(path.format(id=show["event"]["id"]), fields, status=200)
    for address in addresses:
        assert "Page not found" in read(address, status=404).text
        app.get(f"{address}.json", status=404)
    read("/e/fair/calendar.ics", status=404)
    read("/e/fair/colours.css", status=404)
    assert "Allow: /e/" not in read("/robots.txt").text


def test_a_switched_off_part_is_not_shown(organiser, app, read, addresses, show):
    organiser.patch(
        f"/events/{show['event']['id']}/pages",
        {"show_directory": False, "show_plan": False, "show_programme": False},
        status=200,
    )
    assert "Erdőháti" not in "".join(
        read(address).text for address in (addresses[0], addresses[1], addresses[3])
    )
    assert "A1" not in read(addresses[2], status=404).text
    assert "Erdőháti" not in read(addresses[4], status=404).text
    assert app.get("/e/fair/programme.json").json["data"]["slots"] == []
    assert "Opening" not in read("/e/fair/calendar.ics").text


def test_addresses_that_somebody_makes_up_are_not_kept(read, addresses):
    read(addresses[4])
    read("/e/fair/exhibitors")
    before = len(shell.PAGES.pages)
    for number in range(20):
        read(f"{addresses[4]}{number}")
        read(f"/e/fair/exhibitors?category=x{number}")
        read(f"/e/fair/exhibitors?q=x{number}&other={number}")
        read(f"/e/fair/exhibitors/999-{number}", status=404)
    assert len(shell.PAGES.pages) == before


def test_a_page_that_does_not_exist_is_always_whole(app, read, show):
    page = read("/e/fair/exhibitors/999-x", status=404)
    again = app.get(
        "/e/fair/exhibitors/999-x",
        headers={"If-None-Match": "*", "Accept-Language": "en"},
        status=404,
    )
    assert again.text == page.text and "Not found" in page.text


def test_a_change_over_the_api_is_seen_at_once(organiser, read, show):
    before = read("/e/fair/exhibitors")
    organiser.patch(
        f"/contacts/{show['exhibitor']['contact_id']}", {"company_name": "New Ltd"}, status=200
    )
    after = read("/e/fair/exhibitors")
    assert "New Ltd" in after.text and before.headers["ETag"] != after.headers["ETag"]
    organiser.post(f"/participants/{show['exhibitor']['id']}/cancel", {}, status=200)
    assert "New Ltd" not in read("/e/fair/exhibitors").text


@pytest.mark.parametrize(
    ("method", "path", "body", "is_drawn"),
    [
        ("patch", "/contacts/{contact}", {"notes": "x", "phone": "+49 1"}, False),
        ("patch", "/contacts/{contact}", {"company_name": "New"}, True),
        ("patch", "/contacts/{contact}", {"city": "Szeged"}, True),
        (
            "make",
            "/participants",
            {"event_key": "fair", "contact_id": "{contact}", "role": "visitor"},
            False,
        ),
        (
            "make",
            "/participants",
            {"event_key": "fair", "contact_id": "{contact}", "role": "sponsor"},
            True,
        ),
        ("patch", "/participants/{exhibitor}", {"role": "sponsor"}, True),
        ("patch", "/booths/{booth}", {"notes": "x"}, False),
        ("patch", "/booths/{booth}", {"booth_number": "B7"}, True),
        (
            "make",
            "/booth-reservations",
            {"booth_id": "{free}", "event_participant_id": "{exhibitor}"},
            False,
        ),
        ("post", "/booth-reservations/{reservation}/cancel", {}, True),
        ("post", "/participants/{exhibitor}/cancel", {}, True),
    ],
)
def test_lists_are_drawn_again_only_if_they_show_what_changed(
    organiser, show, db, method, path, body, is_drawn
):
    free = organiser.make(
        "/booths",
        {"plan_id": show["plan"], "booth_number": "Z9", "width": 3, "depth": 3, "fixed_price": 100},
    )
    booth = show["booth_exhibitor"]["id"]
    ids = {
        "{contact}": show["exhibitor"]["contact_id"],
        "{exhibitor}": show["exhibitor"]["id"],
        "{free}": free["id"],
        "{booth}": booth,
        "{reservation}": organiser.data(f"/booth-reservations?booth_id={booth}")[0]["id"],
    }
    for name, id in ids.items():
        path = path.replace(name, str(id))
    before = directory.state(db, "fair")
    getattr(organiser, method)(
        path,
        {name: ids.get(value, value) for name, value in body.items()},
        **({} if method == "make" else {"status": 200}),
    )
    after = directory.state(db, "fair")
    assert (after["lists"] != before["lists"]) == is_drawn
    assert (after["revision"] != before["revision"]) == (is_drawn or "booth" in path)


def test_a_plan_that_is_hidden_is_on_no_kept_page(organiser, read, show, db):
    """Numbers of changes must not be mixed up: each page is kept at one of them and read at
    another.
    """
    with db.write():
        db.connection.execute("UPDATE event_revisions SET revision = 5, halls = 0")
    assert "<svg" in read("/e/fair").text
    organiser.patch(f"/events/{show['event']['id']}/pages", {"show_plan": False}, status=200)
    with db.write():
        db.connection.execute("UPDATE event_revisions SET revision = 8, halls = 3")
    assert "<svg" not in read("/e/fair").text


def test_a_hold_is_seen_on_the_plan_at_once_and_leaves_the_list_as_it_is(organiser, read, show):
    free = organiser.make(
        "/booths",
        {
            "plan_id": show["plan"],
            "booth_number": "Z9",
            "width": 3,
            "depth": 3,
            "pos_x": 1,
            "pos_y": 9,
            "fixed_price": 100,
        },
    )
    plan = organiser.data(f"/plans/{show['plan']}")["plan_key"]
    pages = [f"/e/fair/plan/{plan}", "/e/fair", "/e/fair/exhibitors"]
    before = [read(page).text for page in pages]
    hold = organiser.make(
        "/booth-reservations",
        {"booth_id": free["id"], "event_participant_id": show["exhibitor"]["id"]},
    )
    held = [read(page).text for page in pages]
    assert [one == other for one, other in zip(before, held, strict=True)] == [False, False, True]
    organiser.post(f"/booth-reservations/{hold['id']}/confirm", {}, status=200)
    assert all(">Z9</a>" in read(page).text for page in pages)


@pytest.fixture
def at(monkeypatch, read):
    """Return a function that reads a page as if it were another time."""

    def page(moment, address="/e/fair"):
        with monkeypatch.context() as patch:
            patch.setattr(times, "now", lambda: moment)
            return read(address).text

    return page


@pytest.mark.parametrize(
    ("before", "after", "words", "is_shown"),
    [
        ("2027-04-30T21:59:59Z", "2027-04-30T22:00:00Z", "Open today", (False, True)),
        ("2027-05-01T21:59:59Z", "2027-05-01T22:00:00Z", "Open today", (True, False)),
        ("2027-03-31T21:59:59Z", "2027-03-31T22:01:00Z", 'href="../e/fair/apply"', (True, False)),
        ("2027-05-03T21:59:59Z", "2027-05-03T22:01:00Z", "The show is over", (False, True)),
        ("2027-05-03T21:59:59Z", "2027-05-03T22:01:00Z", "Rose Fair", (False, True)),
    ],
)
def test_a_kept_page_changes_with_the_time_alone(
    organiser, at, show, before, after, words, is_shown
):
    """All times are those of Berlin, two hours before UTC."""
    organiser.patch(
        f"/events/{show['event']['id']}", {"application_deadline": "2027-03-31"}, status=200
    )
    other = organiser.make(
        "/events", {"title": "Rose Fair", "event_key": "roses", "date_from": "2027-06-01"}
    )
    organiser.patch(f"/events/{other['id']}/pages", {"is_public": True}, status=200)
    early = at(before)
    assert (words in early, words in at(after)) == is_shown
    assert at(before) == early, "a moment that is kept must not be mixed up with another one"


def test_a_hold_that_ends_is_seen_on_the_kept_plan(organiser, at, show):
    """Two holds: each end is seen, and nothing is written in between."""
    ends = ["2027-01-10T12:00:00Z", "2027-01-11T12:00:00Z"]
    for number, end in enumerate(ends):
        booth = organiser.make(
            "/booths",
            {
                "plan_id": show["plan"],
                "booth_number": f"Z{number}",
                "width": 3,
                "depth": 3,
                "pos_x": 1 + 4 * number,
                "pos_y": 9,
                "fixed_price": 100,
            },
        )
        organiser.make(
            "/booth-reservations",
            {
                "booth_id": booth["id"],
                "event_participant_id": show["exhibitor"]["id"],
                "expires_at": end,
            },
        )
    plan = organiser.data(f"/plans/{show['plan']}")["plan_key"]
    free = [
        at(moment, f"/e/fair/plan/{plan}").count('<span class="quiet">free</span>')
        for moment in (
            "2027-01-10T11:59:00Z",
            "2027-01-10T12:00:00Z",
            "2027-01-11T11:59:00Z",
            "2027-01-11T12:00:00Z",
        )
    ]
    assert free == [0, 1, 1, 2]


def test_a_form_that_is_full_leaves_the_kept_page_within_a_minute(organiser, at, show):
    organiser.patch(f"/events/{show['event']['id']}/pages", {"apply_capacity": 1}, status=200)
    assert 'href="../e/fair/apply"' in at("2027-01-10T12:00:59Z")
    organiser.make(
        "/applications", {"email": "a@example.org", "company_name": "A", "event_keys": ["fair"]}
    )
    assert 'href="../e/fair/apply"' not in at("2027-01-10T12:01:00Z")


def test_every_page_has_its_headers(app, read, addresses):
    for address in [*addresses, "/e/fair/embed", "/imprint"]:
        headers = read(address).headers
        assert (
            headers["Content-Security-Policy"] == POLICY
            and headers["X-Content-Type-Options"] == "nosniff"
        )
        assert (
            headers["Cache-Control"] == "public, max-age=60"
            and "Accept-Language" in headers["Vary"]
        )
        assert "Set-Cookie" not in headers
        tag = headers["ETag"]
        app.get(address, headers={"If-None-Match": tag, "Accept-Language": "en"}, status=304)
        markup = re.sub("<pre.*?</pre>", "", read(address).text)
        assert "<script" not in markup and " style=" not in markup
    data = app.get("/e/fair.json").headers
    assert data["Access-Control-Allow-Origin"] == "*"
    assert (
        app.get("/e/fair/calendar.ics").headers["Content-Disposition"]
        == 'attachment; filename="fair.ics"'
    )


def test_the_stylesheet_has_its_hash_in_its_address_and_the_colour_is_readable(read, show):
    name = re.search(r'href="\.\./(pages/style-\w+\.css)"', read("/e/fair").text)[1]
    assert read(f"/{name}").headers["Cache-Control"] == "public, max-age=31536000, immutable"
    read("/pages/style-0.css", status=404)
    light = re.search(r"--accent:(#\w+)", read("/e/fair/colours.css").text)[1]
    assert light != "#ffee00" and light < "#a0"


def test_search_engines_are_told_what_they_may_list(organiser, read, show):
    assert "Allow: /e/fair\n" in read("/robots.txt").text
    organiser.patch(f"/events/{show['event']['id']}/pages", {"is_indexed": False}, status=200)
    assert "Allow: /e/fair" not in read("/robots.txt").text
    assert read("/e/fair").headers["X-Robots-Tag"] == "noindex"


def test_the_imprint_names_the_organiser(read, show):
    assert "Garden GmbH" in read("/imprint").text and "Impressum" in read("/imprint", "de").text


def test_a_listed_site_may_show_pages_in_a_frame_and_no_other(read, addresses):
    plain, framed = read("/e/fair/exhibitors"), read("/e/fair/exhibitors?embed=1&q=pots")
    assert "frame-ancestors 'none'" in plain.headers["Content-Security-Policy"]
    assert framed.headers["Content-Security-Policy"].endswith(
        "frame-ancestors https://www.garden.example"
    )
    assert (
        '<base target="_top">' in framed.text
        and "<footer" not in framed.text
        and "<header" not in framed.text
    )
    assert '<input type="hidden" name="embed" value="1">' in framed.text
    assert "https://show.example.org/e/fair/programme?embed=1" in read("/e/fair/embed").text


def test_a_page_in_a_frame_or_of_a_search_is_not_indexed(organiser, read, show):
    organiser.patch(f"/events/{show['event']['id']}/pages", {"is_indexed": True}, status=200)
    assert "X-Robots-Tag" not in read("/e/fair/exhibitors").headers
    for query in ("embed=1", "q=pots"):
        assert read(f"/e/fair/exhibitors?{query}").headers["X-Robots-Tag"] == "noindex"


def test_no_client_chooses_the_host_that_a_kept_page_shows_to_others(
    read, app, addresses, settings, monkeypatch
):
    """Without base_url, a client on this machine sees its own Host, and others see none."""
    monkeypatch.setattr(settings, "base_url", "")
    for address in [*addresses, "/e/fair/embed"]:
        first = app.get(address, headers={"Accept-Language": "en", "Host": "evil.example"})
        assert (
            address != "/e/fair/embed"
            or "http://evil.example/e/fair/exhibitors?embed=1" in first.text
        )
        app.extra_environ["REMOTE_ADDR"] = "127.0.0.1"
        assert "evil.example" not in read(address).text, address
        app.extra_environ["REMOTE_ADDR"] = "192.0.2.7"
        assert "evil.example" not in read(address).text, address
        del app.extra_environ["REMOTE_ADDR"]


def test_a_contact_is_saved_as_address_card(app, show):
    card = app.get(f"/e/fair/exhibitors/{show['exhibitor']['id']}-x.vcf")
    assert card.content_type == "text/vcard" and "attachment" in card.headers["Content-Disposition"]
    lines = card.text.split("\r\n")
    assert lines[:3] == ["BEGIN:VCARD", "VERSION:3.0", "FN:Erdőháti Kerámia Zrt."] and lines[
        -2:
    ] == ["END:VCARD", ""]
    assert {"EMAIL:visit@keramia.example", "TEL:+36 1", "URL:https://kerámia.example"} <= set(lines)
    assert "secret" not in card.text.lower()


def test_a_logo_is_public_while_its_exhibitor_is_listed(organiser, app, read, show, addresses):
    address = re.search(r'src="\.\./\.\./\.\./(e/fair/logos/[^"]+)"', read(addresses[4]).text)[1]
    logo = app.get(f"/{address}")
    assert logo.body == PNG and logo.headers["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'self'; sandbox"
    )
    app.get(f"/{address}0", status=404)
    organiser.patch(
        f"/participants/{show['exhibitor']['id']}/profile", {"is_listed": False}, status=200
    )
    app.get(f"/{address}", status=404)
    gone = read(addresses[4], status=404)
    assert "There is nothing at this address any more" in gone.text
    assert gone.headers["Content-Security-Policy"] == POLICY
    assert read("/e/fair/exhibitors/999-x", status=404).text == gone.text
    app.get(f"{addresses[4]}.json", status=404)


def test_the_picture_of_the_event_is_shown(organiser, app, read, show):
    organiser.put(
        f"/events/{show['event']['id']}/image",
        raw=png(60, 20),
        headers={"Content-Type": "image/png"},
        status=200,
    )
    address = re.search(r'src="\.\./(e/fair/picture-[^"]+)"', read("/e/fair").text)[1]
    assert app.get(f"/{address}").content_type == "image/jpeg"


def test_a_speaker_is_named_only_if_the_profile_says_so(organiser, app, read, show):
    contact = organiser.make(
        "/contacts", {"last_name": "SECRET speaker", "email": "speaker@example.org"}
    )
    speaker = organiser.make(
        "/participants",
        {
            "event_id": show["event"]["id"],
            "contact_id": contact["id"],
            "role": "speaker",
            "is_confirmed": True,
        },
    )
    organiser.patch(
        f"/schedules/{show['slot']['id']}",
        {"assignments": [{"event_participant_id": speaker["id"], "role": "speaker"}]},
        status=200,
    )
    profile = f"/participants/{speaker['id']}/profile"
    organiser.patch(profile, {"display_name": "Dr. Ada Stein"}, status=200)
    assert "Stein" not in read("/e/fair/programme").text
    organiser.patch(profile, {"is_listed": True}, status=200)
    assert (
        "Dr. Ada Stein" in read("/e/fair/programme").text
        and "Stein" not in read("/e/fair/exhibitors").text
    )
    organiser.post(f"/contacts/{contact['id']}/anonymize", {}, status=200)
    assert "Stein" not in read("/e/fair/programme").text


def test_a_show_that_is_over_leads_to_the_next_one(organiser, read, show):
    organiser.patch(
        f"/events/{show['event']['id']}",
        {"date_from": "2020-05-01", "date_to": "2020-05-03", "opening_hours": []},
        status=200,
    )
    assert "The show is over" in read("/e/fair").text
    later = organiser.make(
        "/events", {"title": "Garden Fair again", "event_key": "again", "date_from": "2030-05-01"}
    )
    organiser.patch(f"/events/{later['id']}/pages", {"is_public": True}, status=200)
    organiser.patch(f"/events/{show['event']['id']}", {"city": "Halle"}, status=200)
    assert 'href="../e/again">Garden Fair again</a>' in read("/e/fair").text


def test_the_plan_is_a_picture_and_a_pdf_as_well(app, addresses):
    drawn, printed = app.get(f"{addresses[2]}.svg"), app.get(f"{addresses[2]}.pdf")
    assert (
        "Erdőháti" in drawn.text and "SECRET" not in drawn.text and printed.body.startswith(b"%PDF")
    )
    assert "script" not in drawn.headers["Content-Security-Policy"]


def test_the_start_page_and_the_addresses_of_imprint_and_privacy_are_options(
    app, read, show, settings, monkeypatch
):
    assert app.get("/", status=302).headers["Location"].endswith("/docs")
    for name, value in {
        "start_page": "fair",
        "imprint_url": "https://a.example/imprint",
        "privacy_url": "https://a.example/privacy",
    }.items():
        monkeypatch.setattr(settings, name, value)
    assert app.get("/", status=302).headers["Location"] == "https://show.example.org/e/fair"
    page = read("/e/fair?language=de").text
    assert 'href="https://a.example/imprint"' in page and 'href="https://a.example/privacy"' in page


def test_links_keep_a_language_that_somebody_has_chosen(app, show):
    """Their browser prefers another one, and public pages set no cookie."""

    def chosen(path):
        return app.get(path, headers={"Accept": "text/html", "Accept-Language": "de"})

    page = chosen("/e/fair?language=en")
    assert "Overview" in page.text and 'name="language" value="en"' in page.text
    links = [
        link for link in re.findall(r'<a [^>]*?href="([^"]+)"', page.text) if "/e/fair" in link
    ]
    assert len(links) > 5 and all("language=en" in link for link in links)
    assert "language=" not in re.sub('hreflang="en"|language=en', "", chosen("/e/fair").text)
    assert "Keine" not in chosen("/e/fair/exhibitors?q=nobody&language=en").text
