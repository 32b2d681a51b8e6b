"""The application form: from the public page to an application whose address is confirmed."""

import io
import re
import time
from contextlib import suppress

import pytest

from eventapi import paths
from eventapi.domain.mail.contents import Gone
from eventapi.domain.public_forms import drafts
from eventapi.errors import Problem
from eventapi.pages.show import forms as show_forms
from eventapi.web import masking
from eventapi.web.html import form_bodies, tokens, typed_values
from eventapi.worker.mail import message as mail_message
from tests.pages.show.conftest import EVERYTHING

POLICY = "form-action 'self'"
TYPED = {
    "company_name": "Rosen KG",
    "last_name": "Tantau",
    "email": "ada@rosen.example",
    "country": "DE",
    "city": "Uetersen",
    "requested_area": "12,5",
    "message": "evil.example says <b>hello</b>",
    "terms": "1",
}


@pytest.fixture
def form(show):
    """Return the address of the form of the show."""
    return "/e/fair/apply"


@pytest.fixture
def send(app, form, monkeypatch):
    """Return a function that opens the form, fills it in after some seconds, and returns the
    response.
    """

    def sent(status=200, token=None, after=10, headers=(), address=form, language="en", **changed):
        page = app.get(address, headers={"Accept-Language": language})
        token = token or re.search(r'name="token" value="([^"]+)"', page.text)[1]
        now = time.time()
        monkeypatch.setattr(tokens.time, "time", lambda: now + after)
        values = {
            name: value
            for name, value in {**TYPED, **changed, "token": token}.items()
            if value is not None
        }
        answer = app.post(
            address, values, status=status, headers={"Accept-Language": language, **dict(headers)}
        )
        monkeypatch.setattr(tokens.time, "time", lambda: now)
        return answer

    return sent


def mails(db):
    """Build all mails whose drafts wait. Return their texts."""
    found = []
    for row in db.connection.execute(
        "SELECT id FROM mails WHERE kind = 'application_confirmation' ORDER BY id"
    ):
        mail = db.connection.execute("SELECT * FROM mails WHERE id = ?", row).fetchone()
        names = [
            column[0] for column in db.connection.execute("SELECT * FROM mails LIMIT 0").description
        ]
        with suppress(Gone):
            message = mail_message.build(db, dict(zip(names, mail, strict=True)))[1]
            found.append(message.decode().replace("=\r\n", "").replace("=3D", "="))
    return found


def link_of(text):
    return re.search(r"https://show.example.org(/link/evl_[\w-]{32})", text)[1]


def untokened(page):
    return re.sub(r'name="token" value="[^"]+"', "", page.text)


def follow(app, answer):
    """Return the page to which a redirection leads, in English."""
    path = "/" + answer.headers["Location"].removeprefix("http://localhost/").lstrip("./")
    return app.get(path, headers={"Accept-Language": "en"})


def applications(organiser):
    return organiser.data("/applications?include=categories,custom_fields&sort=id&order=ASC")


def test_an_application_is_sent_confirmed_and_arrives(app, organiser, send, db, show):
    answer = send()
    assert (
        "Please look into your e-mail" in answer.text
        and answer.headers["Cache-Control"] == "no-store"
    )
    assert applications(organiser) == [], (
        "nothing is an application before its address is confirmed"
    )
    (mail,) = mails(db)
    assert "evil.example" not in mail and "Rosen" not in mail and "ada@rosen.example" in mail
    link = link_of(mail)
    for _ in range(3):  # a mail scanner
        page = app.get(link)
        assert (
            "Confirm your application" in page.text
            and page.headers["Referrer-Policy"] == "no-referrer"
        )
    assert applications(organiser) == []
    done = app.post(link)
    assert done.status_int == 303 and "Your application has arrived" in follow(app, done).text
    (application,) = applications(organiser)
    assert (application["company_name"], application["email"], application["requested_area"]) == (
        "Rosen KG",
        "ada@rosen.example",
        12.5,
    )
    assert application["status"] == "new" and application["terms_accepted_at"]
    assert (
        app.post(link).headers["Location"] == done.headers["Location"]
        and len(applications(organiser)) == 1
    )
    draft = db.connection.execute(
        "SELECT fields, email, network FROM application_drafts"
    ).fetchone()
    assert draft == (None, None, None)


