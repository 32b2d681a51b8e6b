"""Previews of mails: they are the mails that are sent, but for the secret in the link."""

import re
from email import message_from_bytes, policy

import pytest

from eventapi.domain.previews import mails as previews
from eventapi.domain.public_forms import drafts
from eventapi.worker.mail import message as mail_message
from tests.support.links import queued

pytestmark = pytest.mark.usefixtures("mail")

NAMES = (
    "application_confirmation visit_confirmation application_approved application_rejected "
    "application_waitlisted application_question badge link todos booth_offer contract booth_confirmed"
).split()
# name of a text -> the decision that mails it, and the body of the request
DECISIONS = {
    "application_approved": ("approve", {}),
    "application_rejected": ("reject", {"reason": "The hall is full.\n\n\nNext year?"}),
    "application_waitlisted": ("waitlist", {}),
    "application_question": ("request-info", {"question": "Which <b>plugs</b>?"}),
    "badge": ("approve", {}),
}
OWN = "Hello from us.  \n\nSee you & yours <soon>."


@pytest.fixture
def exhibitor(portal, language):
    """Return the participant of the fair, whose contact has an address and the language."""
    portal.change(my_is_open=True, is_public=True)
    contact = {
        "first_name": "Bela",
        "last_name": "Beta",
        "email": "bela@rosen.example",
        "language": language,
    }
    portal.organiser.patch(f"/contacts/{portal.participant['contact_id']}", contact, status=200)
    return portal.participant


def applied(portal, language, **more):
    return portal.organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "first_name": "Ada",
            "last_name": "Tantau",
            "email": "ada@rosen.example",
            "language": language,
            **more,
        },
    )


def preview(client, event, name, status=200, **body):
    answer = client.post(
        f"/events/{event['id']}/pages/mail-preview", {"name": name, **body}, status=status
    ).json
    return answer["data"] if status == 200 else answer


def sent(db, kind):
    """Return {subject, text, html, language} of the only mail of a kind, as the worker writes it,
    with … in place of the secret.
    """
    (mail,) = queued(db, kind)
    message = message_from_bytes(mail_message.build(db, mail)[1], policy=policy.default)
    parts = {
        name: re.sub(
            r"evl_[\w-]{32}", "…", message.get_body((kind,)).get_content().replace("\r\n", "\n")
        )
        for name, kind in (("text", "plain"), ("html", "html"))
    }
    return {"subject": message["Subject"], **parts, "language": message["Content-Language"]}


def test_the_names_are_those_of_the_texts(portal):
    assert sorted(previews.PREVIEWS) == sorted(NAMES)
    assert set(previews.OF_APPLICATIONS) == {"application_confirmation", *DECISIONS}


def prepare(portal, db, name, language, exhibitor):
    """Cause the mail of a text. Return (kind of the mail, id of its record for the preview)."""
    organiser = portal.organiser
    if name in DECISIONS:
        more = {}
        if name == "badge":
            organiser.make(
                "/categories",
                {
                    "title": "Visitors",
                    "category_key": "visitors",
                    "role": "visitor",
                    "event_keys": ["fair"],
                },
            )
            more = {"category_keys": ["visitors"]}
        application = applied(portal, language, **more)
        action, body = DECISIONS[name]
        if action == "request-info":
            organiser.post(f"/applications/{application['id']}/review", {}, status=200)
        path = f"/applications/{application['id']}/{action}"
        organiser.post(path, {**body, "mail": True}, status=200)
        return "badge" if name == "badge" else "application_decision", application["id"]
    if name in drafts.TEXTS.values():
        form = "apply" if name == "application_confirmation" else "visit"
        fields = {"email": "ada@rosen.example", "last_name": "Tantau"}
        base_url = db.config.base_url
        with db.write():
            drafts.store(db, portal.event, form, fields, "nonce", language, "192.0.2.1", base_url)
        if form == "visit":
            return drafts.KIND, exhibitor["id"]
        return drafts.KIND, applied(portal, language)["id"]
    if name == "link":
        organiser.post(f"/participants/{exhibitor['id']}/link", {"mail": True}, status=201)
        return "link", exhibitor["id"]
    link = organiser.post(f"/participants/{exhibitor['id']}/link", {}, status=201).json["data"]
    if name == "booth_confirmed":
        booked = {"booth_id": portal.booths["A2"], "event_participant_id": exhibitor["id"]}
        held = organiser.make("/booth-reservations", booked)
        path = f"/booth-reservations/{held['id']}/confirm"
        organiser.post(path, {"mail": True}, status=200)
        return name, exhibitor["id"]
    if name == "todos":
        organiser.post(f"/links/{link['id']}/remind", status=202)
    elif name == "contract":
        organiser.make(
            "/documents/templates",
            {"key": "booth", "name": "Booth", "is_contract": True, "body": "<p>A booth</p>"},
        )
        body = {"template_key": "booth", "mail": True}
        organiser.post(f"/participants/{exhibitor['id']}/contract", body, status=201)
    else:
        offer(portal, exhibitor)
    return name, exhibitor["id"]


