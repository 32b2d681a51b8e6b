"""The import of contacts.

New contacts are added in few statements, existing contacts are changed one by one.
"""

from eventapi.domain.imports import fields as import_fields
from eventapi.domain.imports import read_only
from eventapi.domain.imports.known import KnownContacts, ambiguous, attempt
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import custom_fields, references
from eventapi.errors import Faults


class Contacts:
    """Writes batches of contacts.

    options: the row of the import. read: the fields.Reader of its records.
    known: the contacts that records may match.
    new: id -> (arguments of contacts.add_many, event ids) of the new contacts of the batch, which are not written yet.
    next_id: id of the next new contact. In a dry run it continues over all batches.
    """

    def __init__(self, options, read):
        self.options, self.read, self.known = options, read, KnownContacts()
        self.next_id = None

    def write(self, db, records):
        """Determine the action of each record, and perform it unless this is a dry run.

        Requires a write transaction.
        """
        dry, self.new = self.options["dry_run"], {}
        self.next_id = self.next_id if dry and self.next_id else contacts.next_id(db)
        self.known.look_up(db, [record.body for record in records])
        for record in records:
            if record.faults:
                record.reject([])
            else:
                self._import(db, record)
        if not dry:
            self._flush(db)
            self.known.forget_new()

    def _import(self, db, record):
        """Create, change, skip or reject.

        Mode `create` skips contacts that exist, `update` those that do not.
        """
        mode, by = self.options["mode"], self.options["match_field"]
        name = record.body.get(by)
        ids = self.known.get(by, name) if name is not None else []
        if name is None and mode != "create":
            record.reject(import_fields.missing(by))
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
        wrong = [
            *import_fields.unidentified(record.body),
            *self.known.duplicates(None, record.body),
            *import_fields.lost_zeros(db, record.body),
        ]
        faults, (category_ids, event_ids, fields) = _resolved(
            db, record.body, {"tax_id": None, "custom_fields": {}}
        )
        wrong += faults
        if wrong:
            record.reject(wrong)
            return
        if record.read_only and not read_only.compare_new_contact(db, self.read, record):
            return
        id, self.next_id = self.next_id, self.next_id + 1
        self.new[id] = (
            (id, record.body, category_ids or (), fields),
            event_ids,
        )
        self.known.add_new(id, record.body)
        record.end("created", None if self.options["dry_run"] else id)

    def _change(self, db, record, id):
        dry, wrong = self.options["dry_run"], list(self.known.duplicates(id, record.body))
        if wrong:
            record.reject(wrong)
        elif dry and self.known.is_new(id):
            record.end("updated")
        else:
            if id in self.new:
                self._flush(db)
            attempt(db, record, dry, lambda: change_contact(db, self.read, record, id))
            if record.action == "updated" and not dry:
                self.known.add_names(id, record.body)

    def _flush(self, db):
        """Write the new contacts of the batch, and their participations."""
        additions, self.new = self.new, {}
        if additions:
            contacts.add_many(db, [addition for addition, _ in additions.values()])
        for id, (_, event_ids) in additions.items():
            participants.set_events(db, id, event_ids)


def change_contact(db, read, record, id):
    """Change a contact as the record says, and add its participations.

    Reject the record if a reference is unknown. Raise 422 `read_only`.
    """
    old = contacts.get(db, id)
    faults, (category_ids, event_ids, fields) = _resolved(db, record.body, old)
    faults += import_fields.lost_zeros(db, {"country": old["country"], **record.body})
    if faults:
        record.reject(faults)
        return
    contacts.change(db, old, record.body, category_ids, fields)
    participants.set_events(db, id, event_ids)
    if record.read_only:
        read_only.compare(read, record, old, contacts.get(db, id))
    record.end("updated", id)


def _resolved(db, body, stored):
    """Return (faults, (category ids, event ids, custom fields)) of a body.

    `stored` is the present contact.
    """
    faults = Faults()
    contacts.check_tax_id(body, stored, faults)
    ids = references.category_ids(db, body, faults), references.event_ids(db, body, faults)
    fields = custom_fields.checked(db, "contact", body, stored["custom_fields"], faults)
    return import_fields.of_faults(faults), (*ids, fields)
