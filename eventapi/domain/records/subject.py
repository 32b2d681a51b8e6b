"""What a package of the domain adds to what the service does with all records.

Each package has a module `subject.py` with one `Subject`; `domain/subjects.py` lists them. The work
itself stays in its place: the checks in `upkeep/checks.py`, the mails in `worker/mail/`, erasing and
merging in `domain/privacy/`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from eventapi.domain.records.entities import Kind
from eventapi.storage.statements import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A kind of mail.

    `contents(db, mail)` runs in a snapshot and returns `Contents` (`domain/mail/contents.py`); it
    raises `Gone` if there is nothing to send any more. `prepare(db, mail)` runs before it, may
    write, and returns the mail, for instance with a new secret. It is repeated while the database
    is busy. A mail with the address of a link has `link_of(db, mail)` instead, which returns the id
    of the link or None: its secret is new, and SECRET in a preview.
    """

    kind: str
    contents: Callable
    prepare: Callable | None = None
    link_of: Callable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Files that the closing of a month keeps (`domain/books/files.py`).

    `names` are those of the files. `write(db, month)` returns {name: bytes} in a snapshot; it raises
    a Problem with the code `incomplete` if they cannot be written yet, and only a request keeps them
    later. `title` names them in a warning.
    """

    title: str
    names: tuple[str, ...]
    write: Callable
    incomplete: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a package adds. Every part but the name is empty unless it is given.

    checks: part of a check in NAMES of `upkeep/checks.py` -> function of a database that returns or
        yields sentences. A part has one function.
    previews: name of a text of a mail -> function (db, wanted) that returns its `Preview`. `wanted`
        is a `Wanted`; both are in `domain/mail/contents.py`.
    forgets: functions (db, size) that delete at most `size` rows in a transaction, and return their
        number.
    erases_first: statements with :id of a contact, which find rows by its address or number, and so
        run before these are erased.
    erases: statements with :id of the contact, :pairs of its records and :now.
    deletes: (kind, `DELETE … RETURNING id` with :id and :pairs); each row is journalled as erased.
    erases_at_end: statements with :id of an invoice whose retention period has ended, and :now.
    keeps: files that the closing of a month keeps.
    merges_contacts: functions (db, contact_id, duplicate_id).
    merges_participants: functions (db, kept_id, other_id).
    """

    name: str
    checks: Mapping[str, Callable] = field(default_factory=dict)
    mails: tuple[Mail, ...] = ()
    previews: Mapping[str, Callable] = field(default_factory=dict)
    forgets: tuple[Callable, ...] = ()
    erases_first: tuple[Statement, ...] = ()
    erases: tuple[Statement, ...] = ()
    deletes: tuple[tuple[Kind, Statement], ...] = ()
    erases_at_end: tuple[Statement, ...] = ()
    keeps: tuple[Kept, ...] = ()
    merges_contacts: tuple[Callable, ...] = ()
    merges_participants: tuple[Callable, ...] = ()
