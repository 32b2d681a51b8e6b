"""The team at the desk: who opens its pages, who may do what with whom, and what a refusal keeps."""

import re
from html import unescape

import pytest

from eventapi.domain.access import api_keys, people, sessions
from eventapi.pages.office import start, team
from eventapi.plugins import sessions as session_plugin
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.support.client import SCOPES, add_key
from tests.support.people import add_person, at_desk

BY_MAIL = {
    "base_url": "http://localhost",
    "smtp_host": "localhost",
    "smtp_sender": "office@fair.example",
}


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(session_plugin, "PER_MINUTE", 100_000)


@pytest.fixture
def somebody(app, db):
    """Return a function that makes a person and signs it in: somebody("door", "Mehmet Aydın")."""

    def signed_in(role="owner", name="Carla Weiß", language="en", scopes=None):
        id = add_person(db, role, name, scopes=scopes)
        visitor = at_desk(app, db, id, language)
        visitor.id = id
        return visitor

    return signed_in


@pytest.fixture
def carla(somebody):
    """An owner at the desk."""
    return somebody()


@pytest.fixture
def mehmet(db):
    """The id of a person of the role door, who is invited and has not signed in."""
    return add_person(db, "door", "Mehmet Aydın", has_signed_in=False)


def person(db, id):
    """Return a person as it is stored."""
    return people.get(db, id)


def actions(organiser, id):
    """Return the actions in the audit log of a person, in their order."""
    rows = organiser.data(f"/audit-log?entity_type=admin&entity_id={id}&per_page=100")
    return [row["action"] for row in sorted(rows, key=lambda row: row["id"])]


def refusal(page):
    """Return the text of the box about a form that was refused."""
    box = re.search(r'id="faults">(.*?)</div>', page.text, re.S)
    return " ".join(unescape(re.sub("<[^>]+>", " ", box[1])).split())


def typed(page):
    """Return the fields of the form of a person as the page has them."""
    form = re.search(r'<form class="card stack form".*?</form>', page.text, re.S)[0]
    fields = dict(
        re.findall(r'name="(\w+)"[^>]*?\bvalue="([^"]*)"', form.partition("<fieldset")[0])
    )
    fields.pop("form_token", None)
    role = re.search(r'name="role" value="(\w+)" checked', form)
    picked = re.findall(r'name="scope" value="([\w:-]+)" checked', form)
    return {
        **{name: unescape(text) for name, text in fields.items()},
        **({"role": role[1]} if role else {}),
        **({"scope": picked} if picked else {}),
    }


def shown_link(page):
    return re.search(r"/link/(evl_[\w-]{32})", page.text)[1]


# Who opens the pages: role -> status of (GET of all pages, POST of all forms, GET of start). A key
# has no scope `team`, and who is not signed in is led to the page for that.

HOLDERS = {
    "owner": ("200", "done", "200"),
    "office": ("403", "403", "404"),
    "finance": ("403", "403", "404"),
    "door": ("403", "403", "404"),
    "reader": ("403", "403", "404"),
    "team": ("200", "403 or 409", "404"),
    "all but team": ("403", "403", "404"),
    "key": ("403", "403", "404"),
    "nobody": ("303", "403", "303"),
}
OPENED = ("team", "team/new", "team/{id}", "team/{id}/disable")
# From the addresses of buttons, a page leads to that of the person.
LEADING = ("team/{id}/enable", "team/{id}/factor", "team/{id}/invite", "team/{id}/sessions")
SENT = {
    "team/new": {"name": "Eve", "email": "eve@evil.example", "role": "owner"},
    "team/{id}": {"name": "Eve", "email": "eve@evil.example", "role": "owner"},
    "team/{id}/invite": {},
    "team/{id}/factor": {},
    "team/{id}/sessions": {},
    "team/{id}/disable": {},
    "team/{id}/enable": {},
    "start": {},
}


