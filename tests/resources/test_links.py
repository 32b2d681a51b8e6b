"""Links over the API: for whom, with which scopes, shown, mailed, rotated and revoked."""

import pytest

from eventapi import times
from eventapi.domain.access import rights
from eventapi.domain.access.rights import RIGHTS
from eventapi.validation.schema_files import document
from tests.domain.portal.conftest import Portal
from tests.support.client import SCOPES
from tests.support.prepared import prepared


@prepared
def fair(organiser, db):
    return Portal(organiser, db)


@pytest.fixture
def make(organiser, fair):
    """Return a function that makes the link of the exhibitor with further fields."""

    def link(**fields):
        return organiser.make(
            "/links",
            {
                "kind": "participant",
                "participant_id": fair.participant["id"],
                "name": "Anna",
                "email": "anna@example.org",
                **fields,
            },
        )

    return link


@pytest.fixture
def mail(settings, monkeypatch):
    for name, value in (
        ("smtp_host", "localhost"),
        ("smtp_sender", "office@example.org"),
        ("base_url", "https://show.example.org"),
    ):
        monkeypatch.setattr(settings, name, value)


def test_a_link_is_made_with_the_rights_of_the_event_and_its_address_is_shown_once(
    app, organiser, fair, make
):
    fair.change(my_rights=["profile", "booth"])
    made = make()
    assert (made["rights"], made["status"], made["session_count"]) == (
        ["profile", "booth"],
        "active",
        0,
    )
    assert organiser.data(f"/links/{made['id']}") == {**made, "url": None}
    assert organiser.data("/links") == [{**made, "url": None}]
    page = app.get(
        made["url"].replace("http://localhost:80", ""), headers={"Accept": "text/html"}, status=200
    )
    assert "Open your page" in page.text


def test_name_and_address_come_from_the_contact(organiser, fair):
    organiser.patch(
        f"/contacts/{fair.participant['contact_id']}",
        {"first_name": "Bela", "last_name": "Nagy", "email": "bela@example.org", "language": "de"},
        status=200,
    )
    made = organiser.make(
        "/links", {"kind": "participant", "participant_id": fair.participant["id"]}
    )
    assert (made["name"], made["email"], made["language"]) == (
        "Bela Nagy",
        "bela@example.org",
        "de",
    )
    known = organiser.post(
        "/links", {"kind": "participant", "participant_id": fair.participant["id"]}, status=409
    ).json
    assert (known["code"], known["link_id"]) == ("duplicate", made["id"])


def with_address(organiser, fair, email="bela@example.org"):
    """Give the contact of the exhibitor an address, and return the path of its access."""
    organiser.patch(f"/contacts/{fair.participant['contact_id']}", {"email": email}, status=200)
    return f"/participants/{fair.participant['id']}/link"


def test_the_contact_of_a_participant_gets_a_link_by_mail_and_keeps_it(organiser, fair, mail, db):
    fair.change(my_is_open=True, my_rights=["profile", "booth"])
    path = with_address(organiser, fair)
    made = organiser.post(path, {}, status=201).json["data"]
    assert made["url"].startswith("http") and made["mailed_at"]
    assert (made["email"], made["rights"]) == ("bela@example.org", ["profile", "booth"])
    again = organiser.post(path, {}, status=200).json["data"]
    assert (again["id"], again["url"]) == (made["id"], None)
    mails = "SELECT recipient FROM mails WHERE kind = 'link'"
    assert db.connection.execute(mails).fetchall() == [("bela@example.org",)] * 2
    quiet = organiser.post(path, {"mail": False}, status=200).json["data"]
    assert quiet["id"] == made["id"] and len(db.connection.execute(mails).fetchall()) == 2
    assert len(organiser.data("/links")) == 1


def test_access_is_refused_as_the_link_would_be(organiser, fair, mail, settings, monkeypatch):
    path = f"/participants/{fair.participant['id']}/link"
    organiser.patch(f"/contacts/{fair.participant['contact_id']}", {"email": None}, status=200)

    def refused():
        found = organiser.post(path, {}, status=409).json
        return found["code"], found.get("missing")

    assert refused() == ("link_incomplete", ["email"])
    with_address(organiser, fair)
    assert refused() == ("page_incomplete", ["my_is_open"])
    assert organiser.data("/links") == []  # nothing is left of a refused one
    fair.change(my_is_open=True)
    monkeypatch.setattr(settings, "smtp_host", None)
    assert refused() == ("mail_not_configured", None)
    made = organiser.post(path, {"mail": False}, status=201).json["data"]
    ended = {"expires_at": "2020-01-01T00:00:00Z"}
    organiser.patch(f"/links/{made['id']}", ended, status=200)
    assert refused() == ("invalid_transition", None)
    organiser.post("/participants/999/link", {}, status=404)


