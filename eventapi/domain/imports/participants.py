"""Importing participants of one event, with the contacts that are not there yet."""
from eventapi.domain.imports import records as import_records
from eventapi.domain.imports.matching import Known, ambiguous, attempt, folded
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT
from eventapi.errors import Faults


def event_of(db, options):
    """Return the id of the event that the options name by id or key. Raise 422 for an unknown one."""
    faults = Faults()
    event_id = references.resolve(db, options, EVENT, faults)
    faults.raise_any()
    return event_id


class Participants:
    """Writes participants of one event, and the contacts that are not there yet."""

    def __init__(self, options):
        self.options, self.known, self.seen = options, Known(), set()

    def write(self, db, records):
        self.known.look_up(db, [record.body for record in records])
        for record in records:
            if record.faults:
                record.reject([])
            else:
                attempt(db, record, self.options["dry_run"], lambda record=record: self._settle(db, record))
                self._remember(record)
        if not self.options["dry_run"]:
            self.known.forget_made()

    def _remember(self, record):
        """What this record made, or would have made, is there for those that follow."""
        dry = self.options["dry_run"]
        if record.contact_created:
            self.known.make(None if dry else record.contact_id, record.body)
        if dry and record.action == "created":
            self.seen.add(self._key(record))

    def _key(self, record):
        """Which participation a record is about."""
        by = self.options["match_field"]
        name = record.body.get(by)
        who = record.body.get("contact_id") or name and folded(by, name)
        return who, record.body.get("role", "exhibitor")

    def _settle(self, db, record):
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
        """Faults of a record that names another event, as the list of another event does."""
        return [{"field": name, "code": "other_event", "detail": "names another event; leave it out, or lead it to null in field_mapping"}
                for name in ("event_id", "event_key") if body.get(name) not in (None, self.options[name])]

    def _contact(self, db, record):
        """The contact, or None in a dry run for one it would have made; ends the record where there is none."""
        by, faults, name = self.options["match_field"], Faults(), record.body.get(self.options["match_field"])
        if record.body.get("contact_id") is not None:
            contact_id = references.resolve(db, {"contact_id": record.body["contact_id"]}, CONTACT, faults)
            return record.reject(import_records.of_faults(faults)) if faults else contact_id
        if name is None:
            return record.reject(import_records.missing(by))
        ids = self.known.get(by, name)
        if len(ids) > 1:
            return record.reject([ambiguous(by, ids)])
        if ids:
            return ids[0]
        if not self.options["create_contacts"] or self.options["mode"] == "update":
            return record.end("skipped", None, "contact_not_found")
        return self._new_contact(db, record)

    def _new_contact(self, db, record):
        members = {name: value for name, value in record.body.items() if name in import_records.CONTACT_ONLY or name == "customer_number"}
        wrong = [*import_records.nothing_said(members), *self.known.taken(None, members)]
        if wrong:
            return record.reject(wrong)
        record.contact_id, record.contact_created = contacts.add(db, members)["id"], True
        return record.contact_id

    def _create(self, db, record, contact_id, role):
        faults, category_id, fields = self._rest(db, record, {})
        if faults:
            record.reject(faults)
            return
        if contact_id is None:
            record.end("created")
            return
        participant = participants.add(
            db, event_id=self.options["event_id"], contact_id=contact_id, role=role, category_id=category_id, fields=fields,
            badge_name=record.body.get("badge_name"), confirmed=record.body.get("is_confirmed", False))
        record.end("created", participant["id"])

    def _change(self, db, record, id):
        if self.options["mode"] == "create":
            record.end("skipped", id, "exists")
            return
        old = participants.get(db, id) if id else None
        faults, category_id, fields = self._rest(db, record, old["custom_fields"] if old else {})
        if faults:
            record.reject(faults)
            return
        if old:
            change_participant(db, old, record.body, category_id, fields)
        record.end("updated", id)

    def _rest(self, db, record, stored):
        faults = Faults()
        category_id = references.resolve(db, record.body, CATEGORY, faults)
        fields = custom_fields.checked(db, "event_participant", record.body, stored, faults)
        return import_records.of_faults(faults), category_id, fields


def change_participant(db, old, body, category_id, fields):
    """Gives a participant the members that a record holds."""
    names_category = "category_id" in body or "category_key" in body
    new = participants.change(db, old, {
        **old, "badge_name": body.get("badge_name", old["badge_name"]), "custom_fields": fields,
        "category_id": category_id if names_category else old["category_id"]})
    if body.get("is_confirmed", old["is_confirmed"]) != old["is_confirmed"]:
        participants.move(db, new, "confirm" if body["is_confirmed"] else "unconfirm")