def test_the_form_sent_twice_is_one_draft(app, send, db):
    page = app.get("/e/fair/apply", headers={"Accept-Language": "en"})
    token = re.search(r'name="token" value="([^"]+)"', page.text)[1]
    assert send(token=token).text == send(token=token).text
    assert len(mails(db)) == 1


def test_a_second_application_of_an_address_is_told_only_behind_the_link(app, organiser, send, db):
    first = untokened(send())
    app.post(link_of(mails(db)[0]))
    assert untokened(send()) == first
    page = follow(app, app.post(link_of(mails(db)[0])))
    assert "You have applied with this address before." in page.text
    assert len(applications(organiser)) == 1


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"email": "no address"}, ["email"]),
        ({"email": None}, ["email"]),
        ({"terms": None}, ["terms"]),
        ({"company_name": " ", "last_name": None}, ["company_name"]),
        ({"requested_area": "much"}, ["requested_area"]),
        ({"requested_area": "-3"}, ["requested_area"]),
        ({"country": "XX"}, ["country"]),
        ({"tax_id": "DE123456789"}, ["tax_id"]),
        ({"message": "x" * 20_001}, ["message"]),
        ({"company_name": "x" * 256, "email": ""}, ["company_name", "email"]),
    ],
)
def test_a_fault_stands_beside_its_field_and_nothing_is_lost(send, db, changed, fields):
    page = send(status=422, **changed).text
    assert sorted(re.findall(r'href="#f-([\w.]+)"', page)) == sorted(fields)
    assert sorted(re.findall(r'id="e-([\w.]+)"', page)) == sorted(fields)
    assert "&lt;b&gt;hello" in page or "message" in changed
    assert mails(db) == []


def test_all_faults_are_said_at_once_also_those_of_the_rules(send, db):
    page = send(status=422, terms=None, requested_area="much", tax_id="DE123456789").text
    found = re.findall(r'href="#f-([\w.]+)"', page)
    assert found == ["tax_id", "requested_area", "terms"]
    assert mails(db) == []


def test_a_fault_says_the_limit_and_an_area_may_have_its_unit(app, organiser, send, db):
    page = send(status=422, company_name="x" * 256, requested_area="much").text
    assert "Too long: at most 255 characters." in page
    assert "Please enter an area in square metres, such as 12.5." in page
    send(requested_area="12,5 m²", website="rosen.example")
    app.post(link_of(mails(db)[0]))
    (application,) = applications(organiser)
    assert application["requested_area"] == 12.5
    assert application["website"] == "https://rosen.example"


def test_custom_fields_of_all_types_are_asked(organiser, send, app, db, show):
    kinds = {
        "text": "Tall",
        "textarea": "a\r\nb",
        "integer": "3",
        "number": "1,5",
        "boolean": "1",
        "date": "2027-01-02",
        "datetime": "2027-01-02T10:00",
        "select": "north",
        "multiselect": ["north", "south"],
        "email": "b@rosen.example",
        "url": "https://rosen.example",
    }
    for kind in kinds:
        options = (
            {
                "field_options": [
                    {"value": "north", "label": "North"},
                    {"value": "south", "label": "South"},
                ]
            }
            if ("select" in kind)
            else {}
        )
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "application",
                "field_key": f"f_{kind}",
                "field_label": kind,
                "field_type": kind,
                "applicant_visibility": "editable",
                **options,
            },
        )
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_key": "secret",
            "field_label": "SECRETFIELD",
            "applicant_visibility": "hidden",
        },
    )
    asked = [{"field": f"custom.f_{kind}", "ask": "optional"} for kind in kinds]
    address = f"/events/{show['event']['id']}/pages"
    organiser.patch(address, {"apply_form": [*EVERYTHING, *asked]}, status=200)
    assert "SECRETFIELD" not in app.get("/e/fair/apply").text
    send(
        language="de",
        **{f"custom.f_{kind}": value for kind, value in kinds.items()},
        **{"custom.secret": "x"},
    )
    app.post(link_of(mails(db)[0]))
    values = applications(organiser)[0]["custom_fields"]
    assert values == {
        "f_text": "Tall",
        "f_textarea": "a\nb",
        "f_integer": 3,
        "f_number": 1.5,
        "f_boolean": True,
        "f_date": "2027-01-02",
        "f_datetime": "2027-01-02T10:00:00Z",
        "f_select": "north",
        "f_multiselect": ["north", "south"],
        "f_email": "b@rosen.example",
        "f_url": "https://rosen.example",
    }