def offer(portal, exhibitor):
    """Let an exhibitor get the booth that another one gives back."""
    organiser, booth_id = portal.organiser, portal.booths["A2"]
    other = organiser.make("/contacts", {"company_name": "Other"})
    other = organiser.make("/participants", {"event_key": "fair", "contact_id": other["id"]})
    held = organiser.make(
        "/booth-reservations", {"booth_id": booth_id, "event_participant_id": other["id"]}
    )
    organiser.make(
        "/booth-reservations",
        {"booth_id": booth_id, "event_participant_id": exhibitor["id"], "waitlist": True},
    )
    organiser.post(f"/booth-reservations/{held['id']}/cancel", {}, status=200)


@pytest.mark.parametrize("has_own", [False, True])
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", NAMES)
def test_the_preview_is_the_mail_that_is_sent(portal, db, exhibitor, name, language, has_own):
    has_own = has_own and name != "booth_confirmed"  # it has no text of its own
    if has_own:
        portal.change(mail_texts={name: {"en": OWN, "de": f"Deutsch: {OWN}"}})
    kind, id = prepare(portal, db, name, language, exhibitor)
    shown = preview(portal.organiser, portal.event, name, id=id)
    assert shown == {**sent(db, kind), "about": "record"}
    assert "Hello from us." in shown["text"] or not has_own
    assert "https://show.example.org/link/…" in shown["text"]
    assert shown["language"] == language


@pytest.mark.parametrize("name", DECISIONS)
def test_the_preview_has_no_link_where_the_mail_has_none(portal, db, settings, name):
    """The pages are closed, and a question is answered by mail."""
    kind, id = prepare(portal, db, name, "en", None)
    shown = preview(portal.organiser, portal.event, name, id=id)
    assert shown == {**sent(db, kind), "about": "record"}
    assert "/link/" not in shown["text"]
    assert ("Please send your answer to" in shown["text"]) == (name == "application_question")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_a_whole_mail_about_an_invented_person(portal, exhibitor, name, language):
    shown = preview(portal.organiser, portal.event, name, language=language)
    assert (shown["about"], shown["language"]) == ("sample", language)
    assert portal.event["title"] in shown["subject"]
    assert "https://show.example.org/link/…" in shown["text"] and "…" in shown["html"]
    assert "Bela" not in shown["text"] and "{" not in shown["text"]


@pytest.mark.parametrize("language", ["de"])
def test_a_text_that_is_not_stored_is_previewed_in_its_place(portal, exhibitor):
    portal.change(mail_texts={"link": {"de": "Gespeichert."}})
    shown = preview(
        portal.organiser,
        portal.event,
        "link",
        id=exhibitor["id"],
        language="de",
        text="Neu.\n\n<Absatz>",
        subject="Ihr Zugang zur Messe",
    )
    assert shown["subject"] == "Ihr Zugang zur Messe"
    assert shown["text"].startswith(
        "Guten Tag Bela Beta,\n\nNeu.\n\n<Absatz>\n\nhttps://show.example.org/"
    )
    assert "<p>&lt;Absatz&gt;</p>" in shown["html"]
    stored = preview(portal.organiser, portal.event, "link", language="de", text=None)
    assert stored["text"].startswith("Guten Tag Mia Sommer,\n\nGespeichert.\n\n")


