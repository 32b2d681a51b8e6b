"""What a key with one scope sees: every route is requested in a show whose texts name the field
that they are from.
"""

import shutil
import sqlite3
import subprocess
from collections import namedtuple
from fnmatch import fnmatchcase

import pytest

from eventapi.app import routes
from eventapi.domain.access.api_keys import ALL_SCOPES
from eventapi.domain.webhooks import addresses
from eventapi.storage.database import as_json
from eventapi.validation.schema_files import definition, document, query_schema, resolved
from tests.support.client import SCOPES, add_key
from tests.support.examples import ENTITIES, collections
from tests.support.planted import ENTITY_TYPES, FIXED, plant
from tests.support.shared_app import SharedApp

# Catalogue of the specification: path -> scopes. Below notes and bulk-import the scope depends on
# the kind of record.
CATALOGUE = {
    "events": "events",
    "contacts": "contacts",
    "participants": "participants",
    "applications": "applications",
    "categories": "categories",
    "invoices": "invoices",
    "payments": "payments",
    "booths": "booths",
    "booth-reservations": "booths",
    "plans": "plans",
    "services": "services",
    "service-orders": "service_orders",
    "documents": "documents",
    "submissions": "submissions",
    "tasks": "tasks",
    "check-ins": "checkins",
    "schedules": "schedules",
    "calendar-feed": "calendar-feed",
    "custom-fields": "custom_fields",
    "newsletter": "newsletter",
    "webhooks": "webhooks",
    "reports": "reports",
    "audit-log": "audit",
    "links": "links",
    "settings": "settings",
    "notes": "contacts applications participants invoices events",
    "bulk-import": "contacts participants",
}
# Routes with other scopes than their path.
FURTHER = {
    "GET /applications/events": "applications applications:create public",
    "POST /applications": "applications applications:create",
    "POST /participants/<id>/invoice": "invoices",
    "GET /contacts/<id>/export": "",  # needs all scopes
    # These need the scope of invoices as well.
    "GET /reports/datev": "",
    "GET /reports/datev/debtors": "",
    "GET /reports/ledger": "",
    "GET /reports/recapitulative": "",
    "GET /reports/ledger/<customer_number>": "",
    "POST /reports/periods/<month>/close": "",
    "POST /reports/periods/<month>/files": "",
    "GET /reports/audit-export": "",
}
# The contact, the event and the category as other records show them: parts that `include` adds
# without a scope.
PERSON = "contact.customer_number contact.company_name contact.first_name contact.last_name "
REACHABLE = PERSON + "contact.email contact.phone "
EVENT, CATEGORY = "event.event_key event.title ", "category.category_key category.title "
OPEN_EVENT = (
    "booth_type.booth_type_key booth_type.booth_type_name booth_type.description "  # the sizes of its form
    "event.event_key event.title event.description event.venue event.address event.postal_code event.city "
    "event.state event.opening_hours.label "
    "event.website "
)
PLACE = ".title .description .venue .address .postal_code .city "
# With the names of the speakers of a slot.
FEED = (
    PLACE.replace(".", "event.")
    + PLACE.replace(".", "hidden_event.")
    + PLACE.replace(".", "closed_event.")
    + "contact.company_name contact.first_name contact.last_name "
    "schedule.title schedule.description schedule.location task.title calendar_subscription.name "
)
# scope -> all fields that GET shows to a key with this scope alone, from the specification, the
# reference and the contract. `contact.*` means every field of a contact.
SEES = {
    "events": "event.* hidden_event.* closed_event.* note_of_event.*",
    "contacts": "contact.* rejected.* note_of_contact.* " + EVENT + CATEGORY,
    "participants": "participant.* note_of_event_participant.* contact.city event.venue event.city "
    + REACHABLE
    + EVENT
    + CATEGORY
    + "booth.booth_number submission_type.title",  # what the checklist is waiting for
    "applications": "application.* note_of_application.* event.city " + OPEN_EVENT + CATEGORY,
    "categories": "category.*",
    # An invoice has the address of its buyer, and its lines name what was bought.
    "invoices": "invoice.* dunning_level.* note_of_invoice.* payment.* refund.* contact.invoice_email contact.address "
    "contact.postal_code contact.city contact.state contact.tax_id contact.leitweg_id contact.gln "
    "contact.electronic_address category.title booth.booth_number "
    "event.venue event.address event.postal_code event.city "
    "booth_type.booth_type_name service.service_name service.unit_label " + REACHABLE + EVENT,
    "payments": "payment.* refund.* bank_rule.*",
    "booths": "booth.* blocked_booth.* booth_type.* booth_formula.* booth_reservation.* plan.plan_name "
    + PERSON
    + EVENT,
    # The hall plan for the office names exhibitors and the reasons why booths are blocked.
    "plans": "plan.* booth.* blocked_booth.* booth_type.booth_type_key booth_type.booth_type_name "
    "contact.company_name event.city " + EVENT,
    "services": "service.* service_category.* event.event_key",
    "service_orders": "service_order.* service.service_key service.service_name service.unit event.event_key "
    + REACHABLE,
    # A generated document contains what its template names. Only keys with the scope of its record
    # can generate one.
    "documents": "document.* document_category.* document_template.* contact.address contact.postal_code contact.city "
    "contact.state contact.website contact.tax_id application.company_name application.first_name "
    "application.last_name application.email application.phone application.address "
    "application.postal_code application.city application.state application.website application.tax_id "
    "participant.badge_name participant.badge_number category.title event.venue event.address "
    "event.postal_code event.city booth.booth_number "
    "plan.plan_name invoice.items.description invoice.items.unit service.service_name service.unit "
    + REACHABLE
    + EVENT,
    # Attaching a document needs documents:read as well.
    "submissions": "submission.* submission_type.* file_type.* document.file document.filename event.event_key "
    + REACHABLE,
    # `include=entity` names the record that a task is about.
    "tasks": "task.* contact.customer_number contact.company_name application.company_name booth.booth_number "
    "booth_formula.name booth_type.booth_type_name category.title document.title plan.plan_name "
    "schedule.title service.service_name service_category.category_name submission_type.title "
    + EVENT,
    "checkins": "check_in.* refusal.* participant.badge_name participant.badge_number "
    + PERSON
    + EVENT
    + CATEGORY,
    "schedules": "schedule.* " + PERSON + EVENT,
    "calendar-feed": "calendar_subscription.* event.event_key " + FEED,
    "custom_fields": "custom_field.* contact.custom_fields application.custom_fields participant.custom_fields "
    "event.custom_fields booth.custom_fields submission.custom_fields",
    "newsletter": "newsletter_subscriber.*",
    "webhooks": "webhook.*",
    "links": "link.* event.event_key",
    "settings": "settings.*",
    "reports": "payment.gateway_key booth_type.booth_type_key booth_type.booth_type_name plan.plan_key plan.plan_name "
    "service.service_key service.service_name service_category.category_name check_in.station "
    "event.event_key",
    # Whole records, as they were written. Files, refused scans and rejected records are not
    # journalled.
    "audit": "contact.* application.* participant.* event.* hidden_event.* closed_event.* category.* invoice.* "
    "dunning_level.* bank_rule.* payment.* refund.* plan.* booth.* blocked_booth.* booth_type.* booth_formula.* "
    "booth_reservation.* "
    "service.* service_category.* service_order.* task.* schedule.* submission.* submission_type.* "
    "file_type.* check_in.* document.title document.filename document.metadata document.signer_name "
    "document_category.* document_template.* calendar_subscription.* custom_field.* "
    "newsletter_subscriber.email newsletter_subscriber.name webhook.* note_of_*",
    "applications:create": OPEN_EVENT,
    "public": OPEN_EVENT,
}
# What a document shows whose template names everything that a template can name: about a record of
# a participant, and about the applicant.
LETTER = (
    REACHABLE + "contact.address contact.postal_code contact.city contact.state contact.website "
    "contact.tax_id "
)
SHOW = EVENT + "event.venue event.address event.postal_code event.city "
PAPER = (
    LETTER
    + SHOW
    + "participant.badge_name participant.badge_number category.title booth.booth_number "
    "plan.plan_name "
)
APPLICANT = " ".join(
    field.replace("contact.", "application.") for field in LETTER.split() if "number" not in field
)
# Kind of record, the scope that generating a document about it needs, and the fields that the
# document shows.
GENERATED = [
    ("contact", "contacts", LETTER),
    ("application", "applications", APPLICANT + " " + SHOW),
    *(
        (kind, scope, PAPER)
        for kind, scope in (
            ("event_participant", "participants"),
            ("invoice", "invoices"),
            ("payment", "payments"),
            ("booth_reservation", "booths"),
            ("service_order", "service_orders"),
        )
    ),
    *(
        (kind, scope, SHOW)
        for kind, scope in (("event", "events"), ("plan", "plans"), ("booth", "booths"))
    ),
    *(
        (kind, scope, "")
        for kind, scope in (
            ("category", "categories"),
            ("task", "tasks"),
            ("submission", "submissions"),
            ("note", "events"),
            ("check_in", "checkins"),
            ("schedule", "schedules"),
            ("service", "services"),
        )
    ),
]
# Fields that no response shows but the one that creates them.
NEVER = {"webhook.headers", "secret.webhook", "secret.feed", "secret.key", "secret.link"}
# required parameters
ALWAYS = {
    "/schedules": "event_key={event}",
    "/check-ins/roster": "event_key={event}",
    "/check-ins/stats": "event_key={event}",
    "/participants/badges": "event_key={event}",
    "/invoices/print": "invoices=1",
    "/reports/datev": "year=2026",
    "/reports/recapitulative": "year=2026",
    "/notes": "entity_type=contact&entity_id=1",
}
VARIANTS = {
    "/plans/<id>/svg": ("view=public",),
    "/documents/<id>/content": ("version=sent",),
    "/categories": ("hierarchical=1",),
    "/notes": (
        "entity_type=event&entity_id=1",
        "entity_type=application&entity_id=1",
        "entity_type=event_participant&entity_id=1",
        "entity_type=invoice&entity_id=1",
    ),
}
# Records whose routes are requested besides the first one of their kind.
OTHERS = {
    "documents": "contract",
    "submissions": "file_submission",
    "notes": "note_of_contact note_of_event note_of_application note_of_event_participant note_of_invoice",
}
FORMS = (
    "application/json",
    "text/csv",
    "image/svg+xml",
    "application/pdf",
    "text/html",
    "application/octet-stream",
    "text/calendar",
)
API = [route for route in routes() if route.path.startswith("/api/v1/")]
PDFTOTEXT = shutil.which("pdftotext")
Seen = namedtuple("Seen", "status fields")


