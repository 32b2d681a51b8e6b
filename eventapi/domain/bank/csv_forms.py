"""The columns of a CSV file: those of a bank that is known, or those that a request names.

A file is recognised by the names of its columns, unless the request names them itself (`forms_of`).
"""

from dataclasses import replace

from eventapi.domain.bank.csv_banks import FORMS, SEPA_LABELS, Form, normal
from eventapi.domain.bank.csv_states import booked_of

# Field of a bank transaction, as a request names its column -> field of a Form
OWN = {
    "booked_on": "booked_on",
    "amount": "amount",
    "debit": "debit",
    "credit": "credit",
    "party": "party",
    "iban": "party_iban",
    "text": "reference",
    "end_to_end_id": "end_to_end_id",
    "currency": "currency",
    "account": "account",
    "state": "own_state",
}


def forms_of(own):
    """Return the Forms that a file may have whose columns a request names.

    `own` is {key of OWN: name}, with what it says of amounts and days ("decimal", "thousands",
    "dates", see csv_values.Finder). `states` in it are texts of the column
    `state` that mean "booked", beside BOOKED. A request that names only that column reads the file
    of a bank that is known: the form keeps its name and its texts, so that transactions that were
    read before are known.
    """
    if not names_columns(own):
        return [_with_state(form, own) for form in FORMS]
    columns = {field: normal(own[field]) for field in OWN if field in own}
    fields = {
        "booked_on": (),
        "amount": (),
        **{OWN[field]: (name,) for field, name in columns.items()},
    }
    form = Form(
        name_of(own),
        frozenset(columns.values()),
        labels=SEPA_LABELS,
        is_own=True,
        **fields,
    )
    return [_with_state(form, own) if "state" in own else form]


def names_columns(own):
    """Return whether a request names the columns of a file, and not only that of the state."""
    return own.keys() - {"state", "states"} != set()


def name_of(own):
    """Return the name of the Form of a file whose columns a request names.

    It contains the columns, so that transactions that were read with other columns count as those
    of another format: their texts differ, and they are not recognised as the same. The state
    changes no text, so it is left out.
    """
    named = [field for field in OWN if field in own and field != "state"]
    return "CSV with " + ", ".join(f"{field}={normal(own[field])}" for field in named)


def _with_state(form, own):
    """Return the form with the column of the state that the request names, which may be that of the
    form itself.
    """
    column = normal(own["state"])
    if column in form.status:
        form = replace(form, status=(), booked=(), pending=())
    return replace(
        form, columns=form.columns | {column}, own_state=(column,), own_booked=booked_of(own)
    )


def form_of(names, forms=FORMS):
    """Return the Form of a file with these columns, already normal, or None.

    Named columns must each be there once.
    """
    return next(
        (
            form
            for form in forms
            if form.columns <= set(names)
            and not any(
                names.count(column) > 1
                for column in (form.columns if form.is_own else form.own_state)
            )
        ),
        None,
    )
