"""A show in which every text field has a text of its own, so that a response shows which fields its
texts come from.

The fields are read from the schemas: a new field is planted without a change here.
"""

import re
from copy import deepcopy
from itertools import count

from eventapi.domain.attachments.placeholders import KNOWN
from eventapi.validation.schema_files import body_schema, resolved
from tests.support.examples import ENTITIES, REFERENCES, collections, example, named_by

MARK = re.compile(r"zq(\d{3})x", re.I)
# Random letters, which may look like a mark
FORM_TOKEN = re.compile(r'name="form_token" value="[^"]*"')
# Text fields whose values cannot be chosen freely, and keep those of the example.
FIXED = {
    "bank_rule.account": "an account of the organiser",
    "booth_formula.expression": "a formula",
    "webhook.events": "names of events",
    "webhook.url": "an address",
    "plan.background_image": "an address",
    "document.content": "made from the template",
    "check_in.badge_number": "generated",
    "category.parent_category_key": "a category, of which there is only one",
    "service.category_key": "a category",
    "participant.category_key": "a category",
    "document.template_key": "a template",
    "document.category_key": "a category",
    "submission.type_key": "a type",
    "document_template.category_key": "a category",
    "document_category.default_template_key": "a template",
    "booth_reservation.cancellation_reason": "given with the cancellation",
    "document_template.body": "with markup",
    "custom_field.section_key": "a section",
    "contact.website": "an address",
    "payment.currency": "a currency",
    "invoice.invoice_number": "given when it is sent",
    "calendar_subscription.event_key": "an event",
    "booth.blocked_reason": "only for a blocked booth",
    "submission_type.allowed_extensions": "extensions",
    "invoice.items.exemption_reason": "only for lines without tax",
    "category.exemption_reason": "only for a price without tax",
    "service.exemption_reason": "only for a price without tax",
    "booth_type.exemption_reason": "only for a price without tax",
    "link.station": "only for a door",
    "custom_field.field_options": "only for a list of values",
    "custom_field.field_key": "the same for all records",
}
TEMPLATE = "".join(f"<p>{{{{{name}}}}}</p>" for name in KNOWN) + "<p>{{metadata.said}}</p>"
# with custom fields
ENTITY_TYPES = (
    "contact",
    "application",
    "event_participant",
    "event",
    "booth",
    "submission",
)


class Planted:
    """The records of a show, made with a client that has all scopes.

    Attributes:
        marks: number of a mark -> the field that holds it, such as `contact.email`.
        made: resource -> its record. `bodies` has the body that created it.
    """

    def __init__(self, client):
        self.client = client
        self.marks = {}
        self.numbers = {}
        self.made = {}
        self.bodies = {}
        self.literals = {}
        for entity_type in ENTITY_TYPES:
            self.made["custom_field"] = client.make(
                "/custom-fields",
                self.filled(
                    "custom_field",
                    {
                        "entity_type": entity_type,
                        "field_key": "nick",
                        "field_type": "text",
                        "is_searchable": True,
                    },
                ),
            )

    def mark(self, field):
        """Return the mark of a field such as `contact.email`, always the same one."""
        if field not in self.numbers:
            self.numbers[field] = number = len(self.numbers)
            self.marks[number] = field
        return f"zq{self.numbers[field]:03}x"

    def fields_in(self, text):
        """Return the fields whose marks are in a text."""
        text = FORM_TOKEN.sub("", text)
        return {self.marks[int(number)] for number in MARK.findall(text)} | {
            field for literal, field in self.literals.items() if literal in text
        }

    def make(self, singular, **values):
        """Create the record of a resource, once, after the records that its example refers to, and
        return it.
        """
        if singular not in self.made:
            body = deepcopy(example(singular))
            for part, field, target, way in list(named_by(singular, body)):
                value = self.make(target)[way]
                part[field] = [value] if isinstance(part[field], list) else value
            body = self.bodies[singular] = self.filled(singular, {**body, **values})
            self.made[singular] = self.client.make(collections()[singular], body)
        return self.made[singular]

    def another(self, singular, place="", **values):
        """Create a second record with the body of the first one and these values.

        `place` marks its fields.
        """
        body = {**deepcopy(self.bodies[singular]), **values}
        return self.client.make(
            collections()[singular], self.filled(singular, body, place) if place else body
        )

    def act(self, singular, action, schema=None, body=None, record=None, place="", status=200):
        """Request an action on a record.

        Every text field of the body gets the mark of the field of that name.
        """
        if schema:
            body = self.bodies[schema] = self.filled(schema, body or {}, place)
        path = f"{collections()[singular]}/{(record or self.made[singular])['id']}/{action}"
        return self.client.post(path, body, status=status).json["data"]

    def filled(self, name, body, place=""):
        """Return the body with a mark in every text field.

        `place` replaces the resource in the names of the fields.
        """
        schema, resource = body_schema(name), name.partition(".")[0]
        return Filling(
            resource, lambda field: self.mark(f"{place or resource}.{field}"), schema
        ).object(schema, body)