class Visit:
    """The planted show, with a key for each scope."""

    def __init__(self, app):
        self.app, self.show, self.keys = app, plant(app.organiser), {"": None}
        for scopes in (*ALL_SCOPES, *(f"documents {scope}:read" for scope in SCOPES.split())):
            self.keys[scopes] = add_key(app.db, scopes)
        self.show.literals.update(
            (key, "secret.key") for key in (*self.keys.values(), app.organiser.key) if key
        )
        self.copy = sqlite3.connect(":memory:")
        app.db.connection.backup(self.copy)

    def send(self, scopes, method, path, body=None, form="*/*"):
        """Return status and planted fields of a response.

        Fields that the request itself contains are left out.
        """
        headers = {
            "Accept": form,
            **({"Authorization": f"Bearer {self.keys[scopes]}"} if scopes else {}),
        }
        given = {} if body is None else {"body": as_json(body).encode()}
        if given:
            headers["Content-Type"] = "application/json"
        response = self.app.app.request(
            path, method=method, headers=headers, expect_errors=True, **given
        )
        sent = self.show.fields_in(path) | self.show.fields_in(as_json(body))
        return Seen(
            response.status_int,
            self.show.fields_in(f"{text_of(response.body)} {response.headers}") - sent,
        )

    def undo(self):
        """Undo all writes."""
        self.copy.backup(self.app.db.connection)

    def path_of(self, route):
        """Return the path of a route, with the id of the planted record.

        A path with parts of a record has part 1.
        """
        known = sorted(((path, singular) for singular, path in collections().items()), reverse=True)
        singular = next(
            (singular for path, singular in known if route.path.startswith(f"{path}/<id>")), None
        )
        id = self.show.made[singular]["id"] if singular else 1
        return (
            route.path.replace("<entity_type>", "contact")
            .replace("<id>", str(id))
            .replace("<item_id>", "1")
            .replace("<refund_id>", "1")
            .replace("<write_off_id>", "1")
        )

    def expanded(self, patterns):
        """Return the planted fields that the patterns name, such as `contact.*`."""
        known = {*self.show.marks.values(), *self.show.literals.values()}
        return {
            field for field in known for pattern in patterns.split() if fnmatchcase(field, pattern)
        }