def test_categories_of_the_event_are_offered(organiser, send, app, db, show):
    category = organiser.make(
        "/categories",
        {
            "title": "Roses",
            "category_key": "roses",
            "applicant_visibility": "selectable",
            "event_keys": ["fair"],
        },
    )
    assert (
        "Roses" in app.get("/e/fair/apply").text
        and send(status=422).text.count('id="e-category"') == 1
    )
    send(category="roses")
    app.post(link_of(mails(db)[0]))
    assert applications(organiser)[0]["categories"][0]["id"] == category["id"]


def test_robots_and_old_forms_send_nothing(send, db, app):
    assert "That was very fast" in send(status=422, after=1).text
    assert "open for more than a day" in send(status=422, after=90_000).text
    wrong = send(status=403, token="1.2.3").text
    assert "not valid any more" in wrong and "Rosen KG" not in wrong
    assert "Please look into your e-mail" in send(fax_number="1").text
    assert mails(db) == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused(send, db, headers):
    assert "This did not work" in send(status=403, headers=headers).text
    assert mails(db) == []


def test_a_form_of_this_site_is_accepted(send, db):
    send(
        headers={
            "Origin": "http://localhost:80",
            "Host": "localhost:80",
            "Sec-Fetch-Site": "same-origin",
        }
    )
    assert len(mails(db)) == 1


def test_an_address_gets_few_mails(send, db):
    for _ in range(5):
        send()
    assert len(mails(db)) == 3


def test_a_closed_full_or_missing_form_says_so(organiser, app, form, send, db, show):
    event, pages = f"/events/{show['event']['id']}", f"/events/{show['event']['id']}/pages"
    organiser.patch(pages, {"apply_capacity": 1}, status=200)
    send()
    app.post(link_of(mails(db)[0]))
    full = app.get(form, headers={"Accept-Language": "en"})
    assert (
        "as many applications as we can take" in full.text
        and "Exhibit</a>" not in app.get("/e/fair").text
    )
    organiser.patch(pages, {"apply_capacity": None}, status=200)
    organiser.patch(event, {"application_deadline": "2020-01-01"}, status=200)
    assert (
        "last day for applications is over" in app.get(form, headers={"Accept-Language": "en"}).text
    )
    organiser.patch(pages, {"apply_is_open": False}, status=200)
    app.get(form, headers={"Accept": "text/html"}, status=404)


def test_a_confirmation_after_the_deadline_counts_as_of_the_form(organiser, app, send, db, show):
    send()
    organiser.patch(
        f"/events/{show['event']['id']}", {"application_deadline": "2020-01-01"}, status=200
    )
    assert (
        "has arrived" in follow(app, app.post(link_of(mails(db)[0]))).text
        and len(applications(organiser)) == 1
    )


def test_a_choice_that_the_office_has_taken_away_is_told_in_place_of_an_application(
    organiser, app, send, db, show
):
    field = organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_key": "side",
            "field_label": "Side",
            "field_type": "select",
            "applicant_visibility": "editable",
            "field_options": [
                {"value": "north", "label": "North"},
                {"value": "south", "label": "South"},
            ],
        },
    )
    asked = [*EVERYTHING, {"field": "custom.side", "ask": "optional"}]
    organiser.patch(f"/events/{show['event']['id']}/pages", {"apply_form": asked}, status=200)
    send(**{"custom.side": "north"})
    south = {"field_options": [{"value": "south", "label": "South"}]}
    organiser.patch(f"/custom-fields/{field['id']}", south, status=200)
    page = app.post(link_of(mails(db)[0]), status=409)
    assert "something that you chose cannot be chosen any more" in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer" and applications(organiser) == []