@pytest.fixture
def holder(app, db, somebody):
    """Return a function that signs in a holder of HOLDERS."""

    def made(name):
        visitor = Visitor(app)
        if name == "key":
            sign_in(visitor, add_key(db, SCOPES, "Ada Lovelace"))
        elif name == "team":
            visitor = somebody("custom", "Tim Team", scopes=["team", "events:read"])
        elif name == "all but team":
            visitor = somebody("custom", "Alma All", scopes=SCOPES.split())
        elif name != "nobody":
            visitor = somebody(name, "Rolf Role")
        return visitor

    return made


@pytest.mark.parametrize("name", HOLDERS)
def test_who_opens_the_pages(holder, somebody, name):
    target = somebody("owner", "Olga Owner").id
    pages, _, start = HOLDERS[name]
    visitor = holder(name)
    for path in OPENED:
        visitor.get(f"/desk/{path.format(id=target)}", int(pages))
    for path in LEADING:
        visitor.get(f"/desk/{path.format(id=target)}", 303 if pages == "200" else int(pages))
    visitor.get("/desk/start", int(start))


@pytest.mark.parametrize("name", [name for name in HOLDERS if name != "owner"])
def test_nobody_else_changes_the_team_with_a_forged_form(holder, somebody, db, name):
    target = somebody("owner", "Olga Owner").id
    visitor = holder(name)
    before = people.all_people(db)
    page = visitor.get("/desk/", "*")
    for path, fields in SENT.items():
        fields = {**fields, "tag": "*"}
        address = f"/desk/{path.format(id=target)}"
        if name == "nobody":
            answer = visitor.post(address, fields, "*")
        else:
            answer = visitor.submit(page, address, fields, "*")
        expected = {403} if path != "start" or name == "nobody" else {404}
        if name == "team" and path == "team/{id}":
            expected = {412}
        assert answer.status_int in expected, path
    assert people.all_people(db) == before


def test_the_pages_of_the_team_are_those_of_the_table():
    found = {(each.method, each.path) for each in (*team.routes.routes, *start.routes.routes)}
    table = {("GET", path) for path in (*OPENED, *LEADING, "start")} | {
        ("POST", path) for path in SENT
    }
    assert found == {(method, "/desk/" + path.replace("{id}", "<id>")) for method, path in table}


# The list


def test_the_list_shows_each_person_once(carla, somebody, mehmet, db):
    somebody("office", "Ole Lindqvist")
    with db.write():
        people.disable(db, add_person_in(db, "reader", "Jule Petersen"))
        db.connection.execute(
            "UPDATE admins SET password_hash = 'x', totp_secret = 'x' WHERE id = ?", (carla.id,)
        )
    text = " ".join(re.sub("<[^>]+>", " ", carla.get("/desk/team").text).split())
    for line in (
        "Carla Weiß this is you carla@fair.example Owner · Password and second factor here now · 1 device",
        "Ole Lindqvist ole@fair.example Office · no password yet here now · 1 device",
        "Mehmet Aydın invited mehmet@fair.example Entrance · link valid until ",
        "Jule Petersen deactivated jule@fair.example View only last here ",
    ):
        assert line in text
    order = [text.rindex(name) for name in ("Carla", "Ole", "Mehmet", "Jule")]
    assert order == sorted(order)


def test_devices_are_shown_by_browser_and_system(carla, db):
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    with db.write():
        sessions.add(db, admin_id=carla.id, way="password", agent=agent)
    page = carla.get(f"/desk/team/{carla.id}").text
    assert "<b>Firefox, Linux</b>" in page and "Mozilla" not in page and "2 devices" in page


def test_with_mails_people_without_a_password_get_links(carla, somebody, settings):
    vars(settings).update(BY_MAIL)
    assert "links by mail only" in carla.get("/desk/team").text
    ole = somebody("office", "Ole Lindqvist")
    # such a person asks for a link at the page to sign in: nobody else sees one
    assert f"team/{ole.id}/invite" not in carla.get(f"/desk/team/{ole.id}").text


