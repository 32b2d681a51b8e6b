"""Read bank statements in camt.053 and reports in camt.052 (ISO 20022), version 02, 08 and others of
the same structure.

Elements are found by their local names, since versions differ in the namespace. Only booked entries
become entries of a statement. A ValueError says what is wrong with the file and what to do.
"""

import re
from decimal import Decimal
from operator import itemgetter

from eventapi import money
from eventapi.domain.bank import account_numbers, other_formats
from eventapi.domain.bank.camt_entries import AGAIN, amount_of, date_in, entries_of, signed
from eventapi.domain.bank.entries import (
    MAX_ENTRIES,
    Refused,
    Statement,
    check_number,
    compact,
    identified,
    text,
)
from eventapi.errors import listed
from eventapi.validation import xml_documents

# the first element inside the root -> its messages for one account
MESSAGES = {"BkToCstmrStmt": "Stmt", "BkToCstmrAcctRpt": "Rpt"}
REPORT = "Rpt"  # camt.052: the bank may send it during the day, without a closing balance
# the same of messages that look like a statement: one that is never read, and the old ones
DETAILS = "BkToCstmrDbtCdtNtfctn"
OLD = {
    "BkToCstmrStmtV01": "camt.053.001.01",
    "BkToCstmrAcctRptV01": "camt.052.001.01",
    "BkToCstmrDbtCdtNtfctnV01": "camt.054.001.01",
}
MESSAGE = re.compile(r"[a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2}")  # its name in ISO 20022


def recognise(data):
    """Return whether a file that begins with these bytes is XML."""
    start = data[:200].removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip(b"\xff\xfe \t\r\n")
    return start.startswith(b"<")


def read(file, account=None, most=MAX_ENTRIES, accounts=()):
    """Yield the Statements of a file that can be rewound.

    Entries and statements may be `most` together. `account` and `accounts`: see archives.read.

    Each is checked once it is complete: opening balance and booked entries make the closing
    balance, without which a statement in camt.053 is refused. A report in camt.052 may lack them. The
    file is known to be sound only at its end, so book nothing before.
    """
    try:
        form, message = _form(xml_documents.outline(file))
        file.seek(0)
        name_of = _namer(account, accounts)
        yield from _statements(file, form, message, most, name_of)
    except Refused:
        raise
    except ValueError as error:  # of xml_documents
        raise Refused("damaged_file", str(error)) from None


def _statements(file, form, message, most, name_of):
    """Yield the Statements of a file of this format, see `read`."""
    entries, skipped, empty, number, count, total = [], 0, 0, 0, 0, 0
    for element in xml_documents.iterate(file, message, "Ntry"):
        _strip(element)
        if element.tag == "Ntry":
            number += 1
            found, is_booked = entries_of(element, number)
            total += max(1, len(found))
            check_number(total, most)
            entries += [entry for entry in found if entry.amount]
            empty += sum(not entry.amount for entry in found)
            skipped += not is_booked
        else:
            total += 1
            check_number(total, most)
            yield _statement(element, form, entries, skipped, empty, name_of)
            entries, skipped, empty, number, count = [], 0, 0, 0, count + 1
    if not count or number:
        raise Refused(
            "no_statement",
            f"The file contains no statement (<{message}>), or entries outside of it. {AGAIN}.",
        )


def _form(outline):
    """Return the name of the format, such as camt.053.001.08, and that of the element of a statement.

    `outline`: the names of the root and of its first child.
    """
    namespace, _, _ = outline[0].rpartition("}")
    names = [name.rpartition("}")[2] for name in outline]
    message = MESSAGES.get(names[-1]) if len(names) == 2 else None
    if message:
        plain = "camt.052" if message == REPORT else "camt.053"
        return text(namespace.rpartition(":")[2], 40) or plain, message
    if names[-1] == DETAILS:
        other_formats.refuse("camt_054")
    if names[-1] in OLD:
        other_formats.refuse("camt_version_1", OLD[names[-1]])
    if names[0].upper() == "OFX":
        other_formats.refuse("ofx")
    name = MESSAGE.search(namespace)
    what = f"the message {name[0]}" if name else f"XML with the root <{names[0][:60]}>"
    raise Refused(
        "statement",
        f"The file is not a bank statement: it is {what}. Send a statement in the format camt.053 or "
        "camt.052, or CSV.",
    )


def _strip(element):
    """Remove the namespaces from an element and all inside it."""
    for part in element.iter():
        part.tag = part.tag.rpartition("}")[2]


# Statements


