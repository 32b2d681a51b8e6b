"""Who gets into the office, and what nobody can do there."""

import re
from datetime import datetime, timedelta

import pytest

from eventapi import app as application
from eventapi import times
from eventapi.domain.access import api_keys, people
from eventapi.domain.access import sessions as sessions_of_desk
from eventapi.domain.upkeep import housekeeping
from eventapi.pages.desk import actions, batches, kinds
from eventapi.plugins import sessions
from eventapi.storage.errors import mark_damaged
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.support import own_script
from tests.support.client import SCOPES, add_key

PAGES = (
    "applications",
    "exhibitors",
    "hall",
    "money",
    "money/bank",
    "money/bank/rules",
    "money/dunning",
    "money/payments",
    "money/letters",
    "money/to_print",
    "search",
    "setup",
    "tasks",
    "help",
    "visitors",
    "print/door",
    "contacts",
    "print/halls",
    "hall/holds",
    "hall/booths",
    "exhibitors/submissions",
    "exhibitors/orders",
    "exhibitors/new",
    "visitors/new",
)


@pytest.fixture
def link(app, db, organiser):
    """Return a function that makes a one-time link, and returns (Visitor, secret)."""

    def made(scopes=None, minutes=15):
        with db.write():
            secret = people.make_link(db, db.value(api_keys.sql.first_admin), scopes, minutes)
        return Visitor(app), secret

    return made


def later(monkeypatch, **age):
    now = times.text(datetime.fromisoformat(times.now()) + timedelta(**age))
    monkeypatch.setattr(times, "now", lambda: now)


def test_a_link_signs_in_once(link, app):
    visitor, secret = link()
    assert visitor.sign_in(secret).headers["Location"].endswith("desk/")
    assert "To do" in visitor.get("/desk/")
    Visitor(app).sign_in(secret, status=404)


def test_a_link_signs_in_for_some_minutes(link, monkeypatch):
    visitor, secret = link(minutes=20)
    later(monkeypatch, minutes=21)
    visitor.sign_in(secret, status=404)


def test_a_link_without_scopes_only_reads(link, fair):
    visitor, secret = link()
    visitor.sign_in(secret)
    page = visitor.get(f"/desk/applications/{fair.application['id']}")
    assert "Tulpen GmbH" in page and "Approve" not in page and "Reject" not in page
    assert "“applications”" in visitor.get(
        f"/desk/do/reject_application/{fair.application['id']}", 403
    )
    refused = visitor.submit(
        page, f"/desk/do/reject_application/{fair.application['id']}", {"reason": "x"}, 403
    )
    assert "“applications”" in refused


def test_what_a_link_does_is_audited_with_the_person(link, fair, organiser):
    visitor, secret = link(SCOPES.split())
    visitor.sign_in(secret)
    page = visitor.get(f"/desk/applications/{fair.application['id']}")
    visitor.submit(
        page, f"/desk/do/waitlist_application/{fair.application['id']}", {"back": "applications"}
    )
    entry = organiser.data("/audit-log?entity_type=application")[0]
    assert (entry["action"], entry["admin_name"], entry["api_key_id"]) == (
        "waitlisted",
        "Ada Lovelace",
        None,
    )


def test_a_wrong_key_opens_nothing(app, organiser):
    visitor = Visitor(app)
    page = sign_in(visitor, "evk_wrong", 401)
    assert "not valid" in page and "Set-Cookie" not in page.headers
    visitor.get("/desk/", 303)


@pytest.mark.parametrize("scopes", ["applications:create", "public", "applications:create public"])
def test_the_key_of_a_web_page_opens_nothing(app, db, organiser, scopes):
    page = sign_in(Visitor(app), add_key(db, scopes), 403)
    assert "everybody can read" in page and "Set-Cookie" not in page.headers


def test_a_form_of_another_site_is_refused(app, organiser):
    visitor = Visitor(app)
    token = re.search(r'name="token" value="([^"]+)"', visitor.get("/desk/sign-in").text)[1]
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        visitor.post("/desk/sign-in", {"token": token, "key": organiser.key}, 403, headers)
    visitor.post("/desk/sign-in", {"token": "1.2.3", "key": organiser.key}, 403)


def test_a_forged_form_token_is_refused(office, fair, organiser):
    address = f"/desk/do/waitlist_application/{fair.application['id']}"
    for token in ("", "forged", "A" * 43 + "="):
        office.post(address, {"form_token": token, "back": ""}, 403)
    office.post(address, {}, 403)
    assert organiser.data(f"/applications/{fair.application['id']}")["status"] == "new"