class Filling:
    """Marks for the text fields of one body.

    `mark(field)` returns the mark of a field, such as `items.description`.
    """

    def __init__(self, resource, mark, root):
        self.resource, self.mark, self.root = resource, mark, root

    def object(self, schema, value, inside=""):
        """Return the object with a mark in each text field.

        `inside` is the field that holds it, such as `items.`.
        """
        found = {
            name: self.value(resolved(part, self.root), value.get(name), inside + name)
            for name, part in schema["properties"].items()
            if part is not True
        }
        return {name: part for name, part in found.items() if part is not None}

    def value(self, schema, value, field):
        kinds = schema.get("type", ())
        if field == "custom_fields":
            return {"nick": self.mark(field)}
        if "array" in kinds:
            items = resolved(schema["items"], self.root)
            return (
                [self.mark(field)]
                if self.is_text(items, field)
                else value and [self.value(items, part, field) for part in value]
            )
        if "object" in kinds and "properties" not in schema:
            return {"said": self.mark(field)} if schema.get("additionalProperties") else value
        if "object" in kinds:
            return value and self.object(schema, value, f"{field}.")
        return self.text(schema, field) if self.is_text(schema, field) else value

    def text(self, schema, field):
        mark = self.mark(field)
        return {"email": f"{mark}@rosen.example", "url": f"https://{mark}.example"}.get(
            schema.get("format"), mark
        )

    def is_text(self, schema, field):
        """Return whether a field holds any text: no list of values, no date, no reference to
        another record.
        """
        name = field.rpartition(".")[2]
        refers_to, _ = REFERENCES.get((self.resource, name)) or REFERENCES.get(name, (None, None))
        if "string" not in schema.get("type", ()) or schema.get("readOnly") or "enum" in schema:
            return False
        if f"{self.resource}.{field}" in FIXED or refers_to not in (None, self.resource):
            return False
        fits = re.search(schema.get("pattern", ""), "zq000x") and schema.get("maxLength", 99) >= 6
        return bool(fits) and schema.get("format") in (None, "line", "email", "url")


def plant(client):
    """Create one record of every kind, all of them connected, and return them as Planted."""
    show = Planted(client)
    event = show.make("event", is_visible=True)
    show.another("event", "hidden_event", is_visible=False)
    show.another("event", "closed_event", is_visible=True, application_deadline="2026-01-01")
    category = show.make("category")["category_key"]
    contact = show.make(
        "contact",
        category_keys=[category],
        website=f"https://{show.mark('contact.website')}.example",
    )
    participant = show.make("participant", category_key=category)
    show.make("application", category_keys=[category])
    for action, schema in (
        ("review", None),
        ("request-info", "application.request_info"),
        ("review", None),
        ("reject", "application.reject"),
    ):
        show.act("application", action, schema)
    halls(show)
    services(show, participant)
    money(show, contact, participant)
    papers(show, participant)
    show.make(
        "schedule", assignments=[{"event_participant_id": participant["id"], "role": "speaker"}]
    )
    show.make("submission")
    show.act("submission", "request-revision", "submission.request_revision")
    files = show.another("submission_type", "file_type", input="file")
    show.bodies["file_submission"] = {
        "event_participant_id": participant["id"],
        "type_id": files["id"],
        "document_id": show.made["document"]["id"],
    }
    show.made["file_submission"] = show.client.make("/submissions", show.bodies["file_submission"])
    for singular in collections():
        if singular != "note":
            show.make(singular)
    show.literals = {
        participant["badge_number"]: "participant.badge_number",
        show.made["webhook"]["secret"]: "secret.webhook",
        show.made["calendar_subscription"]["url"].rpartition("/")[2]: "secret.feed",
        show.made["link"]["url"].rpartition("/")[2]: "secret.link",
        show.made["newsletter_subscriber"]["unsubscribe_url"].rpartition("/")[
            2
        ]: "newsletter_subscriber.unsubscribe_url",
    }
    show.client.post(
        "/check-ins",
        {
            "badge_number": participant["badge_number"],
            "event_key": event["event_key"],
            "station": show.mark("refusal.station"),
            "notes": show.mark("refusal.notes"),
        },
        status=409,
    )
    show.client.post(
        "/bulk-import/contacts",
        {"records": [show.filled("contact", {"rating": 9}, "rejected")]},
        status=201,
    )
    notes_and_tasks(show)
    return show


