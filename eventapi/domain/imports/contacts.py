"""Importing contacts: new ones in few statements, changed ones each for itself."""
from eventapi.domain.imports import records as import_records
from eventapi.domain.imports.matching import Known, ambiguous, attempt
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import custom_fields, references
from eventapi.errors import Faults


class Contacts:
    """Writes contacts, piece by piece."""

    def __init__(self, options):
        self.options, self.known = options, Known()
        self.next_id = None

    def write(self, db, records):
        """Settles what becomes of each record, and does it unless this is a dry run. Needs a running write."""
        dry, self.new = self.options["dry_run"], {}
        self.next_id = self.next_id if dry and self.next_id else contacts.next_id(db)
        self.known.look_up(db, [record.body for record in records])
        for record in records:
            if record.faults:
                record.reject([])
            else:
                self._settle(db, record)
        if not dry:
            self._flush(db)
            self.known.forget_made()

    def _settle(self, db, record):
        """`create` leaves out who is there, `update` who is not."""
        mode, by = self.options["mode"], self.options["match_field"]
        name = record.body.get(by)
        ids = self.known.get(by, name) if name is not None else []
        if name is None and mode != "create":
            record.reject(import_records.missing(by))
        elif mode == "create" and ids:
            record.end("skipped", ids[0], "exists")
        elif mode == "update" and not ids:
            record.end("skipped", None, "not_found")
        elif len(ids) > 1:
            record.reject([ambiguous(by, ids)])
        elif ids:
            self._change(db, record, ids[0])
        else:
            self._create(db, record)

    def _create(self, db, record):
        wrong = [*import_records.nothing_said(record.body), *self.known.taken(None, record.body)]
        faults, (category_ids, event_ids, fields) = _named(db, record.body, {})
        wrong += faults
        if wrong:
            record.reject(wrong)
            return
        id, self.next_id = self.next_id, self.next_id + 1
        self.new[id] = (id, record.body, category_ids or (), fields), event_ids
        self.known.make(id, record.body)
        record.end("created", None if self.options["dry_run"] else id)

    def _change(self, db, record, id):
        dry, wrong = self.options["dry_run"], list(self.known.taken(id, record.body))
        if wrong:
            record.reject(wrong)
        elif dry and self.known.is_made(id):
            record.end("updated")
        else:
            if id in self.new:
                self._flush(db)
            attempt(db, record, dry, lambda: change_contact(db, record, id))
            if record.action == "updated" and not dry:
                self.known.tell(id, record.body)

    def _flush(self, db):
        """Adds the new contacts."""
        additions, self.new = self.new, {}
        if additions:
            contacts.add_many(db, [addition for addition, _ in additions.values()])
        for id, (_, event_ids) in additions.items():
            participants.take_part(db, id, event_ids)


def change_contact(db, record, id):
    old = contacts.get(db, id)
    faults, (category_ids, event_ids, fields) = _named(db, record.body, old["custom_fields"])
    if faults:
        record.reject(faults)
        return
    contacts.change(db, old, record.body, category_ids, fields)
    participants.take_part(db, id, event_ids)
    record.end("updated", id)


def _named(db, body, stored):
    """(faults, (categories, events, custom fields)) that a body names."""
    faults = Faults()
    ids = references.category_ids(db, body, faults), references.event_ids(db, body, faults)
    fields = custom_fields.checked(db, "contact", body, stored, faults)
    return import_records.of_faults(faults), (*ids, fields)
