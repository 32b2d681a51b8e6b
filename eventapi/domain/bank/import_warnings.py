"""The warnings of an import: what somebody should look at, though nothing is refused."""

from eventapi import money
from eventapi.errors import listed
from eventapi.languages import formats
from eventapi.storage.statements import statements

sql = statements("bank_statements")

MOST_NAMED = 5  # batches that a warning names


def warnings_of_statement(db, statement):
    """Return the warnings about one Statement: the same days in another format, and batches that do
    not add up.
    """
    found = []
    if statement.starts_on and statement.ends_on:
        other = db.value(
            sql.other_format,
            account=statement.account,
            currency=statement.currency,
            form=statement.form,
            from_date=statement.starts_on,
            to_date=statement.ends_on,
        )
        if other:
            found.append(
                {
                    "code": "other_format",
                    "detail": f"Statements of {statement.account} for these days were "
                    f"imported as {other}. Transactions of {statement.form} are not recognised as the same.",
                }
            )
    batches = [entry for entry in statement.entries if entry.batch_sum is not None]
    if batches:
        named = listed(
            [
                f"{_shown(entry.amount, entry)} of {entry.booked_on}, whose transactions add up to "
                f"{_shown(entry.batch_sum, entry)}"
                for entry in batches[:MOST_NAMED]
            ]
        )
        more = f" (and {len(batches) - MOST_NAMED} more)" if len(batches) > MOST_NAMED else ""
        found.append(
            {
                "code": "batch_sum",
                "detail": f"Account {statement.account}: a batch that does not add up is "
                f"imported as one transaction: {named}{more}. Compare it with the account, and assign it "
                "yourself.",
            }
        )
    return found


def has_unread_state(found):
    """Return whether one of these Statements may contain rows that are not booked, so that none is
    booked by itself.
    """
    return any(statement.unread_state for statement in found)


def warnings_of_rows(found):
    """Return the warnings about rows of these Statements that were left out, that may not be booked,
    or that may be missing.
    """
    warnings = []
    skipped = sum(statement.skipped for statement in found)
    if skipped:
        warnings.append({"code": "pending_rows", "detail": _skipped(found, skipped)})
    for statement in found:
        if statement.notes:
            warnings.append({"code": "rows_skipped", "detail": _notes(statement)})
    unproven = sorted({statement.account for statement in found if statement.is_unproven})
    if unproven:
        warnings.append(
            {
                "code": "balance_unproven",
                "detail": f"The file has no opening and closing balance of the account {listed(unproven)}, so it "
                "is not certain that it has all transactions. Compare the balance with the account, or "
                "import a later statement of these days.",
            }
        )
    for column, *states in sorted(
        {tuple(statement.unread_state) for statement in found if statement.unread_state}
    ):
        named = listed([f'"{state}"' if state else "nothing" for state in states])
        is_remembered = any(statement.format_id for statement in found)
        way = "with all columns of the file" if is_remembered else "in the same way"
        warnings.append(
            {
                "code": "state_column",
                "detail": f'The column "{column}" looks like the state of the rows, '
                f"and has {named}. It was not read, so rows that are not booked may be among the "
                f"transactions, and `auto=exact` books none of them. Send the file again {way} "
                "and with this column as `column_state`; `states` names other words for booked.",
            }
        )
    return warnings


def _skipped(found, skipped):
    """Return the sentence about the number of entries that are not booked."""
    states = dict.fromkeys(
        f'"{state}"' if state else "no state"
        for statement in found
        for state in statement.skipped_states
    )
    named = f" ({listed(list(states))})" if states else ""
    one = "transaction is" if skipped == 1 else "transactions are"
    nothing = (
        ""
        if any(statement.entries for statement in found)
        else " The file has no booked transaction."
    )
    return (
        f"{skipped} {one} not booked yet{named} and left out, because the money may never come. A later statement "
        f"contains them again once they are booked.{nothing}"
    )


def _notes(statement):
    """Return the sentence about the lines of a CSV file that are no rows."""
    named = listed([str(line) for line in statement.note_lines])
    rest = statement.notes - len(statement.note_lines)
    more = f" (and {rest} more)" if rest else ""
    of = f"Account {statement.account}: " if statement.account else ""
    what = f"line {named} has" if statement.notes == 1 else f"lines {named}{more} have"
    return f"{of}{what} no day and no amount, or only sums. No transaction was read there: look whether one is missing."


def _shown(units, entry):
    return formats.money(money.major(units, entry.currency), entry.currency, "en")