def test_a_preview_writes_nothing_and_queues_no_mail(portal, db):
    before = list(db.connection.iterdump())
    for name in NAMES:
        preview(portal.organiser, portal.event, name)
    assert list(db.connection.iterdump()) == before


@pytest.mark.parametrize(
    ("scopes", "application", "participant"),
    [
        (["events:read"], "sample", "sample"),
        (["events:read", "applications:read"], "record", "sample"),
        (["events:read", "participants:read"], "sample", "record"),
    ],
)
@pytest.mark.parametrize("language", ["en"])
def test_a_preview_is_about_a_record_that_the_key_may_read(
    portal, db, exhibitor, person, scopes, application, participant
):
    id = applied(portal, "en")["id"]
    client = person(" ".join(scopes))
    shown = preview(client, portal.event, "application_approved", id=id)
    assert (shown["about"], "Ada Tantau" in shown["text"]) == (
        application,
        application == "record",
    )
    shown = preview(client, portal.event, "link", id=exhibitor["id"])
    assert (shown["about"], "Bela Beta" in shown["text"]) == (
        participant,
        participant == "record",
    )


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("booth_confirmed", "booths:read links:read"),
        ("booth_offer", "booths:read"),
        ("contract", "documents:read links:read"),
        (
            "todos",
            "booths:read documents:read invoices:read links:read service_orders:read submissions:read",
        ),
    ],
)
@pytest.mark.parametrize("language", ["en"])
def test_a_preview_tells_only_of_what_the_key_may_read(portal, db, exhibitor, person, name, needs):
    """Prices, contracts and names of people with a link are of other scopes than participants."""
    link = {"kind": "participant", "participant_id": exhibitor["id"], "email": "cem@rosen.example"}
    portal.organiser.make("/links", {**link, "name": "Cem Colleague"})
    prepare(portal, db, name, "en", exhibitor)
    needs = needs.split()
    for missing in needs:
        client = person(
            " ".join(
                ["events:read", "participants:read", *(each for each in needs if each != missing)]
            )
        )
        shown = preview(client, portal.event, name, id=exhibitor["id"])
        assert shown["about"] == "sample" and "Mia Sommer" in shown["text"], missing
    client = person(" ".join(["events:read", "participants:read", *needs]))
    assert preview(client, portal.event, name, id=exhibitor["id"])["about"] == "record"


def test_a_preview_needs_the_scope_of_the_event(portal, person):
    client = person("applications participants")
    answer = preview(client, portal.event, "link", status=403)
    assert answer["scope"] == "events:read"


@pytest.mark.parametrize("name", ["text", "subject"])
def test_mails_have_no_placeholders(portal, name):
    answer = preview(
        portal.organiser, portal.event, "link", status=422, **{name: "Dear {{contact.name}}"}
    )
    (fault,) = answer["errors"]
    assert (fault["pointer"], fault["code"]) == (f"/{name}", "unknown_placeholder")
    assert "{{contact.name}}" in fault["detail"]


@pytest.mark.parametrize("name", ["application_approved", "link", "visit_confirmation"])
def test_a_record_of_another_event_is_unknown(portal, name):
    other = portal.organiser.make("/events", {"title": "Other", "event_key": "other"})
    id = applied(portal, "en")["id"] if name == "application_approved" else 1
    (fault,) = preview(portal.organiser, other, name, status=422, id=id)["errors"]
    assert (fault["pointer"], fault["code"]) == ("/id", "unknown")
    assert preview(portal.organiser, {"id": 99}, name, status=404)["code"] == "not_found"


@pytest.mark.parametrize("language", ["en"])
def test_an_erased_person_is_in_no_preview(portal, exhibitor):
    application = applied(portal, "en", email="bela@rosen.example")
    approval = {"contact_id": exhibitor["contact_id"]}
    portal.organiser.post(f"/applications/{application['id']}/approve", approval, status=200)
    portal.organiser.post(f"/contacts/{exhibitor['contact_id']}/anonymize", {}, status=200)
    for name in NAMES:
        is_applicant = name in previews.OF_APPLICATIONS
        id = application["id"] if is_applicant else exhibitor["id"]
        answer = preview(portal.organiser, portal.event, name, status=409, id=id)
        assert answer["code"] == "anonymized"
