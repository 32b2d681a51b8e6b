"""Content types: detected from the first bytes of a file.

Its name and the header Content-Type are not trusted.
"""

import re

from eventapi.images import GIF, JPEG, PNG, WEBP

UNKNOWN = "application/octet-stream"
PDF, SVG = "application/pdf", "image/svg+xml"
HTML, XML, CSV, TEXT, ZIP = "text/html", "text/xml", "text/csv", "text/plain", "application/zip"

# a browser may display these, and cannot run code in them
PICTURES = frozenset((PNG, JPEG, GIF, WEBP))
BEGINNINGS = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
)
OFFICE = "application/vnd.openxmlformats-officedocument."
OOXML = {
    b"word/": OFFICE + "wordprocessingml.document",
    b"xl/": OFFICE + "spreadsheetml.sheet",
    b"ppt/": OFFICE + "presentationml.presentation",
}
# names of the first entry of such an archive
PACKAGE = (
    b"[Content_Types].xml",
    b"_rels/",
    b"docProps/",
    *OOXML,
)
ODF = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z-]{1,40})")
MARKUP = re.compile(
    r"<(?:!doctype\s+html|html|head|body|script|iframe|style|title|meta|a|div|table|p|h1|br|b|img"
    r"|form|link|object|embed)\b",
    re.I,
)
PAGE = re.compile(r"<(?:!doctype\s+)?html\b", re.I)
EXTENSIONS = {
    PDF: ".pdf",
    HTML: ".html",
    PNG: ".png",
    JPEG: ".jpg",
    GIF: ".gif",
    WEBP: ".webp",
    SVG: ".svg",
    TEXT: ".txt",
    CSV: ".csv",
    ZIP: ".zip",
}
# Further types of document contents that the reference lists.
OTHERS = (
    UNKNOWN,
    PNG,
    JPEG,
    GIF,
    WEBP,
    SVG,
    XML,
    CSV,
    TEXT,
    ZIP,
    *OOXML.values(),
    "application/vnd.oasis.opendocument.text",
)
# no file of another format begins like these
DISTINCT = frozenset((PDF, *PICTURES, *OOXML.values()))
_WORD, _SHEET, _SLIDES = OOXML.values()
_ODF = "application/vnd.oasis.opendocument."
# extensions -> the types that `detect` may find in such a file. A text may look like any other
# text.
_TYPES = {
    "pdf": (PDF,),
    "png apng": (PNG,),
    "gif": (GIF,),
    "webp": (WEBP,),
    "jpg jpeg jpe jfif": (JPEG,),
    "svg": (SVG, XML),  # the element svg may follow a long comment
    "docx docm dotx": (_WORD,),
    "xlsx xlsm xltx": (_SHEET,),
    "pptx pptm ppsx potx": (_SLIDES,),
    "odt": (_ODF + "text",),
    "ods": (_ODF + "spreadsheet",),
    "odp": (_ODF + "presentation",),
    "odg": (_ODF + "graphics",),
    "txt csv tsv md json xml html htm css vcf ics": (TEXT, CSV, HTML, XML, SVG),
}
BY_EXTENSION = {
    extension: types for extensions, types in _TYPES.items() for extension in extensions.split()
}
_POSTSCRIPT, _TIFF = rb"%!PS|\xc5\xd0\xd3\xc6", rb"II[*+]\0|MM\0[*+]"
_HEIF, _OLE = rb".{4}ftyp(?:hei|hev|mif1|msf1|avi)", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# extensions -> how such a file begins, for formats that `detect` does not name
_BEGINNINGS = {
    "ai": rb"%PDF-|" + _POSTSCRIPT,
    "eps ps": _POSTSCRIPT,
    "tif tiff": _TIFF,
    "psd": rb"8BPS",
    "bmp": rb"BM",
    "indd": rb"\x06\x06\xed\xf5",
    "dwg": rb"AC10",
    "heic heif avif": _HEIF,
    "mp4 m4v m4a": rb".{4}ftyp(?!hei|hev|mif1|msf1|avi|qt)",
    "mov": rb".{4}(?:ftypqt|moov|mdat|wide|free|skip|pnot)",
    "webm mkv": rb"\x1a\x45\xdf\xa3",
    "avi": rb"RIFF.{4}AVI ",
    "wav": rb"RIFF.{4}WAVE",
    "mp3": rb"ID3|\xff[\xe2-\xff]",
    "ogg": rb"OggS",
    "flac": rb"fLaC",
    "doc xls ppt": _OLE,
    "rtf": rb"\{\\rtf",
    "zip": rb"PK\x03\x04|PK\x05\x06",
    "gz": rb"\x1f\x8b",
    "7z": rb"7z\xbc\xaf",
    "rar": rb"Rar!",
    "ttf": rb"\0\x01\0\0|true",
    "otf": rb"OTTO",
    "woff": rb"wOFF",
    "woff2": rb"wOF2",
}
SIGNATURES = {
    extension: re.compile(pattern, re.S)
    for extensions, pattern in _BEGINNINGS.items()
    for extension in extensions.split()
}
STORED = (*OTHERS, PDF, HTML)  # types in which the reference offers a stored file
SEPARATORS = ",;\t"
TEXT_HEAD = 512  # bytes of a text that are examined
CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Characters that no file name has: control characters, and those that reverse the direction of
# text.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def safe_name(filename):
    """Return the name of a file that somebody sends, without folders. It may be empty."""
    return _FORBIDDEN.sub("_", filename.replace("\\", "/").rpartition("/")[2]).strip()[-255:]


