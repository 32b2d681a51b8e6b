"""What the imports of contacts and of participants share: a record on its way, and which contacts are known by which names."""
from dataclasses import dataclass, field

from eventapi.domain.imports import records
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

BY = {"email": sql.by_email, "customer_number": sql.by_customer_number, "external_id": sql.by_external_id}
ASCII = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass
class Record:
    """A record on its way: `action` is created, updated, skipped or rejected in the end, `id` that of what it became or is."""
    index: int
    sent: object
    body: dict
    faults: list = field(default_factory=list)
    action: str = None
    id: int = None
    reason: str = None
    contact_id: int = None
    contact_created: bool = False

    def end(self, action, id=None, reason=None):
        self.action, self.id, self.reason = action, id, reason

    def reject(self, faults):
        self.faults, self.action, self.contact_created = [*self.faults, *faults], "rejected", False


class Undone(Exception):
    """Takes back what a dry run did."""


class Known:
    """The contacts that e-mails, customer numbers and external ids name: those of the database, and those that the import has made
    in this piece, or in a dry run would have made in any."""

    def __init__(self):
        self.ids = {name: {} for name in BY}
        self.forget_made()

    def look_up(self, db, bodies):
        for name, statement in BY.items():
            names = [body[name] for body in bodies if body.get(name) is not None]
            self.ids[name] = {}
            for row in db.all(statement, names=as_json(names)) if names else ():
                found = self.ids[name].setdefault(folded(name, row["name"]), [])
                if row["id"] not in found:
                    found.append(row["id"])

    def get(self, name, value):
        value = folded(name, value)
        return list(dict.fromkeys([*self.ids[name].get(value, ()), *self.made[name].get(value, ())]))

    def is_made(self, id):
        return id in self.new_ids

    def make(self, id, body):
        self.new_ids.add(id)
        self.tell(id, body)

    def tell(self, id, body):
        """A contact has got these names."""
        for name in BY:
            if body.get(name) is not None:
                self.made[name].setdefault(folded(name, body[name]), []).append(id)

    def taken(self, id, body):
        """Faults of a customer number or external id that another contact has."""
        for name in ("customer_number", "external_id"):
            others = body.get(name) is not None and [other for other in self.get(name, body[name]) if other != id]
            if others:
                yield {"field": name, "code": "duplicate", "detail": "another contact has it"}

    def forget_made(self):
        self.made, self.new_ids = {name: {} for name in BY}, set()


def folded(name, value):
    """As the database compares."""
    return value.translate(ASCII) if name == "email" else value


def attempt(db, record, dry, act):
    """Does what may be refused, and takes it back when it was, or in a dry run."""
    try:
        with db.savepoint():
            act()
            if dry or record.action == "rejected":
                raise Undone
    except Problem as problem:
        record.reject(records.as_faults(problem))
    except Undone:
        record.id = None if record.action == "created" else record.id


def ambiguous(by, ids):
    return {"field": by, "code": "ambiguous_contact", "detail": "names several contacts: " + ", ".join(map(str, ids[:10]))}