def text_of(body):
    """Return the text of a response. A PDF is read with pdftotext, where it is installed."""
    if body.startswith(b"%PDF") and PDFTOTEXT:
        return subprocess.run(
            [PDFTOTEXT, "-", "-"], input=body, capture_output=True, check=True
        ).stdout.decode()
    return body.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def visit(tmp_path_factory, template):
    with (
        pytest.MonkeyPatch.context() as patch,
        SharedApp(tmp_path_factory.mktemp("leaks"), template) as app,
    ):
        patch.setattr(addresses, "lookup", lambda host, port: ["93.184.216.34"])
        yield Visit(app)


def scopes_of(route):
    """Return the scopes that reach a route, as the catalogue names them."""
    path = route.path.removeprefix("/api/v1")
    return set(FURTHER.get(f"{route.method} {path}", CATALOGUE[path.split("/")[1]]).split())


def queries(visit, route):
    """Yield the queries of a GET route: none, each include and all of them, and its variants."""
    path, options = route.path.removeprefix("/api/v1"), route.options
    schema = query_schema(options.query, listing=options.listing) if options.query else {}
    include = resolved(
        schema.get("properties", {}).get("include", {}),
        document(options.singular) if schema else {},
    )
    includes = include.get("items", {}).get("enum", [])
    always = ALWAYS.get(path, "").format(event=visit.show.made["event"]["event_key"])
    for part in ("", *(f"include={value}" for value in (*includes, ",".join(includes)) if value)):
        yield "&".join(filter(None, (always, part)))
    yield from VARIANTS.get(path, ())