def test_the_token_of_another_person_is_refused(desk, fair):
    page = desk(name="Eve").get("/desk/applications")
    desk().submit(page, f"/desk/do/waitlist_application/{fair.application['id']}", {}, 403)


def test_a_page_without_its_scope_is_refused_and_named(desk, fair):
    visitor = desk("events:read")
    home = visitor.get("/desk/")
    assert "Money" not in home and "Applications" not in home
    page = visitor.get("/desk/applications", 403)
    assert "applications" in page


def test_a_key_that_is_revoked_ends_its_session(desk, db, fair):
    visitor = desk()
    visitor.get("/desk/")
    with db.write():
        api_keys.revoke_key(db, max(row["id"] for row in api_keys.keys(db)))
    visitor.get("/desk/", 303)


def test_an_admin_who_is_disabled_has_no_session_of_a_link(link, db):
    visitor, secret = link()
    visitor.sign_in(secret)
    visitor.get("/desk/")
    with db.write():
        people.disable(db, db.value(api_keys.sql.first_admin))
    visitor.get("/desk/", 303)


def test_a_session_ends_after_twelve_hours_without_use(desk, fair, monkeypatch):
    visitor = desk()
    later(monkeypatch, hours=11)
    visitor.get("/desk/")
    later(monkeypatch, hours=13)
    assert visitor.get("/desk/", 303).headers["Location"] == "../desk/sign-in"


def test_a_session_ends_after_a_week_in_any_case(desk, fair, monkeypatch):
    visitor = desk()
    for _ in range(7 * 3 + 1):
        later(monkeypatch, hours=8)
        last = visitor.get("/desk/", "*")
    assert last.status_int == 303


def test_a_session_is_ended_by_the_administrator_and_by_signing_out(desk, db, fair):
    visitor, other = desk(), desk(name="Eve")
    with db.write():
        assert [row["admin_name"] for row in sessions_of_desk.at_desk(db)] == [
            "Ada Lovelace",
            "Eve",
        ]
        sessions_of_desk.end_by_id(db, sessions_of_desk.at_desk(db)[0]["id"])
    visitor.get("/desk/", 303)
    other.submit(other.get("/desk/"), "/desk/sign-out", status=200)
    other.get("/desk/", 303)
    assert sessions_of_desk.at_desk(db) == []


def test_the_desk_is_a_feature(office, db):
    with db.write():
        api_keys.set_flag(db, "desk", False)
    office.get("/desk/", 404)


def test_buttons_are_a_list_without_keys_and_files():
    """A desk session makes no keys, admins or links of the desk, and nothing that a page does not
    show. It merges contacts on a page of their own.
    """
    allowed = {
        *actions.buttons(),
        *(batch.run for batch in batches.offered().values()),
        *(
            f"{verb}_{kind.handler}"
            for kind in kinds.KINDS.values()
            for verb in ("create", "update", "delete")
        ),
    }
    assert not {name for name in allowed for word in ("webhook", "key", "merge") if word in name}


def test_what_is_no_button_does_not_exist(office, fair):
    for name in ("merge_contact", "create_webhook", "list_contacts", "x"):
        office.get(f"/desk/do/{name}/1", 404)
    page = office.get("/desk/applications")
    office.submit(page, f"/desk/do/merge_contact/{fair.contact['id']}", {}, 404)
    office.get("/desk/edit/webhooks", 404)
    office.submit(page, "/desk/batch/contacts/delete", {}, 404)


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "../../x", "javascript:x", "a//b", "x\r\ny"]
)
def test_the_way_back_stays_within_the_desk(office, fair, back):
    page = office.get(f"/desk/applications/{fair.application['id']}")
    answer = office.submit(
        page, f"/desk/do/review_application/{fair.application['id']}", {"back": back}
    )
    assert answer.headers["Location"] == "../../../desk/?done=review_application&of=applications/1"


def test_every_page_refuses_without_a_session(app, organiser):
    for route in application.routes():
        if route.path.startswith("/desk") and not route.path.startswith("/desk/sign-in"):
            path = (
                route.path.replace("<name>", "events")
                .replace("<resource>", "invoices")
                .replace("<action>", "send")
            )
            path = path.replace("<id>", "1").replace("<item_id>", "1")
            sent = {"body": b"form_token=x", "content_type": "application/x-www-form-urlencoded"}
            answer = Visitor(app).app.request(
                path,
                method=route.method,
                headers={"Accept": "text/html"},
                status="*",
                **(sent if route.method == "POST" else {}),
            )
            assert answer.status_int in (303, 403, 415), f"{route.method} {path}: {answer.status}"
            location = answer.headers.get("Location", "")
            assert answer.status_int != 303 or "desk/sign-in" in location.partition("?")[0]