def add_person_in(db, role, name):
    """Make a person within the transaction of a test."""
    id = people.invite(db, name, f"{name.split()[0].lower()}@fair.example", role)
    people.record_sign_in(db, id)
    return id


def test_admins_without_an_account_are_not_listed(carla, db):
    add_key(db, "events", "Ada Script")
    assert "Ada Script" not in carla.get("/desk/team").text
    [ada] = [each for each in people.all_people(db) if each["role"] is None]
    carla.get(f"/desk/team/{ada['id']}", 404)
    page = carla.get("/desk/team")
    carla.submit(page, f"/desk/team/{ada['id']}/disable", status=404)
    assert person(db, ada["id"])["is_active"]


def test_the_list_in_german(somebody, mehmet):
    text = somebody(language="de").get("/desk/team").text
    for word in (
        "das sind Sie",
        "Leitung",
        "noch kein Passwort",
        "jetzt hier",
        "1 Gerät",
        "eingeladen",
    ):
        assert word in text


# Invitations


def invite(visitor, status=200, **fields):
    page = visitor.get("/desk/team/new")
    sent = {"name": "Mehmet Aydın", "email": "mehmet@fair.example", "role": "door", **fields}
    return page, visitor.submit(page, "/desk/team/new", sent, status)


def test_the_form_has_a_sentence_for_each_role(carla, somebody):
    page = carla.get("/desk/team/new").text
    for sentence in ("team and company data as well", "Not: bank, team", "devices at the doors"):
        assert sentence in page
    german = somebody("owner", "Gerda Groß", "de").get("/desk/team/new").text
    assert "Anmeldungen, Aussteller, Halle, Rechnungen. Nicht: Bank, Team, Firmendaten." in german


def test_without_a_mail_server_the_link_is_shown_once(carla, app, db, organiser):
    form, page = invite(carla)
    secret = shown_link(page)
    assert "Give this link to nobody but Mehmet Aydın" in page.text
    [mehmet] = [each for each in people.all_people(db) if each["name"] == "Mehmet Aydın"]
    assert (mehmet["role"], mehmet["email"]) == ("door", "mehmet@fair.example")
    # a reload sends the form again
    again = carla.submit(form, "/desk/team/new", {**SENT_AGAIN}, 303)
    assert again.headers["Location"].endswith(f"/desk/team/{mehmet['id']}")
    assert len([each for each in people.all_people(db) if each["name"] == "Mehmet Aydın"]) == 1
    for path in ("team", "team/new", f"team/{mehmet['id']}"):
        assert "evl_" not in carla.get(f"/desk/{path}").text
    visitor = Visitor(app)
    visitor.post(f"/link/{secret}")
    visitor.get("/desk/")
    visitor.get("/desk/team", 403)
    Visitor(app).post(f"/link/{secret}", status="*")
    assert person(db, mehmet["id"])["last_seen_at"]
    assert actions(organiser, mehmet["id"])[:2] == ["created", "invited"]


SENT_AGAIN = {"name": "Mehmet Aydın", "email": "mehmet@fair.example", "role": "door"}


def test_with_a_mail_server_the_link_is_only_mailed(carla, settings, db):
    vars(settings).update(BY_MAIL)
    _, answer = invite(carla, 303)
    assert "evl_" not in answer.text
    page = carla.get("/desk/team?" + answer.headers["Location"].partition("?")[2])
    assert "The invitation of Mehmet Aydın is on its way." in page.text and "evl_" not in page.text
    kinds = db.connection.execute("SELECT kind, recipient FROM mails").fetchall()
    assert ("sign_in", "mehmet@fair.example") in [tuple(row) for row in kinds]