def _statement(element, form, entries, skipped, empty, name_of):
    """Return the Statement of a <Stmt> or <Rpt>, to which these entries belong.

    Raise ValueError if its sums are wrong.
    """
    currency = _currency_of(element, entries)
    dates = [entry.booked_on for entry in entries]
    is_report = element.tag == REPORT
    # Reports of a day have numbers of their own, which are no gaps between statements.
    number = text(element.findtext("ElctrncSeqNb")) or text(element.findtext("LglSeqNb"))
    balances = _balances(element, currency)
    account = name_of(element)
    statement = Statement(
        account=account,
        currency=currency,
        entries=identified(account, entries),
        number=None if is_report else number,
        starts_on=_limit(element, "FrToDt/FrDtTm") or min(dates, default=None),
        ends_on=_limit(element, "FrToDt/ToDtTm") or max(dates, default=None),
        **balances,
        skipped=skipped,
        empty=empty,
        form=form,
        is_unproven=is_report and None in balances.values(),
    )
    _check_sums(statement)
    return statement


def _namer(account, accounts):
    """Return a function that returns the account of a <Stmt>, see archives.read."""
    only = accounts[0] if len(accounts) == 1 else None

    def name_of(element):
        iban = compact(element.findtext("Acct/Id/IBAN"))
        other = compact(element.findtext("Acct/Id/Othr/Id"), 40)
        return iban or account_numbers.resolved(other, accounts) or account or only

    return name_of


def _limit(element, path):
    """Return the first or last day of a <Stmt> or the day of a balance, None if the bank wrote none
    that can be read: the days of the entries say the same, and balances have their order.
    """
    try:
        return date_in(element, path, "a statement")
    except Refused:
        return None


def _currency_of(element, entries):
    """Return the currency of a <Stmt>: that of its balances, of its account, or of its first entry."""
    balance = element.find("Bal/Amt")
    found = [balance.get("Ccy") if balance is not None else None, element.findtext("Acct/Ccy")]
    found += [entry.currency for entry in entries[:1]]
    currency = next((text(code) for code in found if text(code)), None)
    if currency not in money.CURRENCIES:
        raise Refused(
            "unknown_currency",
            f"A statement has the currency {currency}, which is not a currency of ISO 4217. {AGAIN}.",
        )
    return currency


def _balances(element, currency):
    """Return `opening` and `closing` of a <Stmt>: of several days, the first opening and the last
    closing balance.

    The opening balance is the code OPBD, or PRCD (the closing balance of the day before). Others,
    such as CLAV (what is available) and ITBD (between two pages), are not used.
    """
    found = {"OPBD": [], "PRCD": [], "CLBD": []}
    for balance in element.findall("Bal"):
        code = text(balance.findtext("Tp/CdOrPrtry/Cd"))
        if code not in found:
            continue
        units, of = amount_of(balance.find("Amt"), "a balance")
        if of == currency:
            day = _limit(balance, "Dt/Dt") or _limit(balance, "Dt/DtTm") or ""
            found[code].append((day, signed(units, balance, "a balance")))
    opening = min(found["OPBD"] or found["PRCD"], key=itemgetter(0), default=(None, None))
    closing = max(reversed(found["CLBD"]), key=itemgetter(0), default=(None, None))
    return {"opening": opening[1], "closing": closing[1]}


def _check_sums(statement):
    """Raise ValueError unless the entries lead from the opening balance, if there is one, to the
    closing balance. It may be missing in a report.
    """
    if statement.is_unproven:
        return
    name = f"Statement {statement.number or ''} of account {statement.account}"
    if statement.closing is None:
        raise Refused(
            "balance_missing",
            f"{name}: the closing balance <CLBD> is missing, so it is not certain that the statement is "
            f"whole. {AGAIN}, for days that are over.",
        )
    if statement.opening is None:
        return
    booked = sum(
        entry.amount for entry in statement.entries if entry.currency == statement.currency
    )
    if statement.opening + booked != statement.closing:
        opening, change, closing, made = (
            _shown(units, statement.currency)
            for units in (statement.opening, booked, statement.closing, statement.opening + booked)
        )
        others = sorted({entry.currency for entry in statement.entries} - {statement.currency})
        cause = (
            f"Entries in {listed(others)} do not count: <Amt> has to be the amount on the account, and <AmtDtls> "
            "what the payer sent"
            if others
            else "The file is cut off or was changed"
        )
        raise Refused(
            "balance_differs",
            f"{name}: the opening balance {opening} and the booked entries {change} make {made}, but the "
            f"closing balance is {closing}. {cause}. {AGAIN}.",
        )


def _shown(units, currency):
    return f"{Decimal(units).scaleb(-money.decimals(currency))} {currency}"