def test_access_that_the_office_has_revoked_stays_revoked(organiser, fair, settings):
    path = with_address(organiser, fair)
    ids, body = [fair.participant["id"]], {"mail": False}
    made = organiser.post(path, body, status=201).json["data"]
    organiser.post(f"/links/{made['id']}/revoke", {}, status=200)
    revoked_at = organiser.data(f"/links/{made['id']}")["revoked_at"]
    revoked_on = times.local_date(revoked_at, settings.timezone)
    refused = organiser.post(path, body, status=409).json
    assert (refused["code"], refused["revoked_on"]) == ("link_revoked", revoked_on)
    batch = {"action": "link", "ids": ids, **body}
    [result] = organiser.post("/participants/batch", batch, status=200).json["data"]["results"]
    assert (result["status"], result["code"]) == (409, "link_revoked")
    assert [row["status"] for row in organiser.data("/links")] == ["revoked"]

    again = organiser.make("/links", {"kind": "participant", "participant_id": ids[0]})
    found = organiser.post(path, body, status=200).json["data"]
    assert found["id"] == again["id"]


def test_a_link_that_is_taken_back_leaves_its_address_as_it_was(organiser, fair):
    path, body = with_address(organiser, fair), {"mail": False}
    again = {"kind": "participant", "participant_id": fair.participant["id"]}

    def revoke(link, **how):
        return organiser.post(f"/links/{link['id']}/revoke", how, status=200).json["data"]

    # an address that was open stays open
    made = organiser.post(path, body, status=201).json["data"]
    assert revoke(made, undo=True)["ended_by"] == "undo"
    made = organiser.post(path, body, status=201).json["data"]
    # one that the office has closed is closed again, however often its next link is taken back
    revoke(made)
    for _ in range(2):
        made = organiser.make("/links", again)
        revoke(made, undo=True, all=True)
        assert organiser.post(path, body, status=409).json["code"] == "link_revoked"
    # what the office has revoked cannot be taken back
    made = organiser.make("/links", again)
    revoke(made)
    assert revoke(made, undo=True)["ended_by"] == "office"
    assert organiser.post(path, body, status=409).json["code"] == "link_revoked"


def test_access_needs_the_scopes_of_its_rights(organiser, person, fair):
    fair.change(my_rights=["profile", "invoices"])
    path, body = with_address(organiser, fair), {"mail": False}
    assert person("links").post(path, body, status=403).json["scope"] == "invoices"
    able = person("links participants invoices")
    assert able.post(path, body, status=201).json["data"]["email"] == "bela@example.org"
    # and those of the link that exists
    fair.change(my_rights=["profile"])
    poor = person("links participants")
    assert poor.post(path, body, status=403).json["scope"] == "invoices"


def test_many_exhibitors_get_access_at_once(organiser, fair, mail):
    fair.change(my_is_open=True)
    path = with_address(organiser, fair)
    nobody = fair.exhibitor("Nobody")["id"]
    ids = [fair.participant["id"], nobody]
    organiser.patch(
        f"/contacts/{organiser.data(f'/participants/{nobody}')['contact_id']}",
        {"email": None},
        status=200,
    )
    batch = {"action": "link", "ids": ids}
    tried = organiser.post("/participants/batch", {**batch, "dry_run": True}, status=200).json
    assert (tried["data"]["done"], tried["data"]["refused"]) == (1, 1)
    assert organiser.data("/links") == []
    done = organiser.post("/participants/batch", batch, status=200).json["data"]["results"]
    assert [(each["status"], each.get("code")) for each in done] == [
        (201, None),
        (409, "link_incomplete"),
    ]
    assert done[0]["data"]["url"].startswith("http")
    assert organiser.post(path, {}, status=200).json["data"]["id"] == done[0]["data"]["id"]


