"""What the pages of the desk show: never more than GET shows to the same key.

Every page is opened in the show of tests/web/test_leaks.py, whose texts name the field that they
are from, and compared with SEES, the fields that the specification gives to each scope.
"""

import re
from types import SimpleNamespace

import pytest

from eventapi import app as application
from eventapi.pages.desk import actions, batches, kinds
from eventapi.plugins import sessions
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import sign_in
from tests.support.batches import follow
from tests.support.client import SCOPES, add_key
from tests.support.shared_app import SharedApp
from tests.web.test_leaks import SEES, Visit, text_of

# The desk names its shows to everybody who may sign in.
EVERYBODY = {
    f"{event}.{field}"
    for event in ("event", "hidden_event", "closed_event")
    for field in ("title", "event_key")
}
BOOTH = "held_booth.booth_number"
# What the records of `extend` add to SEES: the checklist of a participant names what it lacks.
MORE = {"booths": {BOOTH}, "participants": {"file_type.title"}}
# The export of a contact has its links, and needs every other scope: as over the API.
EXPORTED = {"link.name", "link.email"}
UNUSED = "newsletter"  # no page of the desk needs this scope
OF_PERSONS = ("account", "team")  # what a session of a key lacks, whatever its scopes
# Kind of record in the path of a page -> the planted record.
RECORDS = {
    "applications": "application",
    "exhibitors": "participant",
    "badges": "participant",
    "booths": "booth",
    "contacts": "contact",
    "invoices": "invoice",
    "hall/layout": "plan",
    "settings": "event",
    "links": "link",
    "submissions": "file_submission",
}
# Query that makes a page show more -> pages.
SEARCHES = (
    "search?q={name}",
    "booths/{booth}?q={name}",
    "exhibitors?q={name}",
    "applications?q={name}",
    "money?q={name}&all=1",
    "money?show=all&all=1",
    "money/bank?show=ignored",
    "exhibitors?show=unready",
    "tasks?show=completed",
    "applications?lacks=page",
    "applications/{gap}",
    "applications/{same}",
    "search?q={badge}",
    "search?q={number}",
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory, template):
    with (
        pytest.MonkeyPatch.context() as patch,
        SharedApp(tmp_path_factory.mktemp("desk_reading"), template) as app,
    ):
        patch.setattr(
            "eventapi.domain.webhooks.addresses.lookup", lambda host, port: ["93.184.216.34"]
        )
        patch.setattr(sessions, "PER_MINUTE", 1_000_000)
        visit = Visit(app)
        extend(app, visit.show)
        yield SimpleNamespace(app=app, show=visit.show, expanded=visit.expanded, visitors={})


def extend(app, show):
    """Make what only pages of the desk show: a held booth, an application that lacks its page, and
    one with the address of a contact.
    """
    settings, client, made = app.app.app.settings, app.organiser, show.made
    settings.base_url, settings.smtp_host = "https://shows.example.org", "localhost"
    settings.smtp_sender = "office@example.org"
    client.patch(
        f"/events/{made['event']['id']}/pages", {"is_public": True, "my_is_open": True}, status=200
    )
    booth = show.another("booth", booth_number=show.mark(BOOTH), pos_x=90, status="available")
    client.make(
        "/booth-reservations",
        {
            "booth_id": booth["id"],
            "event_participant_id": made["participant"]["id"],
            "final_price": 5,
        },
    )
    body = {
        **show.bodies["application"],
        "event_keys": [made["event"]["event_key"]],
        "category_keys": [made["category"]["category_key"]],
    }
    one, other = (
        show.another("contact", customer_number=f"C-{name}", external_id=f"E-{name}", **values)
        for name, values in (("one", {}), ("other", {"email": "same@rosen.example"}))
    )
    client.make("/participants", {"event_key": made["event"]["event_key"], "contact_id": one["id"]})
    made["gap_application"] = client.make("/applications", body)
    client.post(
        f"/applications/{made['gap_application']['id']}/approve",
        {"contact_id": one["id"]},
        status=200,
    )
    made["same_application"] = client.make("/applications", {**body, "email": other["email"]})