def test_a_second_invitation_within_minutes_is_refused_with_the_time(carla, settings, mehmet, db):
    vars(settings).update(BY_MAIL)
    page = carla.get("/desk/team")
    answer = carla.submit(page, f"/desk/team/{mehmet}/invite")
    page = carla.get("/desk/team")
    answer = carla.submit(page, f"/desk/team/{mehmet}/invite", status=429)
    assert re.search(r"Please wait until .*\d\d:\d\d", refusal(answer))
    page = carla.get("/desk/team?language=de")
    answer = carla.submit(page, f"/desk/team/{mehmet}/invite", status=429)
    assert re.search(r"Bitte warten Sie bis .*\d\d:\d\d Uhr", refusal(answer))


def test_a_new_link_ends_the_former_one(carla, app, mehmet):
    page = carla.get(f"/desk/team/{mehmet}")
    first = shown_link(carla.submit(page, f"/desk/team/{mehmet}/invite", status=200))
    page = carla.get(f"/desk/team/{mehmet}")
    second = shown_link(carla.submit(page, f"/desk/team/{mehmet}/invite", status=200))
    visitor = Visitor(app)
    visitor.post(f"/link/{first}", status="*")
    visitor.get("/desk/", 303)
    visitor.post(f"/link/{second}")
    visitor.get("/desk/")


@pytest.mark.parametrize(
    ("fields", "place", "sentence"),
    [
        (
            {"email": "carla@fair.example"},
            "email",
            "Somebody in the team has this address already.",
        ),
        (
            {"email": "CARLA@fair.example"},
            "email",
            "Somebody in the team has this address already.",
        ),
        ({"email": "no address"}, "email", None),
        ({"email": ""}, "email", None),
        ({"name": " "}, "name", None),
        ({"name": "x" * 300}, "name", None),
        ({"role": ""}, "role", None),
        ({"role": "king"}, "role", None),
        ({"role": "custom"}, "scope", None),
        ({"role": "custom", "scope": "kingdom"}, "scope", None),
    ],
)
def test_a_refused_invitation_keeps_what_was_typed(carla, db, fields, place, sentence):
    before = people.all_people(db)
    _, page = invite(carla, 422, **fields)
    assert f'href="#f-{place}"' in page.text
    if sentence:
        assert sentence in page.text
    kept = typed(page)
    sent = {"name": "Mehmet Aydın", "email": "mehmet@fair.example", "role": "door", **fields}
    assert (kept["name"], kept["email"]) == (sent["name"], sent["email"])
    assert kept.get("role", "") == (sent["role"] if sent["role"] in ("door", "custom") else "")
    assert people.all_people(db) == before


def test_single_rights(carla, db):
    page = carla.get("/desk/team/new")
    fields = [
        ("form_token", re.search(r'name="form_token" value="([^"]+)"', page.text)[1]),
        ("name", "Sina Einzeln"),
        ("email", "sina@fair.example"),
        ("role", "custom"),
        ("scope", "events:read"),
        ("scope", "invoices:read"),
        ("scope", "invoices"),
    ]
    carla.post("/desk/team/new", fields, 200)
    [sina] = [each for each in people.all_people(db) if each["name"] == "Sina Einzeln"]
    assert sorted(sina["scopes"]) == ["events:read", "invoices"]
    kept = typed(carla.get(f"/desk/team/{sina['id']}"))
    assert kept["role"] == "custom"
    assert sorted(kept["scope"]) == ["events:read", "invoices", "invoices:read"]


# Rights beyond one's own


def test_the_form_leaves_out_what_one_cannot_give(somebody):
    scopes = [
        "team",
        "checkins",
        "links",
        "events:read",
        "contacts:read",
        "participants:read",
        "schedules:read",
    ]
    page = somebody("custom", "Tim Team", scopes=scopes).get("/desk/team/new").text
    assert re.findall(r'name="role" value="(\w+)"', page) == ["door", "custom"]
    offered = re.findall(r'name="scope" value="([\w:-]+)"', page)
    assert sorted(offered) == sorted([*scopes, "checkins:read", "links:read"])