def test_fields_that_do_not_belong_to_the_kind_are_named(organiser, fair):
    def pointers(**fields):
        found = organiser.post("/links", fields, status=422).json["errors"]
        return sorted((fault["pointer"], fault["code"]) for fault in found)

    assert pointers(
        kind="participant", application_id=1, station="West", rights=["search"], name="A"
    ) == [
        ("/application_id", "not_for_kind"),
        ("/participant_id", "required"),
        ("/rights/0", "not_for_kind"),
        ("/station", "not_for_kind"),
    ]
    assert pointers(kind="door", event_key="fair") == [("/name", "required")]
    assert pointers(kind="participant", participant_id=999) == [("/participant_id", "unknown")]
    assert pointers(kind="door", event_key="fair", name="W", expires_at="2199-01-01T00:00:00Z") == [
        ("/expires_at", "out_of_range")
    ]


def test_a_door_has_devices_and_a_station(organiser, fair):
    made = organiser.make(
        "/links",
        {
            "kind": "door",
            "event_key": "fair",
            "name": "West",
            "station": "West",
            "rights": ["search"],
        },
    )
    assert (made["devices"], made["station"], made["rights"]) == (5, "West", ["search"])


@pytest.mark.parametrize(
    ("right", "scope"),
    [
        ("profile", "participants"),
        ("badges", "participants"),
        ("submissions", "submissions"),
        ("booth", "booths"),
        ("orders", "service_orders"),
        ("contract", "documents"),
        ("invoices", "invoices"),
    ],
)
def test_a_key_hands_out_only_what_it_may_do_itself(person, organiser, fair, make, right, scope):
    """A key makes, shows and changes no link with a right whose scope it lacks. It can revoke each."""
    body = {
        "kind": "participant",
        "participant_id": fair.participant["id"],
        "name": "Eve",
        "rights": [right],
    }
    narrow = person("links" if scope == "participants" else "links participants")
    refused = narrow.post("/links", body, status=403).json
    assert (refused["code"], refused["scope"]) == ("insufficient_scope", scope)
    made = person(f"links participants {scope}").post("/links", body, status=201).json["data"]
    for action in ("mail", "show", "rotate"):
        assert narrow.post(f"/links/{made['id']}/{action}", status=403).json["scope"] == scope
    narrow.patch(f"/links/{made['id']}", {"expires_at": "2027-06-01T00:00:00Z"}, status=403)
    narrow.patch(f"/links/{make(rights=[])['id']}", {"rights": [right]}, status=403)
    narrow.post(f"/links/{made['id']}/revoke", status=200)


def test_a_link_of_a_participant_without_rights_needs_the_scope_participants(person, fair):
    """Its first page shows who takes part."""
    body = {
        "kind": "participant",
        "participant_id": fair.participant["id"],
        "name": "Eve",
        "rights": [],
    }
    assert person("links").post("/links", body, status=403).json["scope"] == "participants"
    person("links participants").post("/links", body, status=201)


def test_links_need_their_scope_and_feature(person, db, organiser, fair, make):
    every = SCOPES.replace(" links", "")
    person(every).get("/links", status=403)
    person("links:read").get("/links", status=200)
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = 'pages'")
    refused = organiser.post(
        "/links", {"kind": "participant", "participant_id": fair.participant["id"]}, status=403
    )
    assert refused.json["code"] == "feature_disabled"


def test_a_link_is_shown_again_rotated_and_revoked(app, organiser, db, fair, make):
    def status(url):
        return app.get(
            url.replace("http://localhost:80", ""),
            headers={"Accept": "text/html"},
            expect_errors=True,
        ).status_int

    made = make()
    again = organiser.post(f"/links/{made['id']}/show", status=200).json["data"]
    assert again["url"] != made["url"] and status(made["url"]) == status(again["url"]) == 200
    fresh = organiser.post(f"/links/{made['id']}/rotate", status=200).json["data"]
    assert [status(each["url"]) for each in (made, again, fresh)] == [404, 404, 200]
    organiser.delete(f"/links/{made['id']}?erase=1", status=204)
    stored = organiser.data(f"/links/{made['id']}")
    assert (stored["status"], stored["name"], stored["email"]) == ("revoked", None, None)
    assert status(fresh["url"]) == 404
    for action in ("show", "rotate", "mail"):
        assert (
            organiser.post(f"/links/{made['id']}/{action}", status=409).json["code"]
            == "invalid_transition"
        )
    assert organiser.patch(f"/links/{made['id']}", {"name": "X"}, status=409)
    actions = [entry["action"] for entry in organiser.data("/audit-log?entity_type=link")]
    assert actions == ["revoked", "rotated", "shown", "created"]
    sent = db.connection.execute(
        "SELECT name, data FROM outgoing_events WHERE entity_type = 'link'"
    ).fetchall()
    assert [name for name, _ in sent] == ["link.created", "link.rotated", "link.revoked"]
    assert not any("anna" in data.lower() or "evl_" in data for _, data in sent)


