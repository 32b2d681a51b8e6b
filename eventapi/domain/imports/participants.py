"""The import of participants of one event. Contacts that do not exist can be created."""

from eventapi.domain.imports import fields as import_fields
from eventapi.domain.imports import read_only
from eventapi.domain.imports.known import KnownContacts, ambiguous, attempt, folded
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT, HOST
from eventapi.errors import Faults


def event_of(db, options):
    """Return the id of the event that the options name by id or key. Raise 422 for an unknown one."""
    faults = Faults()
    event_id = references.resolve(db, options, EVENT, faults)
    faults.raise_any()
    return event_id


class Participants:
    """Writes batches of participants of one event.

    options: the row of the import. read: the fields.Reader of its records.
    known: the contacts that records may match.
    seen: keys of the participants that a dry run would have created.
    """

    def __init__(self, options, read):
        self.options, self.read, self.known, self.seen = options, read, KnownContacts(), set()

    def write(self, db, records):
        """Determine the action of each record, and perform it unless this is a dry run.

        Requires a write transaction.
        """
        self.known.look_up(db, [record.body for record in records])
        for record in records:
            if record.faults:
                record.reject([])
            else:
                attempt(
                    db,
                    record,
                    self.options["dry_run"],
                    lambda record=record: self._import(db, record),
                )
                self._remember(record)
        if not self.options["dry_run"]:
            self.known.forget_new()

    def _remember(self, record):
        """Remember what the record created, or would have created, because later records may refer
        to it.
        """
        dry = self.options["dry_run"]
        if record.contact_created:
            self.known.add_new(None if dry else record.contact_id, record.body)
        if dry and record.action == "created":
            self.seen.add(self._key(record))

    def _key(self, record):
        """Return (contact, role): what identifies the participant of a record within the event."""
        by = self.options["match_field"]
        name = record.body.get(by)
        contact = record.body.get("contact_id") or (name and folded(by, name))
        return contact, record.body.get("role", "exhibitor")

    def _import(self, db, record):
        """Create, change, skip or reject the participant of a record."""
        if other := self._other_event(record.body):
            return record.reject(other)
        contact_id = self._contact(db, record)
        if record.action:
            return
        role = record.body.get("role", "exhibitor")
        found = contact_id and participants.find(db, self.options["event_id"], contact_id, role)
        if found or self._key(record) in self.seen:
            self._change(db, record, found)
        elif self.options["mode"] == "update":
            record.end("skipped", None, "not_found")
        else:
            self._create(db, record, contact_id, role)

    def _other_event(self, body):
        """Return faults if the record names another event, which happens when a list of that event
        is imported.
        """
        detail = "belongs to another event; omit the field, or map it to null in `field_mapping`"
        return [
            {"field": name, "code": "other_event", "detail": detail}
            for name in ("event_id", "event_key")
            if body.get(name) not in (None, self.options[name])
        ]

    def _contact(self, db, record):
        """Return the id of the contact, or None for a contact that a dry run would have created.

        Skip or reject the record, which sets its action, if there is no contact.
        """
        by, faults = self.options["match_field"], Faults()
        name = record.body.get(by)
        if record.body.get("contact_id") is not None:
            contact_id = references.resolve(
                db, {"contact_id": record.body["contact_id"]}, CONTACT, faults
            )
            return record.reject(import_fields.of_faults(faults)) if faults else contact_id
        if name is None:
            return record.reject(import_fields.missing(by))
        ids = self.known.get(by, name)
        if len(ids) > 1:
            return record.reject([ambiguous(by, ids)])
        if ids:
            return ids[0]
        if not self.options["create_contacts"] or self.options["mode"] == "update":
            return record.end("skipped", None, "contact_not_found")
        return self._new_contact(db, record)

    def _new_contact(self, db, record):
        own = {*import_fields.CONTACT_ONLY, "customer_number"}
        contact = {name: value for name, value in record.body.items() if name in own}
        faults = Faults()
        contacts.check_tax_id(contact, {"tax_id": None}, faults)
        wrong = [
            *import_fields.unidentified(contact),
            *self.known.duplicates(None, contact),
            *import_fields.lost_zeros(db, contact),
            *import_fields.of_faults(faults),
        ]
        if wrong:
            return record.reject(wrong)
        record.contact_id, record.contact_created = contacts.add(db, contact)["id"], True
        return record.contact_id

    def _create(self, db, record, contact_id, role):
        faults, values = self._resolved(db, record, {"role": role, "custom_fields": {}})
        if faults:
            record.reject(faults)
            return
        if contact_id is None:
            read_only.compare(self.read, record, None, _new(record.body))
            record.end("created")
            return
        participant = participants.add(
            db,
            event_id=self.options["event_id"],
            contact_id=contact_id,
            role=role,
            category_id=values.get("category_id"),
            host_participant_id=values.get("host_participant_id"),
            fields=values["custom_fields"],
            badge_name=record.body.get("badge_name"),
            confirmed=record.body.get("is_confirmed", False),
        )
        read_only.compare(self.read, record, None, participant)
        record.end("created", participant["id"])

    def _change(self, db, record, id):
        if self.options["mode"] == "create":
            record.end("skipped", id, "exists")
            return
        old = participants.get(db, id) if id else None
        faults, values = self._resolved(
            db, record, old or {"custom_fields": {}, "role": record.body.get("role", "exhibitor")}
        )
        if faults:
            record.reject(faults)
            return
        if old:
            change_participant(db, old, record.body, values)
        if old and record.read_only:
            read_only.compare(self.read, record, old, participants.get(db, id))
        record.end("updated", id)

    def _resolved(self, db, record, stored):
        """Return (faults, {category_id, host_participant_id, custom_fields}) of a record, with the
        ids sent.

        `stored` is the present participant.
        """
        faults = Faults()
        ids = references.named(db, record.body, faults, CATEGORY, HOST)
        if "host_participant_id" in ids:
            participants.check_host(
                db, {**stored, **ids, "event_id": self.options["event_id"]}, faults
            )
        fields = custom_fields.checked(
            db, "event_participant", record.body, stored["custom_fields"], faults
        )
        return import_fields.of_faults(faults), {**ids, "custom_fields": fields}


def _new(body):
    """Return the read-only fields of a participant that a dry run would create."""
    return {
        "status": "confirmed" if body.get("is_confirmed") else "registered",
        "badge_number": None,
        "is_checked_in": False,
        "application_id": None,
    }


def change_participant(db, old, body, values):
    """Change a participant to the fields of a record. Fields that the record lacks stay unchanged."""
    new = participants.change(
        db, old, {**old, **values, "badge_name": body.get("badge_name", old["badge_name"])}
    )
    if body.get("is_confirmed", old["is_confirmed"]) != old["is_confirmed"]:
        participants.move(db, new, "confirm" if body["is_confirmed"] else "unconfirm")