def addresses_of(visit, route):
    """Yield (path with query, media type) of each form of a GET route."""
    paths = {visit.path_of(route)}
    if "<entity_type>" in route.path:
        paths = {
            f"/api/v1/custom-fields/{entity_type}/{visit.show.made[ENTITIES.get(entity_type, entity_type)]['id']}"
            for entity_type in ENTITY_TYPES
        }
    for part, others in OTHERS.items():
        if route.path.startswith(f"/api/v1/{part}/<id>"):
            paths |= {
                route.path.replace("<id>", str(visit.show.made[name]["id"])).replace(
                    "<item_id>", "1"
                )
                for name in others.split()
            }
    for path in sorted(paths):
        for query in queries(visit, route):
            for form in [form for form in route.options.offered if form in FORMS]:
                yield f"{path}?{query}", form


def seen(visit, scopes):
    """Return the fields that all GET routes show to a key."""
    found = set()
    for route in API:
        if route.method == "GET":
            for address, form in addresses_of(visit, route):
                status, fields = visit.send(scopes, "GET", address, form=form)
                assert status < 500 and status != 422, address
                found |= fields
                if status == 403 and "/notes" not in route.path:
                    break
    return found


@pytest.mark.parametrize("scope", SEES)
def test_a_key_reads_the_routes_of_its_scope_only(visit, scope):
    for route in API:
        if route.method == "GET" and not route.path.startswith(
            ("/api/v1/notes/", "/api/v1/bulk-import/")
        ):
            status, _ = visit.send(
                scope, "GET", f"{visit.path_of(route)}?{next(queries(visit, route))}"
            )
            if route.path == "/api/v1/links/<id>/reminder":
                # needs the scopes of what the link allows
                assert status == 403
                continue
            if route.path == "/api/v1/me":  # every key
                assert status == 200
                continue
            is_note = route.path == "/api/v1/notes"  # of contacts, in the first query
            assert (status == 403) == (
                scope not in ({"contacts"} if is_note else scopes_of(route))
            ), route.path


@pytest.mark.parametrize("scope", [*(f"{scope}:read" for scope in SCOPES.split()), "public"])
def test_a_key_for_reading_writes_nothing(visit, scope):
    """Checks and previews write nothing, so a key that reads the records may send them."""
    assert {route.path: route.options.scope for route in API if route.options.reads} == {
        "/api/v1/events/<id>/pages/mail-preview": "events",
        "/api/v1/invoices/<id>/check": "invoices",
        "/api/v1/documents/templates/preview": "documents",
    }
    for route in API:
        may_send = route.options.reads and scope == f"{route.options.scope}:read"
        if route.method != "GET" and not may_send:
            status, _ = visit.send(scope, route.method, visit.path_of(route))
            depends_on_record = route.path.startswith(("/api/v1/notes", "/api/v1/bulk-import"))
            assert status == 403 or (depends_on_record and status in (415, 422)), (
                f"{route.method} {route.path}"
            )


@pytest.mark.parametrize("scope", ALL_SCOPES)
def test_get_shows_the_fields_that_belong_to_the_scope_and_no_others(visit, scope):
    expected = visit.expanded(SEES[scope.removesuffix(":read")]) - NEVER
    found = seen(visit, scope)
    assert found - expected == set(), "the key sees more than it may"
    assert expected - found == set(), "SEES lists fields that no response shows"


def test_every_field_is_seen_with_some_scope(visit):
    """Otherwise the tests above would not notice where it appears."""
    shown = set().union(
        *(visit.expanded(fields) for scope, fields in SEES.items() if scope != "audit")
    )
    assert visit.expanded("*") - (shown - NEVER) == NEVER