def test_a_link_stays_that_of_its_person(organiser, fair, make):
    made = make()
    read = organiser.data(f"/links/{made['id']}")
    assert organiser.patch(f"/links/{made['id']}", read, status=200).json["data"] == read
    for name, other in {
        "kind": "door",
        "event_id": 999,
        "event_key": "other",
        "participant_id": 999,
        "application_id": 1,
        "email": "eve@rosen.example",
        "station": "West",
    }.items():
        found = organiser.patch(f"/links/{made['id']}", {**read, name: other}, status=422).json[
            "errors"
        ]
        assert [(entry["pointer"], entry["code"]) for entry in found] == [(f"/{name}", "fixed")]
    for name in ("name", "rights"):
        found = organiser.patch(f"/links/{made['id']}", {name: None}, status=422).json["errors"]
        assert [(entry["pointer"], entry["code"]) for entry in found] == [(f"/{name}", "type")]
    assert organiser.data(f"/links/{made['id']}") == read


def test_a_change_needs_the_present_state(organiser, fair, make):
    made = make()
    tag = organiser.get(f"/links/{made['id']}").headers["ETag"]
    organiser.patch(f"/links/{made['id']}", {"name": "Bela"}, status=200, headers={"If-Match": tag})
    organiser.patch(f"/links/{made['id']}", {"name": "Carl"}, status=412, headers={"If-Match": tag})
    changed = organiser.patch(
        f"/links/{made['id']}", {"expires_at": "2020-01-01T00:00:00Z"}, status=200
    ).json["data"]
    assert changed["status"] == "expired"
    changed = organiser.patch(f"/links/{made['id']}", {"expires_at": None}, status=200).json["data"]
    assert changed["status"] == "active"


def test_mailing_needs_an_address_an_open_page_and_a_mail_server(
    organiser, db, fair, make, mail, monkeypatch
):
    made = make()
    refused = organiser.post(f"/links/{made['id']}/mail", status=409).json
    assert (refused["code"], refused["missing"]) == ("page_incomplete", ["my_is_open"])
    fair.change(my_is_open=True)
    for _ in range(5):
        assert organiser.post(f"/links/{made['id']}/mail", status=202).json["data"]["mailed_at"]
    organiser.post(f"/links/{made['id']}/mail", status=429)
    nobody = organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": fair.participant["id"],
            "name": "A",
            "rights": list(RIGHTS),
        },
    )
    assert (
        organiser.post(f"/links/{nobody['id']}/mail", status=409).json["code"] == "link_incomplete"
    )
    monkeypatch.setattr(db.config, "smtp_host", "")
    other = make(email="b@example.org")
    assert (
        organiser.post(f"/links/{other['id']}/mail", status=409).json["code"]
        == "mail_not_configured"
    )


def test_many_links_are_made_mailed_and_revoked_at_once(organiser, fair, mail):
    fair.change(my_is_open=True)
    ids = [fair.exhibitor(f"Company {number}")["id"] for number in range(3)]
    done = organiser.post(
        "/links/batch",
        {
            "action": "create",
            "items": [
                {
                    "kind": "participant",
                    "participant_id": id,
                    "name": "A",
                    "email": f"{id}@example.org",
                }
                for id in (*ids, 999)
            ],
        },
        status=200,
    ).json["data"]
    assert (done["done"], done["refused"]) == (3, 1)
    links = [result["data"]["id"] for result in done["results"][:3]]
    mailed = organiser.post("/links/batch", {"action": "mail", "ids": links}, status=200).json[
        "data"
    ]
    revoked = organiser.post("/links/batch", {"action": "revoke", "ids": links}, status=200).json[
        "data"
    ]
    assert mailed["done"] == revoked["done"] == 3
    assert {link["status"] for link in organiser.data("/links?is_revoked=1")} == {"revoked"}


def test_the_rights_are_those_of_the_schemas():
    link = document("link")["properties"]["rights"]["items"]["enum"]
    pages = document("event_pages")["properties"]["my_rights"]
    assert link == [*RIGHTS, "search"] and rights.SCOPES.keys() == set(link)
    assert pages["items"]["enum"] == pages["default"] == list(RIGHTS)
    assert rights.FLAGS.keys() <= set(RIGHTS)