def pages(planted):
    """Return the addresses of all GET routes of the desk below /desk/, for the planted records."""
    made, found = planted.show.made, []
    for route in application.routes():
        path = route.path.removeprefix("/desk").removeprefix("/")
        if (
            route.method != "GET"
            or not route.path.startswith("/desk")
            or path in ("sign-in", "people")
        ):
            continue
        if path.startswith("do/"):
            found += [path.replace("<name>", name) for name in actions.buttons()]
        elif path.startswith("edit/"):
            found += [
                with_id(path.replace("<name>", name), made[singular(name)]["id"])
                for name in kinds.KINDS
            ]
        elif path == "setup/<page>":
            found += [f"setup/{page}" for page in (*kinds.PAGES, *kinds.LISTS)]
        elif path.startswith("batch/"):
            found += [f"batch/{noun}/{word}" for noun, word in batches.offered()]
        elif path.startswith("links/"):
            found += [
                with_id(path, made["link"]["id"]).replace("<what>", what)
                for what in ("show", "rotate")
            ]
        else:
            name = next(
                (name for prefix, name in RECORDS.items() if path.startswith(f"{prefix}/<id>")),
                None,
            )
            found.append(with_id(path, made[name]["id"] if name else 1))
    values = {
        "name": planted.show.mark("contact.company_name"),
        "booth": made["booth"]["id"],
        "gap": made["gap_application"]["id"],
        "same": made["same_application"]["id"],
        "badge": made["participant"]["badge_number"],
        "number": made["booth"]["booth_number"],
    }
    return sorted(
        {with_id(path, 1) for path in found} | {search.format(**values) for search in SEARCHES}
    )


def singular(name):
    """Return the name of the planted record of a kind of the forms."""
    return {"profiles": "participant"}.get(name, kinds.KINDS[name].schema)


def with_id(path, id):
    return path.replace("<id>", str(id)).replace("<item_id>", "1")


def visitor(planted, scopes):
    """Return somebody at the desk with these scopes, who stays signed in."""
    if scopes not in planted.visitors:
        found = planted.visitors[scopes] = Visitor(planted.app.app)
        sign_in(found, add_key(planted.app.db, " ".join(scopes)))
    return planted.visitors[scopes]


def allowed(planted, scopes):
    """Return the fields that GET shows to a key with these scopes."""
    return EVERYBODY.union(
        *(planted.expanded(SEES[scope]) | MORE.get(scope, set()) for scope in scopes)
    )


def opened(planted, scopes, page):
    """Open a page with these scopes. Return (response, the fields on it that they do not give).

    What the address itself contains is left out.
    """
    address = (
        f"/desk/{page}{'&' if '?' in page else '?'}event={planted.show.made['event']['event_key']}"
    )
    answer = visitor(planted, frozenset(scopes)).get(address, "*")
    assert answer.status_int in (200, 303, 308, 403, 404, 422), f"{page}: {answer.status}"
    return answer, sorted(
        fields(planted, answer) - allowed(planted, scopes) - planted.show.fields_in(page)
    )


def fields(planted, answer):
    return planted.show.fields_in(text_of(answer.body))


def scopes_that_open(planted, page):
    """Return the scopes that a page asks for one after the other until it opens.

    A page of the own account, or of the team, opens for no key.
    """
    scopes = []
    while (answer := opened(planted, scopes or [UNUSED], page)[0]).status_int == 403:
        lacking = re.search("You lack the right “([a-z_-]+)(?::read)?”", answer.text)[1]
        if lacking in OF_PERSONS:
            break
        scopes.append(lacking)
    return scopes


def test_the_show_has_what_the_desk_could_show(planted):
    """Otherwise the tests below would find nothing."""
    shown = {
        page: fields(planted, opened(planted, SCOPES.split(), page)[0])
        for page in (
            "print/halls",
            "exhibitors",
            *(
                f"applications/{planted.show.made[name]['id']}"
                for name in ("gap_application", "same_application")
            ),
        )
    }
    halls, exhibitors, gap, same = shown.values()
    assert {"contact.mobile", "contact.phone", "contact.company_name"} <= halls
    assert BOOTH in exhibitors and "contact.email" in gap and "contact.company_name" in same