def test_without_https_an_application_arrives_and_opens_no_page(organiser, app, send, db):
    send()
    app.extra_environ |= {"REMOTE_ADDR": "192.0.2.7", "HTTP_HOST": "show.example.org"}
    page = app.post(link_of(mails(db)[0]), status=200)
    (application,) = applications(organiser)
    assert (
        "Your application has arrived" in page.text and f"number {application['id']}" in page.text
    )
    assert "Set-Cookie" not in page.headers


def test_links_that_are_wrong_old_or_deleted_look_the_same(app, send, db):
    send()
    link = link_of(mails(db)[0])

    def read(page):
        return re.sub('name="token" value="[^"]+"', "", page.text)

    wrong = read(app.get("/link/evl_" + "x" * 32, status=404))
    assert read(app.get("/link/x", status=404)) == wrong
    db.connection.execute("UPDATE application_drafts SET created_at = '2020-01-01T00:00:00Z'")
    assert drafts.delete_old(db, 500) == 1
    assert read(app.get(link, status=404)) == wrong and read(app.post(link, status=404)) == wrong
    assert db.connection.execute("SELECT count(*) FROM link_secrets").fetchone()[0] == 0
    with pytest.raises(Gone):
        mail_message.build(db, {"kind": drafts.KIND, "entity_id": 1, "recipient": "a@b.example"})


def test_no_secret_is_stored_or_logged(send, db):
    send()
    secret = link_of(mails(db)[0]).rpartition("/")[2]
    dump = "\n".join(db.connection.iterdump())
    assert (
        secret not in dump
        and masking.path(f"/link/{secret}") == "/link/***"
        and secret not in masking.text(secret)
    )


def test_anonymising_erases_drafts_and_their_mails(organiser, send, db):
    send(email="gone@rosen.example")
    contact = organiser.make("/contacts", {"last_name": "Tantau", "email": "gone@rosen.example"})
    organiser.post(f"/contacts/{contact['id']}/anonymize", {}, status=200)
    assert "gone@rosen" not in "\n".join(
        str(row)
        for table in ("application_drafts", "mails")
        for row in db.connection.execute(f"SELECT * FROM {table}")
    )


def test_anonymising_erases_mails_to_confirm_an_address_that_were_sent(organiser, send, db):
    """Those that wait are deleted with their draft."""
    send(email="gone@rosen.example")
    with db.write():
        db.connection.execute("UPDATE mails SET state = 'sent'")
    contact = organiser.make("/contacts", {"last_name": "Tantau", "email": "gone@rosen.example"})
    organiser.post(f"/contacts/{contact['id']}/anonymize", {}, status=200)
    assert db.connection.execute("SELECT recipient FROM mails").fetchall() == []


def test_anonymising_erases_a_draft_that_was_confirmed_with_the_hash_of_its_address(
    app, organiser, send, db, show
):
    send()
    app.post(link_of(mails(db)[0]))
    (application,) = applications(organiser)
    assert db.connection.execute("SELECT count(email_hash) FROM application_drafts").fetchone() == (
        1,
    )
    approved = organiser.post(f"/applications/{application['id']}/approve", {}, status=200).json[
        "data"
    ]
    organiser.post(f"/contacts/{approved['contact_id']}/anonymize", {}, status=200)
    assert db.connection.execute("SELECT count(*) FROM application_drafts").fetchone() == (0,)


def test_the_form_opens_only_with_terms_public_pages_and_a_mail_server(
    organiser, show, settings, monkeypatch
):
    pages = f"/events/{show['event']['id']}/pages"
    organiser.patch(pages, {"apply_is_open": False, "apply_terms": {}}, status=200)
    assert organiser.patch(pages, {"apply_is_open": True}, status=409).json["missing"] == [
        "apply_terms"
    ]
    fields = {"apply_is_open": True, "apply_terms": {"en": "Terms"}}
    monkeypatch.setattr(settings, "smtp_host", "")
    assert organiser.patch(pages, fields, status=409).json["code"] == "mail_not_configured"
    monkeypatch.setattr(settings, "smtp_host", "localhost")
    organiser.patch(pages, fields, status=200)