def test_what_was_typed_is_kept_when_the_session_has_ended(desk, fair, monkeypatch):
    visitor = desk()
    page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    later(monkeypatch, hours=13)
    fields = {
        "entity_type": "contact",
        "entity_id": "1",
        "note_text": "An hour of typing",
        "back": "",
    }
    assert "An hour of typing" in visitor.submit(page, "/desk/do/create_note", fields, 403)


def test_pages_are_not_kept_and_allow_no_foreign_script(office, fair):
    for path in (
        "",
        *PAGES,
        f"applications/{fair.application['id']}",
        f"exhibitors/{fair.exhibitor['id']}",
        f"booths/{fair.booths[0]['id']}",
        f"contacts/{fair.contact['id']}",
        "setup/website",
        "setup/visitors",
    ):
        page = office.get(f"/desk/{path}")
        assert (
            page.headers["Cache-Control"] == "no-store"
            and page.headers["X-Robots-Tag"] == "noindex"
        )
        assert (
            page.headers["Referrer-Policy"] == "same-origin"
            and page.headers["Content-Encoding"] == "identity"
        )
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
        assert "evs_" not in page and "evk_" not in page and "style=" not in page
        assert scripts(page) == []


def test_texts_of_strangers_are_escaped(office, organiser, fair):
    evil = '"><script>alert(1)</script>'
    id = organiser.make(
        "/applications", {"event_keys": ["fair"], "company_name": evil, "message": evil}
    )["id"]
    for path in (
        "/desk/applications",
        f"/desk/applications/{id}",
        "/desk/search?q=script",
        f"/desk/edit/applications/{id}",
    ):
        assert scripts(office.get(path)) == []


def scripts(page):
    """Return the scripts of a page but the one of the pages themselves."""
    return re.findall(r"<script[^>]*>", own_script.without(page.text))


def test_a_silent_worker_and_a_damaged_database_are_told(office, organiser, fair, db):
    assert "The background service is silent" in office.get("/desk/")
    housekeeping.record_heartbeat(db)
    assert "silent" not in office.get("/desk/")
    mark_damaged(db.config.database, "for the test")
    page = office.get(f"/desk/applications/{fair.application['id']}")
    assert "The database is damaged" in page
    refused = office.submit(page, f"/desk/do/review_application/{fair.application['id']}", {}, 503)
    assert "cannot store anything" in refused


def test_a_session_sends_sixty_forms_in_a_minute(office, desk, fair, monkeypatch):
    monkeypatch.setattr(sessions.time, "monotonic", lambda: 120.5)
    page, fields = office.get("/desk/edit/categories"), {"title": "", "color": "typed"}
    for _ in range(60):
        office.submit(page, "/desk/edit/categories", fields, 422)
    refused = office.submit(page, "/desk/edit/categories", fields, 429)
    assert "Please wait a minute" in refused and 'value="typed"' in refused
    other = desk(name="Eve")
    other.submit(other.get("/desk/edit/categories"), "/desk/edit/categories", fields, 422)
    monkeypatch.setattr(sessions.time, "monotonic", lambda: 180.5)
    office.submit(page, "/desk/edit/categories", fields, 422)


def test_the_desk_has_one_host(office, fair, settings, monkeypatch):
    """A client on this machine may use any name; one elsewhere is led to base_url, and its forms
    are refused.
    """
    monkeypatch.setattr(settings, "base_url", "https://office.example")
    page = office.get("/desk/edit/categories")
    remote = {"REMOTE_ADDR": "192.0.2.7"}
    for path in ("/desk/?event=fair", "/desk/sign-in", "/link/evl_x"):
        answer = office.get(path, 308, extra_environ=remote)
        assert answer.headers["Location"] == f"https://office.example{path}"
    office.app.extra_environ.update(remote)
    office.submit(page, "/desk/edit/categories", {"title": "Tools"}, 403)
    office.app.extra_environ["HTTP_HOST"] = "office.example"
    # the cookie is that of another host
    assert office.get("/desk/", 303).headers["Location"] == "../desk/sign-in"


def test_a_chosen_language_is_kept(office, fair):
    assert "Zu tun" in office.get("/desk/?language=de")
    assert "Anmeldungen" in office.get("/desk/applications")
