"""The states in which an invoice is open or accepts payments are the same everywhere."""

import re

import pytest

from eventapi import paths
from eventapi.domain.billing import balance, invoices
from eventapi.errors import Problem
from eventapi.validation.schema_files import document

STATES = document("invoice")["properties"]["status"]["enum"]
IN_SQL = re.compile(r"status IN \(([^()]*'partially_paid'[^()]*)\)")


@pytest.mark.parametrize("status", STATES)
def test_an_invoice_accepts_payments_in_the_payable_states(status):
    # a state that is shown is not stored as such: an overdue invoice is stored as sent or paid in part
    row = {"status": status, "invoice_type": "invoice", "invoice_number": "INV-1"}
    try:
        balance.refuse_unpayable(row)
        is_payable = True
    except Problem:
        is_payable = False
    assert is_payable == (status in invoices.PAYABLE or status == "overdue")


def test_an_open_invoice_accepts_payments_and_is_shown_as_open():
    assert set(invoices.OPEN) < set(invoices.PAYABLE)
    assert set(invoices.SHOWN_OPEN) == {*invoices.OPEN, "overdue"}
    assert {*invoices.PAYABLE, *invoices.SHOWN_OPEN} <= set(STATES)


def test_each_statement_names_the_open_states_in_the_same_order():
    """SQLite uses a partial index only for the same list, so that statements repeat it."""
    found = {}
    for file in paths.folder("sql").glob("*.sql"):
        for states in IN_SQL.findall(file.read_text(encoding="utf-8")):
            found.setdefault(tuple(re.findall(r"'(\w+)'", states)), []).append(file.name)
    assert found.keys() == {invoices.OPEN}, found