# giver -> roles of the people that it may change, and give; written from section 6 of the design
READER = [f"{scope}:read" for scope in SCOPES.split() if scope != "webhooks"]
DOOR = ["checkins", "links", "events:read", "contacts:read", "participants:read", "schedules:read"]
GIVERS = {
    "owner": (None, {"owner", "office", "finance", "door", "reader"}),
    "team and what a reader has": (["team", *READER], {"reader"}),
    "team and what the door has": (["team", *DOOR], {"door"}),
    "team alone": (["team"], set()),
}
ROLES = ("owner", "office", "finance", "door", "reader")


@pytest.mark.parametrize("giver", GIVERS)
def test_who_changes_whom_and_gives_what(somebody, db, giver):
    scopes, may = GIVERS[giver]
    visitor = somebody("custom" if scopes else "owner", "Gina Geberin", scopes=scopes)
    add_person(db, "owner", "Otto Other")
    page = visitor.get("/desk/team")
    for number, (before, after) in enumerate((old, new) for old in ROLES for new in ROLES):
        id = add_person(db, before, f"N{number} Name")
        sent = {**stored_fields(db, id), "role": after}
        answer = visitor.submit(page_of(visitor), f"/desk/team/{id}", sent, "*")
        is_allowed = before in may and after in may
        assert answer.status_int == (303 if is_allowed else 403), (before, after)
        assert person(db, id)["role"] == (after if is_allowed else before)
        if not is_allowed:
            assert "you lack:" in refusal(answer)
    for role in ROLES:
        sent = {"name": "Neu", "email": f"new-{role}@fair.example", "role": role}
        answer = visitor.submit(page_of(visitor), "/desk/team/new", sent, "*")
        assert answer.status_int == (200 if role in may else 403), role
    assert page.status_int == 200


def page_of(visitor):
    """Return a page with a new token."""
    return visitor.get("/desk/team")


def stored_fields(db, id):
    """Return the fields of the form of a person, also for somebody who is not shown the form."""
    stored = person(db, id)
    return {
        "name": stored["name"],
        "email": stored["email"],
        "role": stored["role"],
        "tag": team.tag_of(stored),
    }


@pytest.mark.parametrize("what", ["invite", "factor", "sessions", "disable", "enable"])
def test_nobody_touches_a_person_with_more_rights(somebody, db, what):
    tim = somebody("custom", "Tim Team", scopes=["team", *READER])
    olga = add_person(db, "owner", "Olga Owner")
    add_person(db, "owner", "Otto Other")
    page = tim.get(f"/desk/team/{olga}")
    assert "This person may do more than you." in page.text
    assert f"/desk/team/{olga}/" not in page.text and 'name="role"' not in page.text
    before = person(db, olga)
    answer = tim.submit(page, f"/desk/team/{olga}/{what}", status=403)
    assert "you lack: Events, Contacts" in refusal(answer) and "evl_" not in answer.text
    assert person(db, olga) == before


def test_single_rights_beyond_ones_own_are_refused(somebody, db):
    tim = somebody("custom", "Tim Team", scopes=["team", "events:read"])
    answer = tim.submit(
        tim.get("/desk/team/new"),
        "/desk/team/new",
        {"name": "Eve", "email": "eve@fair.example", "role": "custom", "scope": "events"},
        403,
    )
    assert refusal(answer).endswith("you lack: Events.")
    assert (typed(answer)["name"], typed(answer)["role"]) == ("Eve", "custom")
    assert people.by_address(db, "eve@fair.example") is None


# One person


def change(visitor, id, status=303, **fields):
    page = visitor.get(f"/desk/team/{id}")
    return visitor.submit(page, f"/desk/team/{id}", {**typed(page), **fields}, status)