def halls(show):
    show.make("booth", status="available")
    show.another(
        "booth",
        booth_number=show.mark("blocked_booth.booth_number"),
        pos_x=50,
        status="blocked",
        blocked_reason=show.mark("booth.blocked_reason"),
    )
    reservation = show.make("booth_reservation")
    show.act("booth_reservation", "cancel", "booth_reservation.cancel", record=reservation)
    show.made["booth_reservation"] = show.another("booth_reservation")
    show.act("booth_reservation", "confirm")


def services(show, participant):
    show.make("service_category")
    show.make("service", category_key=show.made["service_category"]["category_key"])
    order = show.make("service_order", event_participant_id=participant["id"])
    show.act("service_order", "cancel", "service_order.cancel", record=order)
    show.made["service_order"] = show.another("service_order")
    for action in ("submit", "confirm"):
        show.act("service_order", action)


def money(show, contact, participant):
    invoice = show.make("invoice", contact_id=contact["id"], event_participant_id=participant["id"])
    untaxed = {
        "description": show.mark("invoice.items.description"),
        "quantity": 1,
        "unit_price": 10,
        "tax_category": "E",
        "exemption_reason": show.mark("invoice.items.exemption_reason"),
    }
    void = show.another("invoice", items=[untaxed])
    show.client.post(f"/participants/{participant['id']}/invoice", status=201)
    show.act("invoice", "send", record=void)
    show.act("invoice", "cancel", "invoice.cancel", record=void)
    show.made["invoice"] = show.act("invoice", "send", record=invoice)
    show.make("payment")
    show.act("payment", "refund", "payment.refund", {"amount": 1}, place="refund")


def papers(show, participant):
    show.make("document_category")
    template = show.make(
        "document_template",
        body=f"<p>{show.mark('document_template.body')}</p>{TEMPLATE}",
        is_contract=True,
    )
    about = {"entity_type": "event_participant", "entity_id": participant["id"]}
    show.make("document", **about)
    show.client.put(
        f"/documents/{show.made['document']['id']}/content",
        status=200,
        raw=show.mark("document.file").encode(),
        headers={"Content-Type": "application/octet-stream"},
    )
    body = show.bodies["document.generated"] = {
        **about,
        "template_id": template["id"],
        "metadata": {"said": show.mark("document.metadata")},
    }
    contract = show.made["contract"] = show.client.make("/documents", body)
    show.act("document", "request-signature", record=contract)
    show.act("document", "mark-signed", "document.signed", record=contract)
    for entity_type in ("contact", "application", "invoice", "service_order"):
        show.client.make(
            "/documents",
            {**body, "entity_type": entity_type, "entity_id": show.made[entity_type]["id"]},
        )


def notes_and_tasks(show):
    """Create a note about each kind of record that has notes, and a task about every kind of
    record.
    """
    for entity_type in ("contact", "application", "event_participant", "invoice", "event"):
        about = {
            "entity_type": entity_type,
            "entity_id": show.made[ENTITIES.get(entity_type, entity_type)]["id"],
        }
        body = show.filled("note", {**example("note"), **about}, f"note_of_{entity_type}")
        show.made["note"] = show.made[f"note_of_{entity_type}"] = show.client.make("/notes", body)
        show.bodies.setdefault("note", body)
    names = {singular: name for name, singular in ENTITIES.items()}
    known = body_schema("task")["properties"]["entity_type"]["enum"]
    number = count(1)
    for singular, record in list(show.made.items()):
        if names.get(singular, singular) in known:
            show.client.make(
                "/tasks",
                {
                    "title": f"Task {next(number)}",
                    "entity_id": record["id"],
                    "entity_type": names.get(singular, singular),
                },
            )
