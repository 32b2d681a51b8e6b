"""Files of banks and of suppliers say the same as before.

`readings/statements.json` and `readings/invoices.json` are what commit 829812c3 has read in the files
beside them. They are figures of that version and never written again: the keys of entries recognise
what was imported before, and a bookkeeper has compared the invoices.
"""

import json
from pathlib import Path

import pytest

from eventapi.domain.bank import archives
from eventapi.domain.bank.entries import Entry, Statement
from eventapi.domain.einvoices import received
from eventapi.storage.database import as_json

HERE = Path(__file__).parent / "readings"
STATEMENTS = json.loads((HERE / "statements.json").read_text(encoding="utf-8"))
INVOICES = json.loads((HERE / "invoices.json").read_text(encoding="utf-8"))
OWN = "DE02120300000000202051"
# fields that came later; they say how a file was read, not what is in it
LATER = ("header", "format_id")
# what an organiser may have: one account, or several
ACCOUNTS = {"one": [OWN], "several": ["DE75512108001245126199", OWN], "none": []}


def values(record, kind):
    """Return the fields of an Entry or a Statement that differ from their defaults, as in the list."""
    fields = kind.__dataclass_fields__
    found = {name: getattr(record, name) for name in fields if name not in ("entries", *LATER)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if name in ("booked_on", "amount") or value != fields[name].default
    }


@pytest.mark.parametrize("accounts", ACCOUNTS)
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_has_the_entries_that_it_had(name, accounts):
    known = STATEMENTS[name]
    with (HERE / "statements" / name).open("rb") as file:
        found = list(
            archives.read(file, known["account"], own=known["columns"], accounts=ACCOUNTS[accounts])
        )
    assert [
        {
            **values(statement, Statement),
            "entries": [values(entry, Entry) for entry in statement.entries],
        }
        for statement in found
    ] == known["statements"]


@pytest.mark.parametrize("name", INVOICES)
def test_an_e_invoice_has_the_terms_and_faults_that_it_had(name):
    with (HERE / "invoices" / name).open("rb") as file:
        (found,) = received.parse(file, None)
    assert json.loads(as_json(found["e_invoice"])) == INVOICES[name]
    assert found["warnings"] == []


def test_each_file_has_a_reading():
    for folder, readings in (("statements", STATEMENTS), ("invoices", INVOICES)):
        assert {path.name for path in (HERE / folder).iterdir()} == set(readings)