def test_name_address_and_rights(carla, mehmet, db, organiser):
    change(carla, mehmet, name="Mehmet Aydin", email="m@fair.example", role="office")
    stored = person(db, mehmet)
    assert (stored["name"], stored["email"], stored["role"]) == (
        "Mehmet Aydin",
        "m@fair.example",
        "office",
    )
    assert "payments:read" in stored["scopes"] and "team" not in stored["scopes"]
    before = actions(organiser, mehmet)
    assert before.count("updated") == 3
    change(carla, mehmet)
    assert actions(organiser, mehmet) == before


def test_a_change_of_rights_counts_at_once(carla, somebody):
    ole = somebody("office", "Ole Lindqvist")
    ole.get("/desk/edit/contacts")
    change(carla, ole.id, role="reader")
    ole.get("/desk/edit/contacts", 403)


def test_what_was_typed_is_kept_when_somebody_else_was_faster(carla, somebody, mehmet, db):
    olga = somebody("owner", "Olga Owner")
    page = carla.get(f"/desk/team/{mehmet}")
    change(olga, mehmet, name="Mehmet A.", role="reader")
    sent = {**typed(page), "email": "new@fair.example"}
    answer = carla.submit(page, f"/desk/team/{mehmet}", sent, 412)
    assert "changed" in refusal(answer)
    assert typed(answer)["email"] == "new@fair.example" and typed(answer)["name"] == "Mehmet Aydın"
    assert "<b>Mehmet A.</b>" in answer.text and "<b>View only</b>" in answer.text
    assert person(db, mehmet)["email"] == "mehmet@fair.example"
    carla.submit(answer, f"/desk/team/{mehmet}", typed(answer))
    stored = person(db, mehmet)
    assert (stored["name"], stored["email"]) == ("Mehmet Aydın", "new@fair.example")


def test_an_address_that_somebody_has_is_refused_and_kept(carla, mehmet, db):
    answer = change(carla, mehmet, 422, email="carla@fair.example", name="Mehmet Neu")
    assert "Somebody in the team has this address already." in answer.text
    assert (typed(answer)["name"], typed(answer)["email"]) == ("Mehmet Neu", "carla@fair.example")
    assert person(db, mehmet)["name"] == "Mehmet Aydın"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "One owner must remain. Make another person owner first."),
        ("de", "Eine Leitung muss bleiben. Machen Sie zuerst jemand anderen zur Leitung."),
    ],
)
def test_the_last_owner_stays(somebody, db, language, sentence):
    carla = somebody(language=language)
    add_person(db, "owner", "Olga Invited", has_signed_in=False)
    answer = change(carla, carla.id, 409, role="office", name="Carla Neu")
    assert refusal(answer) == sentence
    assert (typed(answer)["role"], typed(answer)["name"]) == ("office", "Carla Neu")
    page = carla.get(f"/desk/team/{carla.id}/disable")
    answer = carla.submit(page, f"/desk/team/{carla.id}/disable", status=409)
    assert refusal(answer) == sentence
    stored = person(db, carla.id)
    assert (stored["role"], stored["name"], stored["is_active"]) == ("owner", "Carla Weiß", True)


def test_an_owner_gives_up_the_role(carla, db):
    add_person(db, "owner", "Olga Owner")
    answer = change(carla, carla.id, role="office")
    assert answer.headers["Location"].endswith("/desk/?done=saved")
    carla.get("/desk/")
    carla.get("/desk/team", 403)