@pytest.mark.parametrize(
    "scope", [scope for scope in SEES if scope not in ("reports", "audit", "public")]
)
def test_responses_to_writes_and_their_errors_show_no_more(visit, scope):
    """Repeat each request that created a record, so that many are refused because of other records."""
    expected, statuses = visit.expanded(SEES[scope]) - NEVER, set()
    for route in sorted(API, key=lambda route: route.method == "DELETE"):
        if route.method != "GET" and scope in scopes_of(route) and not route.options.raw_body:
            name = route.options.schema
            body = visit.show.bodies.get(name) or (
                definition(name).get("examples", [{}])[0] if name else None
            )
            status, fields = visit.send(scope, route.method, visit.path_of(route), body)
            statuses.add(status)
            assert status < 500 and fields - expected == set(), f"{route.method} {route.path}"
    visit.undo()
    assert statuses


@pytest.mark.parametrize("scope", SCOPES.split())
def test_a_search_finds_no_record_by_a_text_that_the_key_does_not_see(visit, scope):
    """A count would confirm a guess."""
    hidden = visit.expanded("*") - visit.expanded(SEES[scope])
    for route in API:
        if (
            route.options.listing
            and scope in scopes_of(route)
            and "search" in query_schema(route.options.query, listing=True)["properties"]
        ):
            for field in hidden & visit.show.numbers.keys():
                path = f"{route.path}?search={visit.show.mark(field)}"
                response = visit.app.app.get(
                    path, headers={"Authorization": f"Bearer {visit.keys[scope]}"}
                )
                assert response.json["meta"]["total"] == 0, f"{route.path} finds {field}"


def test_the_public_view_of_a_plan_shows_no_reason_why_a_booth_is_blocked(visit):
    _, fields = visit.send(
        "plans", "GET", f"/api/v1/plans/{visit.show.made['plan']['id']}/svg?view=public"
    )
    assert fields == visit.expanded(
        "plan.plan_name plan.area_name plan.objects.label booth.booth_number "
        "booth.booth_name blocked_booth.booth_number booth_type.booth_type_name "
        "contact.company_name event.title event.city"
    )


def test_the_fields_that_cannot_be_planted_exist(visit):
    for field in FIXED:
        resource, *parts = field.split(".")
        schema = definition(resource)
        for part in parts:
            schema = resolved(schema, definition(resource))
            schema = resolved(schema.get("items", schema), definition(resource))["properties"][part]


def test_public_pages_show_no_record_and_the_feed_shows_what_its_key_sees(visit):
    for route in routes():
        if route.method == "GET" and route.options.public and "<" not in route.path:
            status, fields = visit.send("", "GET", route.path)
            if status == 308:  # the page has a slash at its end
                status, fields = visit.send("", "GET", f"{route.path}/")
            leads = route.options.session or route.path == "/desk/sign-in/code"
            assert status in ((303, 403) if leads else (200, 302)), route.path
            assert fields == set(), route.path
    token = next(text for text, field in visit.show.literals.items() if field == "secret.feed")
    status, fields = visit.send("", "GET", f"/feeds/{token}")
    assert status == 200 and fields and fields <= visit.expanded(FEED)


@pytest.mark.parametrize("entity_type, scope, shown", GENERATED)
def test_a_document_is_generated_with_the_scope_of_its_record_and_shows_its_placeholders(
    visit, entity_type, scope, shown
):
    about = {
        "entity_type": entity_type,
        "entity_id": visit.show.made[ENTITIES.get(entity_type, entity_type)]["id"],
    }
    body = {**visit.show.bodies["document.generated"], **about}
    assert visit.send("documents", "POST", "/api/v1/documents", body) == Seen(403, set())
    status, fields = visit.send(f"documents {scope}:read", "POST", "/api/v1/documents", body)
    visit.undo()
    template = (
        " document_template.body document_template.name document_template.key document_category.*"
    )
    assert (status, fields) == (201, visit.expanded(shown + template))


@pytest.mark.parametrize(
    "entity_type, scope", [("invoice", "invoices"), ("service_order", "service_orders")]
)
def test_a_file_about_a_record_with_lines_needs_its_scope_because_include_shows_the_lines(
    visit, entity_type, scope
):
    body = {
        "entity_type": entity_type,
        "entity_id": visit.show.made[entity_type]["id"],
        "filename": "a.pdf",
    }
    assert visit.send("documents", "POST", "/api/v1/documents", body) == Seen(403, set())
    assert visit.send(f"documents {scope}:read", "POST", "/api/v1/documents", body).status == 201
    visit.undo()


def test_a_document_is_handed_in_only_with_the_scope_documents(visit):
    """Otherwise a key for submissions could read the content of any file of the participant."""
    assert (
        visit.send(
            "submissions", "POST", "/api/v1/submissions", visit.show.bodies["file_submission"]
        ).status
        == 403
    )