def test_without_a_mail_server_the_form_can_be_tried_on_this_machine_only(
    send, app, organiser, settings, monkeypatch
):
    monkeypatch.setattr(settings, "smtp_host", "")
    monkeypatch.setattr(show_forms.client, "is_local", lambda: False)
    assert (
        "we cannot send the e-mail" in send(status=409, headers={"Host": "show.example.org"}).text
    )
    monkeypatch.setattr(show_forms.client, "is_local", lambda: True)
    link = re.search(r'href="\.\./\.\./(link/evl_[^"]+)"', send().text)[1]
    app.post(f"/{link}")
    assert len(applications(organiser)) == 1


# The reader of forms: bytes from anybody


def environ(body, kind=form_bodies.FORM, **more):
    return {
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": kind,
        "eventapi.places": None,
        **more,
    }


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"", {}),
        (b"a=1&a=2&b=", {"a": ["1", "2"], "b": [""]}),
        (b"a=%C3%A4%0D%0Ab+c", {"a": ["ä\nb c"]}),
        (b"a", {"a": [""]}),
        (b"=x", {"": ["x"]}),
        (b"a=1;b=2", {"a": ["1;b=2"]}),
    ],
)
def test_a_form_is_read(body, found):
    assert form_bodies.form(environ(body)) == found


@pytest.mark.parametrize(
    ("body", "more", "code"),
    [
        (b"a=%ff", {}, "malformed_request"),
        (b"a=%00", {}, "malformed_request"),
        ("a=ä".encode(), {}, "malformed_request"),
        (b"a=1&" * 3000, {}, "body_too_large"),
        (b"a=" + b"x" * 512 * 1024, {}, "body_too_large"),
        (b"a=1", {"CONTENT_LENGTH": "9"}, "malformed_request"),
        (b"a=1", {"CONTENT_LENGTH": "-1"}, "malformed_request"),
        (b"a=1", {"kind": "multipart/form-data; boundary=x"}, "unsupported_media_type"),
        (b"a=1", {"kind": "application/json"}, "unsupported_media_type"),
        (b"a=1", {"kind": ""}, "unsupported_media_type"),
        (b"a=1", {"HTTP_CONTENT_ENCODING": "gzip"}, "unsupported_media_type"),
    ],
)
def test_a_hostile_form_is_refused(body, more, code):
    with pytest.raises(Problem) as refused:
        form_bodies.form(environ(body, **more))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("12,5", "de", 12.5),
        ("12.5", "de", 12.5),
        ("12.5", "en", 12.5),
        ("12,5", "en", 12.5),
        ("1.234,5", "de", 1234.5),
        ("1,234.5", "en", 1234.5),
        ("1.234", "de", 1234),
        ("1,234", "en", 1234),
        ("7", "de", 7),
        ("1e5", "en", "1e5"),
        ("much", "de", "much"),
        ("١٢", "en", 12),
        ("9" * 30, "en", "9" * 30),
    ],
)
def test_numbers_are_read_as_a_language_writes_them(text, language, value):
    assert typed_values.number(text, language) == value


def test_tokens_are_bound_to_their_form_and_time():
    token = tokens.form_token(b"k" * 32, "apply 1")
    assert tokens.checked(b"k" * 32, "apply 1", token)[0] == "young"
    assert tokens.checked(b"k" * 32, "apply 2", token) == ("wrong", None)
    assert tokens.checked(b"j" * 32, "apply 1", token) == ("wrong", None)
    for text in ("", ".", "..", "a.b.c", "é.ü.ß", token + "x", "9" * 5000):
        assert tokens.checked(b"k" * 32, "apply 1", text) == ("wrong", None)


def test_nothing_else_reads_forms():
    for file in paths.folder("eventapi").rglob("*.py"):
        assert not re.search(
            r"request\.(forms|files|POST|params)\b", file.read_text(encoding="utf-8")
        ), file
