"""Records of an import and the contacts that they match.

Shared by the imports of contacts and of participants.
"""

from dataclasses import dataclass, field

from eventapi.domain.imports import fields
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

# field by which records are matched -> statement that finds contacts by it
BY = {
    "email": sql.by_email,
    "customer_number": sql.by_customer_number,
    "external_id": sql.by_external_id,
}
ASCII = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass
class Record:
    """One record and what the import did with it.

    index: position in the file or array that was sent.
    sent: the record as it was sent. body: the same, validated.
    faults: dicts with `field`, `code` and `detail`.
    action: None at first; then "created", "updated", "skipped" or "rejected".
    id: id of the contact or participant, if there is one. reason: why the record was skipped.
    contact_created: whether the import of participants created the contact.
    read_only: the read-only fields in it (validation/read_only.py). ignored: JSON pointers to those that had no effect.
    """

    index: int
    sent: object
    body: dict
    faults: list = field(default_factory=list)
    action: str = None
    id: int = None
    reason: str = None
    contact_id: int = None
    contact_created: bool = False
    read_only: list = field(default_factory=list)
    ignored: list = field(default_factory=list)

    def end(self, action, id=None, reason=None):
        """Set the result of the record."""
        self.action, self.id, self.reason = action, id, reason

    def reject(self, faults):
        """Reject the record, because of these faults in addition to those of the validation."""
        self.faults, self.action, self.contact_created = [*self.faults, *faults], "rejected", False


class _RollBack(Exception):
    """Ends a savepoint, so that its changes are rolled back."""


class KnownContacts:
    """Ids of contacts by e-mail, customer number and external id.

    These are the contacts in the database (`ids`) and the new contacts (`new`): those that this
    batch created, or that any batch of a dry run would have created.
    """

    def __init__(self):
        self.ids = {name: {} for name in BY}
        self.forget_new()

    def look_up(self, db, bodies):
        """Read the contacts of the database that the records of a batch may match."""
        for name, statement in BY.items():
            names = [body[name] for body in bodies if body.get(name) is not None]
            self.ids[name] = {}
            for row in db.all(statement, names=as_json(names)) if names else ():
                found = self.ids[name].setdefault(folded(name, row["name"]), [])
                if row["id"] not in found:
                    found.append(row["id"])

    def get(self, name, value):
        """Return the ids of the contacts with this value of the field `name`."""
        value = folded(name, value)
        return list(dict.fromkeys([*self.ids[name].get(value, ()), *self.new[name].get(value, ())]))

    def is_new(self, id):
        """Return whether the import created the contact."""
        return id in self.new_ids

    def add_new(self, id, body):
        """Add a contact that the import created. In a dry run for participants, `id` is None."""
        self.new_ids.add(id)
        self.add_names(id, body)

    def add_names(self, id, body):
        """Add the e-mail, customer number and external id that a contact now has."""
        for name in BY:
            if body.get(name) is not None:
                self.new[name].setdefault(folded(name, body[name]), []).append(id)

    def duplicates(self, id, body):
        """Yield a fault for a customer number or external id that another contact has."""
        for name in ("customer_number", "external_id"):
            others = body.get(name) is not None and [
                other for other in self.get(name, body[name]) if other != id
            ]
            if others:
                yield {"field": name, "code": "duplicate", "detail": "belongs to another contact"}

    def forget_new(self):
        """Forget the new contacts, because `look_up` finds them in the database from now on."""
        self.new, self.new_ids = {name: {} for name in BY}, set()


def folded(name, value):
    """Return a value as the database compares it: an e-mail in lower case (ASCII only), others
    unchanged.
    """
    return value.translate(ASCII) if name == "email" else value


def attempt(db, record, dry, action):
    """Call `action` in a savepoint, and roll it back if the record is rejected or this is a dry
    run.

    A Problem that it raises becomes faults of the record. Requires a write transaction.
    """
    try:
        with db.savepoint():
            action()
            if dry or record.action == "rejected":
                raise _RollBack
    except Problem as problem:
        record.reject(fields.as_faults(problem))
    except _RollBack:
        record.id = None if record.action == "created" else record.id


def ambiguous(by, ids):
    """Return the fault of a record that matches several contacts."""
    matches = ", ".join(map(str, ids[:10]))
    return {
        "field": by,
        "code": "ambiguous_contact",
        "detail": f"matches several contacts: {matches}",
    }