def detect(head):
    """Return the content type of a file that begins with these bytes. Nothing is unpacked.

    512 bytes are enough, except for office files: Word puts more than that before the entry that
    tells the format.
    """
    for beginning, kind in BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(head)
    text = _text(head)
    return UNKNOWN if text is None else _kind_of_text(text)


def fits(extension, head):
    """Return whether a file with this extension (lower case, without dot) may begin with these
    bytes.

    A file with an unknown extension may have any content whose format does not have an extension of
    its own.
    """
    if extension in SIGNATURES:
        return SIGNATURES[extension].match(head) is not None
    kind = detect(head)
    if extension in BY_EXTENSION:
        types = BY_EXTENSION[extension]
        return bool(head) and (
            kind in types
            or (TEXT in types and kind == UNKNOWN and _is_windows_text(head))
            or (types[0] in OOXML.values() and kind == ZIP and _is_package(head))
        )
    return kind not in DISTINCT and not kind.startswith(_ODF)


def _archive(head):
    """Return the type of a ZIP, or of an office format, which is a ZIP whose first entries have
    known names.
    """
    if head[30:38] == b"mimetype":
        found = ODF.match(head, 30)
        return found[1].decode() if found else ZIP
    if not _is_package(head):
        return ZIP
    names = [
        head[place + 30 : place + 80]
        for place in (found.start() for found in re.finditer(rb"PK\x03\x04", head))
    ]
    return next(
        (kind for folder, kind in OOXML.items() if any(name.startswith(folder) for name in names)),
        ZIP,
    )


def _is_package(head):
    """Return whether an archive begins like an office file of Microsoft, whichever of the formats
    it has.
    """
    return head[30:].startswith(PACKAGE)


def _text(head):
    """Return the first bytes as text, or None if they are not text."""
    head = head[:TEXT_HEAD]
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if head.startswith(mark):
            text = head[len(mark) :].decode(encoding, "replace")
            break
    else:
        try:
            text = head.decode()
        except UnicodeDecodeError as error:
            # `head` may end inside a character. Any other error means that it is not UTF-8.
            if error.start < len(head) - 3 or error.reason != "unexpected end of data":
                return None
            text = head[: error.start].decode()
    return None if CONTROL.search(text) else text


def _is_windows_text(head):
    """Return whether the bytes may be a text in Windows-1252, as Excel saves CSV in Western Europe.

    `detect` does not consider this encoding, because its types are sent to browsers, which would
    show other letters.
    """
    try:
        return not CONTROL.search(head.decode("cp1252"))
    except UnicodeDecodeError:
        return False


def _kind_of_text(text):
    """Return the content type of a text."""
    beginning = text.lstrip()
    if PAGE.match(beginning):  # it may contain pictures in SVG
        return HTML
    if re.search(r"<svg[\s>]|<!doctype\s+svg\b", text, re.I):
        return SVG
    if beginning.startswith("<?xml"):
        return XML
    if MARKUP.search(text):
        return HTML
    return CSV if _has_columns(text) else TEXT


def _has_columns(text):
    """Return whether there are at least two complete lines, all with the same number of separators,
    at least one.
    """
    lines = [line for line in text.split("\n")[:-1] if line.strip()]
    for separator in SEPARATORS:
        counts = {len(re.sub(r'"[^"]*"', "", line).split(separator)) for line in lines}
        if len(lines) >= 2 and len(counts) == 1 and counts.pop() > 1:
            return True
    return False