def test_a_page_shows_no_more_than_the_scopes_that_just_open_it_give(planted):
    """Those that it asks for, and each scope alone."""
    wrong = {}
    for page in pages(planted):
        asked = scopes_that_open(planted, page)
        for scopes in {tuple(asked), *((scope,) for scope in SCOPES.split())} - {()}:
            more = set(opened(planted, scopes, page)[1])
            if page.endswith("/export"):
                more -= EXPORTED
            if more:
                wrong[page, scopes] = more
    assert wrong == {}


@pytest.mark.parametrize("noun, word", batches.offered())
def test_the_trial_of_a_batch_shows_no_more_than_its_scopes_give(planted, noun, word):
    name = {"applications": "same_application", "participants": "participant"}.get(
        noun, noun[:-1].replace("-", "_")
    )
    wrong, tried = {}, 0
    for scopes in [(scope,) for scope in SCOPES.split()] + [SCOPES.split()]:
        person = visitor(planted, frozenset(scopes))
        answer = person.submit(
            person.get("/desk/"),
            f"/desk/batch/{noun}/{word}",
            {"ids": planted.show.made[name]["id"], "reason": "no"},
            "*",
        )
        if answer.status_int == 303:
            answer = follow(person, answer)
        if more := sorted(fields(planted, answer) - allowed(planted, scopes)):
            wrong[scopes] = more
        tried += answer.status_int == 200
    assert wrong == {} and tried


@pytest.mark.parametrize("scope", SCOPES.split())
def test_a_page_shows_nothing_that_needs_the_only_scope_that_is_missing(planted, scope):
    """The audit log shows whole records, so its scope is left out, too.

    The pages of forms show one record each, which the test above has looked at.
    """
    scopes = [each for each in SCOPES.split() if each not in (scope, "audit")]
    shown = [page for page in pages(planted) if not page.startswith(("do/", "edit/", "batch/"))]
    wrong = {page: more for page in shown if (more := opened(planted, scopes, page)[1])}
    assert wrong == {}


# Single pages


@pytest.mark.parametrize(
    "language, reason",
    [
        ("en", "The column “Mobile” is empty, because your key lacks the scope “contacts”."),
        ("de", "Die Spalte „Mobil“ ist leer, weil Ihrem Schlüssel das Recht „contacts“ fehlt."),
    ],
)
def test_the_printed_list_of_halls_has_mobile_numbers_with_the_scope_contacts_only(
    desk, organiser, fair, language, reason
):
    organiser.patch(
        f"/contacts/{fair.contact['id']}",
        {"phone": "+49 341 111", "mobile": "+49 170 222"},
        status=200,
    )
    held = organiser.make(
        "/booth-reservations",
        {
            "booth_id": fair.booths[0]["id"],
            "event_participant_id": fair.exhibitor["id"],
            "final_price": 5,
        },
    )
    organiser.post(f"/booth-reservations/{held['id']}/confirm", status=200)
    for scopes, shows in (
        ("booths:read participants:read", False),
        ("booths participants contacts:read", True),
    ):
        page = desk(scopes, language=language).get("/desk/print/halls")
        assert "Rosen KG" in page and "+49 341 111" in page
        assert ("+49 170 222" in page, reason not in page) == (shows, shows), scopes


def test_a_booth_that_is_only_held_is_named_with_the_scope_booths_only(desk, organiser, fair):
    organiser.make(
        "/booth-reservations",
        {
            "booth_id": fair.booths[1]["id"],
            "event_participant_id": fair.exhibitor["id"],
            "final_price": 5,
        },
    )
    for scopes, shows in (("participants:read", False), ("participants:read booths:read", True)):
        assert ('class="stand held">A2<' in desk(scopes).get("/desk/exhibitors")) == shows, scopes
