"""Files of any format, and ZIP files: several statements, and hostile archives."""

import io
import random
import struct
import zipfile
import zlib

import pytest

from eventapi.domain.bank import archives
from tests.domain.bank.test_csv_files import FILES
from tests.support.all_tests import only_in_all
from tests.support.camt import document, statement

OWN = "DE02120300000000202051"
PAID = {
    "amount": 119000,
    "day": "2025-03-04",
    "bank_reference": "R1",
    "party": "A",
    "text": "INV-2025-00001",
}
DAYS = [document([statement(OWN, [{**PAID, "day": f"2025-03-0{day}"}])]) for day in range(1, 4)]
CSV = FILES["Sparkasse CSV-CAMT"][0]


def packed(files, method=zipfile.ZIP_DEFLATED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


def read(data, account=None):
    return list(archives.read(io.BytesIO(data), account))


def test_all_formats_are_recognised():
    assert [
        one.form for data in (DAYS[0], CSV, packed({"a.xml": DAYS[0]})) for one in read(data)
    ] == ["camt.053.001.02", "Sparkasse", "camt.053.001.02"]
    assert read(FILES["N26"][0].encode(), OWN)[0].account == OWN


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_of_several_files(method):
    data = packed(
        {
            "a/b/1.xml": DAYS[0],
            "../../2.xml": DAYS[1],
            "3.csv": CSV,
            "folder/": b"",
            "1.PDF": b"%PDF-1.4",
            "__MACOSX/._1.xml": b"\0\5\x16\7",
        },
        method,
    )
    assert [one.form for one in read(data)] == ["camt.053.001.02", "camt.053.001.02", "Sparkasse"]


def lying(data):
    """Return a ZIP whose list says that a large file is small."""
    place = data.index(b"PK\x01\x02") + 24
    return data[:place] + struct.pack("<I", 10) + data[place + 4 :]


def encrypted(data):
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place += data.index(mark)
        data = data[:place] + b"\1" + data[place + 1 :]
    return data


def many(number):
    return packed({f"{place}.xml": b"" for place in range(number)}, zipfile.ZIP_STORED)


def zip64(count):
    """Return a ZIP whose last record says that it has one file, and whose ZIP64 record says
    `count`.
    """
    data = packed({"a.pdf": b""}, zipfile.ZIP_STORED)
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    files = data[start:end] * count
    record = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(files), start
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, start + len(files), 1)
    return data[:start] + files + record + locator + data[end:]


def uncounted(count):
    """Return a ZIP with `count` files whose last record says that there is one."""
    data = bytearray(packed({f"{place}.pdf": b"" for place in range(count)}, zipfile.ZIP_STORED))
    struct.pack_into("<2H", data, data.index(b"PK\x05\x06") + 8, 1, 1)
    return bytes(data)


