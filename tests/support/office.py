"""Office files as the usual programs lay them out: the entries that tell the format come late in
the archive.
"""

import io
import random
import struct
import zipfile


def word_file(folder="word/", overrides=10):
    """Return a document as Word saves it: the first entries have more than 500 bytes of padding
    each.

    `folder` is `xl/` for Excel and `ppt/` for PowerPoint. `overrides` determines the size of
    [Content_Types].xml.
    """
    numbers = random.Random(1)
    types = "".join(
        f'<Override PartName="/{folder}part{numbers.getrandbits(32)}.xml"/>'
        for _ in range(overrides)
    )
    return _archive(
        [
            ("[Content_Types].xml", f"<Types>{types}</Types>", 516),
            ("_rels/.rels", "<Relationships/>", 590),
            (f"{folder}document.xml", "<document/>", 0),
        ]
    )


def libreoffice_file():
    """Return a document in the format of Word as LibreOffice saves it: the properties come before
    the text.
    """
    numbers = random.Random(2)
    properties = "".join(f"<p>{numbers.getrandbits(64)}</p>" for _ in range(60))
    return _archive(
        [
            ("_rels/.rels", "<Relationships/>", 0),
            ("docProps/core.xml", properties, 0),
            ("word/document.xml", "<document/>", 0),
            ("[Content_Types].xml", "<Types/>", 0),
        ]
    )


def _archive(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text, padding in entries:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.extra = struct.pack("<HH", 0xA220, padding) + b"\0" * padding if padding else b""
            archive.writestr(entry, text)
    return file.getvalue()
