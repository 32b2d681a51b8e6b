"""Read bank statements from a file of any format: camt.053, CSV, or a ZIP of several.

A ZIP is bounded in its number of files and in its unpacked size, whatever it says about itself. The
names in it are shown in errors and never used as paths. A ValueError says which file is wrong and
what to do.
"""

import io
import os
import struct
import zipfile
import zlib
from tempfile import TemporaryFile

from eventapi.domain.bank import camt, csv_files, other_formats
from eventapi.domain.bank.entries import MAX_ENTRIES, Refused, text

MAX_FILES = 500  # a year of daily statements
MAX_UNPACKED = 60_000_000  # bytes of all files, 50,000 entries
MAX_RATIO = 300  # of the unpacked to the packed size; XML has about 30
MAX_DIRECTORY = 400_000  # bytes of the list of files
ZIP64 = b"PK\x06\x07"  # begins a record before the end, which replaces the sizes there
ZIP64_SIZE = 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the first bytes; the second ones are those of an empty ZIP
CHUNK = 65_536
# what zipfile raises for damaged files
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    OverflowError,
    ValueError,
)
END = struct.Struct("<4s4H2LH")  # the record at the end of a ZIP (APPNOTE.TXT 4.3.16)


def read(file, account=None, most=MAX_ENTRIES, own=None, accounts=(), remembered=()):
    """Yield the Statements of a file that is open for reading and can be rewound.

    `account` is the IBAN for files that do not name their account, `own` are the columns of
    those of a bank that is not known (csv_forms.forms_of), and `remembered` those of earlier files
    (formats.candidates). `accounts` are the IBANs of the organiser, which files may name by their
    old numbers; a file that names none is that of the only one. `most`: the number of entries and
    statements that are allowed together. A file is known to be sound only at its end, so book
    nothing before.
    """
    start = file.read(200)
    file.seek(0)
    if start.startswith(ZIP):
        yield from _packed(file, account, most, own, accounts, remembered)
        return
    other_formats.refuse_other(start)
    if not camt.recognise(start):
        yield from csv_files.read(file, account, most, own, accounts, remembered)
    elif own:
        raise Refused(
            "no_columns",
            "The file is XML, which has no columns. Send it without the parameters that name columns.",
        )
    else:
        yield from camt.read(file, account, most, accounts)


def _packed(file, account, most, own, accounts, remembered):
    """Yield the Statements of a ZIP."""
    for name, member in members(file):
        try:
            for statement in read(member, account, most, own, accounts, remembered):
                most -= len(statement.entries) + 1
                yield statement
        except Refused as error:
            raise _in_archive(name, error) from None


def members(file):
    """Yield (name, file) of the statements in a ZIP. Each file is open until the next one."""
    _check_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGED as error:
        raise Refused(
            "damaged_file", f"The ZIP is damaged ({error}). Download it again from the bank."
        ) from None
    other_formats.refuse_workbook(archive)
    if len(archive.infolist()) > MAX_FILES:
        raise Refused(
            "too_many_files", f"The ZIP contains more than {MAX_FILES} files. Send it in several."
        )
    found = [member for member in archive.infolist() if not _is_ignored(member.filename)]
    if not found:
        raise Refused(
            "empty_archive",
            "The ZIP contains no file. Send a ZIP with statements in the format camt.053.",
        )
    rest = MAX_UNPACKED
    for member in found:
        name = text(os.path.basename(member.filename), 80)
        with TemporaryFile() as unpacked:
            try:
                rest -= _unpack(archive, member, unpacked, rest)
                if unpacked.read(4) in ZIP:
                    raise Refused(
                        "archive_in_archive", "A ZIP inside a ZIP is not read. Send the inner one."
                    )
            except Refused as error:
                raise _in_archive(name, error) from None
            unpacked.seek(0)
            yield name, unpacked


def _in_archive(name, error):
    return Refused(error.code, f'File "{name}" in the ZIP: {error}')


def _is_ignored(name):
    """Return whether a name in a ZIP is a folder, a PDF of the same statement, or a file that macOS
    adds.
    """
    return (
        name.endswith("/")
        or name.lower().endswith(".pdf")
        or "__MACOSX/" in name
        or name.endswith(".DS_Store")
    )


def _check_directory(file):
    """Raise ValueError if the list of files in a ZIP is too long to be read into memory."""
    file.seek(0, io.SEEK_END)
    file.seek(max(0, file.tell() - 65_535 - END.size))
    tail = file.read()
    start = tail.rfind(b"PK\x05\x06")
    file.seek(0)
    if tail[max(0, start - ZIP64_SIZE) : start].startswith(ZIP64):
        raise Refused(
            "unusual_archive",
            "The ZIP has the format ZIP64, which is for large files. Send the statements unpacked.",
        )
    if start < 0 or len(tail) - start < END.size:
        raise Refused("damaged_file", "The ZIP is cut off. Download it again from the bank.")
    _, _, _, _, number, size, _, _ = END.unpack_from(tail, start)
    if number > MAX_FILES or size > MAX_DIRECTORY:
        raise Refused(
            "too_many_files",
            f"The ZIP contains {number} files, but at most {MAX_FILES} are allowed. Send it in several.",
        )


def _unpack(archive, member, target, most):
    """Write the content of a member to a file and rewind it.

    Return its size. Raise ValueError if it is too large.
    """
    if member.flag_bits & 1:
        raise Refused(
            "encrypted_archive",
            "It is encrypted. Unpack the ZIP with its password, and send the statements.",
        )
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(
            "unusual_archive",
            "It is packed by an unusual method. Unpack it, and send the statement.",
        )
    size, most = 0, min(most, MAX_RATIO * max(member.compress_size, 1000))
    try:
        with archive.open(member) as source:
            while size <= most and (chunk := source.read(CHUNK)):
                size += len(chunk)
                target.write(chunk)
    except DAMAGED as error:
        raise Refused(
            "damaged_file", f"It is damaged ({error}). Download the ZIP again from the bank."
        ) from None
    if size > most:
        raise Refused(
            "file_too_large",
            f"It has more than {most} bytes when unpacked. Send it by itself, unpacked.",
        )
    target.seek(0)
    return size