BOMB = packed({"a.xml": b"<a>" + bytes(300) * 100_000})
REFUSED = {
    "empty": (packed({}), "The ZIP contains no file"),
    "only ignored": (packed({"a.pdf": b"%PDF"}), "The ZIP contains no file"),
    "nested": (
        packed({"a.zip": packed({"a.xml": DAYS[0]})}),
        'File "a.zip" in the ZIP: A ZIP inside a ZIP',
    ),
    "encrypted": (
        encrypted(packed({"a.xml": DAYS[0]})),
        'File "a.xml" in the ZIP: It is encrypted',
    ),
    "unusual method": (packed({"a.xml": DAYS[0]}, zipfile.ZIP_LZMA), "packed by an unusual method"),
    "bomb": (BOMB, 'File "a.xml" in the ZIP: It has more than'),
    "bomb that lies": (lying(BOMB), 'File "a.xml" in the ZIP: '),
    "many files": (many(501), "contains 501 files, but at most 500"),
    "ZIP64": (zip64(600), "has the format ZIP64"),
    "files that are not counted": (uncounted(501), "contains more than 500 files"),
    "cut off": (packed({"a.xml": DAYS[0]})[:-30], "The ZIP is cut off"),
    "damaged": (
        packed({"a.xml": DAYS[0]}, zipfile.ZIP_STORED).replace(
            b"INV-2025-00001", b"INV-2025-00002", 1
        ),
        'File "a.xml" in the ZIP: It is damaged',
    ),
    "one wrong file": (
        packed({"1.xml": DAYS[0], "2.xml": DAYS[1][:-40]}),
        'File "2.xml" in the ZIP: The XML is wrong',
    ),
    "workbook": (
        packed({"[Content_Types].xml": b"<Types/>"}),
        "The file is a workbook",
    ),
    "text": (
        packed({"readme.txt": b"hello"}),
        'File "readme.txt" in the ZIP: The file is not the CSV',
    ),
    "name with control characters": (
        packed({"a\r\n\x1b[1m.txt": b"hello"}),
        'File "a [1m.txt" in the ZIP',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_zip_that_is_not_sound_is_refused(name):
    data, reason = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        read(data)
    assert reason in str(caught.value)


def test_the_size_of_all_files_is_limited(monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED", 3000)
    with pytest.raises(ValueError, match=r'File "3.xml" in the ZIP: It has more than \d+ bytes'):
        read(packed({"1.xml": DAYS[0], "2.xml": DAYS[1], "3.xml": DAYS[2]}))


def test_files_that_overlap_are_limited(monkeypatch):
    """Many entries of the list that all name the same data (a ZIP bomb without a large file).

    Newer versions of Python refuse them by themselves.
    """
    monkeypatch.setattr(archives, "MAX_UNPACKED", 1_000_000)
    data = packed(
        {
            "a.xml": DAYS[0]
            + b"<!--"
            + bytes(random.Random(1).randbytes(1000)).hex().encode()
            + b"-->"
        }
    )
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    record, tail = data[start:end], bytearray(data[end:])
    struct.pack_into("<2H2L", tail, 8, 400, 400, len(record) * 400, start)
    with pytest.raises(ValueError, match=r"It has more than|Overlapped entries"):
        read(data[:start] + record * 400 + bytes(tail))


def entries_of_days(count, status="BOOK"):
    return document(
        [
            statement(
                OWN, [{**PAID, "bank_reference": f"R{n}", "status": status} for n in range(count)]
            )
        ]
    )


ROWS = CSV.decode("cp1252").splitlines(keepends=True)


@pytest.mark.parametrize(
    "data",
    [
        entries_of_days(3000),
        entries_of_days(3000, "PDNG"),
        document([statement(OWN, [])] * 3000),
        packed({f"{number}.xml": entries_of_days(20) for number in range(100)}),
        "".join([*ROWS[:-1], *ROWS[-1:] * 3000]).encode(),
        document(
            [
                statement(
                    OWN,
                    [
                        {
                            "amount": 300,
                            "day": "2025-03-04",
                            "parts": [{"amount": 100, "bank_reference": f"B{n}"} for n in range(3)],
                        }
                    ],
                )
                for _ in range(1000)
            ]
        ),
    ],
    ids=["entries", "pending entries", "statements", "files in a ZIP", "rows", "batches"],
)
def test_the_number_of_entries_is_limited_while_they_are_read(data):
    """Not only when all of them are in memory."""
    file, found = io.BytesIO(data), []
    with pytest.raises(
        ValueError, match=r"At most 50000 entries are read at once\. Send the statements in several"
    ):
        found.extend(archives.read(file, most=1000))
    assert sum(len(one.entries) + 1 for one in found) <= 1000
    assert file.tell() < len(data) * 0.7 or not data.startswith(b"<")


@only_in_all
def test_a_file_may_have_50000_entries():
    (found,) = archives.read(io.BytesIO("".join([*ROWS[:-1], *ROWS[-1:] * 50_000]).encode()))
    assert len(found.entries) == 50_000
    with pytest.raises(ValueError, match="At most 50000 entries"):
        list(archives.read(io.BytesIO("".join([*ROWS[:-1], *ROWS[-1:] * 50_001]).encode())))


@pytest.mark.parametrize("seed", range(300))
def test_a_changed_zip_is_refused_or_read(seed):
    dice = random.Random(seed)
    data = bytearray(
        packed(
            {"1.xml": DAYS[0], "2.csv": CSV},
            dice.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
        )
    )
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    try:
        found = read(bytes(data))
    except ValueError:
        return
    assert all(entry.amount in (119000, 296002) for one in found for entry in one.entries)


def test_zlib_is_the_judge_of_the_ratio():
    """30 MB of zeros are about 30 KB: the limit is above what statements reach, and below this."""
    xml = document([statement(OWN, [{**PAID, "bank_reference": f"R{n}"} for n in range(2000)])])
    assert len(xml) / len(zlib.compress(xml)) < archives.MAX_RATIO < 30_000_000 / len(BOMB)
