"""Statements on their way from the process that parses a file: as values of JSON, a few entries at
a time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO

from eventapi.domain.bank import archives, previews
from eventapi.domain.bank.entries import Entry, Refused, Statement
from eventapi.parsing import processes

SECONDS = 30  # of CPU; 50,000 entries take 12
PIECE = 20  # entries of a value
ENTRY = [field.name for field in fields(Entry)]
HEAD = [field.name for field in fields(Statement) if field.name != "entries"]
REFERENCES = ENTRY.index("creditor_references")


def read(
    file: BinaryIO,
    account: str | None,
    folder: Path,
    own: dict | None = None,
    accounts: list[str] = (),
    remembered: list[dict] = (),
) -> list[Statement]:
    """Return the Statements of a file, which is parsed in another process.

    `folder` is the data directory.

    `own` are the columns of a CSV file, see `csv_forms.forms_of`, `accounts` the IBANs of the
    organiser, and `remembered` the columns of earlier files, see archives.read. Raise Refused or
    another ValueError as archives.read does, and processes.Busy or Stopped.
    """
    argument = [account, own, list(accounts), list(remembered)]
    return list(received(processes.run(f"{__name__}:parse", argument, file, folder, SECONDS)))


def look(
    file: BinaryIO,
    folder: Path,
    account: str | None,
    own: dict | None,
    accounts: list[str],
    *,
    reads: bool,
) -> dict:
    """Return the preview of a file that is read in another process, see `previews.preview`.

    Raise as `read` does.
    """
    argument = [account, own, list(accounts), reads]
    values = list(processes.run(f"{__name__}:preview", argument, file, folder, SECONDS))
    if len(values) != 1 or not isinstance(values[0], dict):
        raise processes.Stopped("ended unexpectedly")
    return values[0]


def preview(file: BinaryIO, argument: list) -> Iterator[dict]:
    """Yield the preview of a file."""
    account, own, accounts, reads = argument
    yield previews.preview(file, account, own, accounts, reads=reads)


def parse(file: BinaryIO, argument: list) -> Iterator[list | dict]:
    """Yield the Statements of a file: lists of entries, and then the fields of the statement that
    they belong to.

    If the file is refused, the last value is the code of the refusal.
    """
    try:
        yield from _values(file, *argument)
    except Refused as error:
        yield error.code
        raise


def _values(file, account, own, accounts, remembered):
    found = archives.read(file, account, own=own, accounts=accounts, remembered=remembered)
    for statement in found:
        for start in range(0, len(statement.entries), PIECE):
            yield [
                [getattr(entry, name) for name in ENTRY]
                for entry in statement.entries[start : start + PIECE]
            ]
        yield {name: getattr(statement, name) for name in HEAD}


def received(values: Iterable) -> Iterator[Statement]:
    """Yield the Statements in the values of `parse`.

    Raise processes.Stopped if a value has another form.
    """
    entries = []
    for value in _coded(values):
        try:
            if isinstance(value, list):
                entries += [_entry(row) for row in value]
            else:
                # JSON has lists where a Statement has tuples.
                head = {
                    name: tuple(part) if isinstance(part, list) else part
                    for name, part in value.items()
                }
                yield Statement(**head, entries=tuple(entries))
                entries = []
        except (AttributeError, TypeError):
            raise processes.Stopped("ended unexpectedly") from None


def _coded(values):
    """Yield the values, and raise the ValueError behind a code as Refused.

    Raise processes.Stopped if no ValueError follows: then the file was not read to its end.
    """
    code = None
    try:
        for value in values:
            if isinstance(value, str):
                code = value
            else:
                yield value
    except ValueError as error:
        raise Refused(code, str(error)) if code else error from None
    if code is not None:
        raise processes.Stopped("ended unexpectedly")


def _entry(row):
    return Entry(*row[:REFERENCES], tuple(row[REFERENCES]), *row[REFERENCES + 1 :])