def test_deactivating_asks_once_more_and_names_the_api_keys(carla, somebody, db, app):
    ole = somebody("office", "Ole Lindqvist")
    with db.write():
        api_keys.create_key(db, "Shop <b>", ["events"], admin_id=ole.id)
        api_keys.create_key(db, "Old", ["events"], admin_id=ole.id)
        api_keys.revoke_key(db, api_keys.keys(db)[-1]["id"])
    person_page = carla.get(f"/desk/team/{ole.id}")
    assert f"team/{ole.id}/disable" in person_page.text and "Shop" not in person_page.text
    page = carla.get(f"/desk/team/{ole.id}/disable")
    assert "Deactivate Ole Lindqvist?" in page.text
    assert "Shop &lt;b&gt;" in page.text and "<b>Old</b>" not in page.text
    assert person(db, ole.id)["is_active"]
    carla.submit(page, f"/desk/team/{ole.id}/disable")
    ole.get("/desk/", 303)
    assert not person(db, ole.id)["is_active"]
    page = carla.get(f"/desk/team/{ole.id}")
    assert "deactivated" in page.text and 'name="role"' not in page.text
    carla.submit(page, f"/desk/team/{ole.id}/enable")
    assert person(db, ole.id)["is_active"]
    ole.get("/desk/", 303)


def test_deactivating_oneself_signs_out(carla, db):
    add_person(db, "owner", "Olga Owner")
    page = carla.get(f"/desk/team/{carla.id}/disable")
    assert "This is you." in page.text
    carla.submit(page, f"/desk/team/{carla.id}/disable")
    assert "desk/sign-in" in carla.get("/desk/team", 303).headers["Location"]


def test_an_address_taken_meanwhile_keeps_a_person_deactivated(carla, db, mehmet):
    page = carla.get(f"/desk/team/{mehmet}/disable")
    carla.submit(page, f"/desk/team/{mehmet}/disable")
    add_person(db, "reader", "Mehmet Other")
    page = carla.get(f"/desk/team/{mehmet}")
    answer = carla.submit(page, f"/desk/team/{mehmet}/enable", status=422)
    assert "Somebody in the team has this address already." in refusal(answer)
    assert not person(db, mehmet)["is_active"]


def test_ending_the_sessions_of_a_person_and_ones_own(carla, somebody, app, db):
    ole = somebody("office", "Ole Lindqvist")
    page = carla.get(f"/desk/team/{ole.id}")
    carla.submit(page, f"/desk/team/{ole.id}/sessions")
    ole.get("/desk/", 303)
    other = at_desk(app, db, carla.id)
    page = carla.get(f"/desk/team/{carla.id}")
    assert "2 devices" in page.text
    carla.submit(page, f"/desk/team/{carla.id}/sessions")
    other.get("/desk/", 303)
    carla.get("/desk/")


def test_resetting_the_second_factor(carla, somebody, db, organiser):
    ole = somebody("office", "Ole Lindqvist")
    assert "Remove second factor" not in carla.get(f"/desk/team/{ole.id}").text
    with db.write():
        db.connection.execute("UPDATE admins SET totp_secret = 'A' WHERE id = ?", (ole.id,))
    page = carla.get(f"/desk/team/{ole.id}")
    carla.submit(page, f"/desk/team/{ole.id}/factor")
    assert not person(db, ole.id)["has_factor"]
    assert actions(organiser, ole.id)[-1] == "factor_removed"
    ole.get("/desk/", 303)


# Texts


HOSTILE = (
    '"><script>alert(1)</script>',
    "{{7*7}} {name} %s",
    "' OR 1=1 --",
    "Łukasz 🌻 d’Été",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text(carla, db, name):
    invite(carla, 200, name=name)
    [made] = [each for each in people.all_people(db) if each["email"] == "mehmet@fair.example"]
    for path in ("team", f"team/{made['id']}", f"team/{made['id']}/disable"):
        page = carla.get(f"/desk/{path}").text
        assert "<script>" not in page
        assert made["name"] in unescape(page)


@pytest.mark.parametrize("name", ["a\x00b", "a\nb", "\u202eolleH"])
def test_control_characters_in_a_name_are_refused(carla, db, name):
    invite(carla, "4*", name=name)
    assert people.by_address(db, "mehmet@fair.example") is None


def test_an_unknown_or_huge_id_is_not_found(carla):
    for id in ("999", "9" * 18, "0", "-1", "x"):
        carla.get(f"/desk/team/{id}", 404)
