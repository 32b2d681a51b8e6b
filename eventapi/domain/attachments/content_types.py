"""What a file is, judged by its bytes: neither its name nor what the client says of it is believed."""
import re

UNKNOWN = "application/octet-stream"
PDF, PNG, JPEG, GIF, WEBP, SVG = "application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"
HTML, XML, CSV, TEXT, ZIP = "text/html", "text/xml", "text/csv", "text/plain", "application/zip"

PICTURES = frozenset((PNG, JPEG, GIF, WEBP))        # what a browser may show and cannot run
BEGINNINGS = ((b"%PDF-", PDF), (b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG), (b"GIF87a", GIF), (b"GIF89a", GIF))
OFFICE = "application/vnd.openxmlformats-officedocument."
OOXML = {b"word/": OFFICE + "wordprocessingml.document", b"xl/": OFFICE + "spreadsheetml.sheet", b"ppt/": OFFICE + "presentationml.presentation"}
ODF = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z-]{1,40})")
MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body|script|iframe|style|title|meta|a|div|table|p|h1|br|b|img|form|link|object|embed)\b", re.I)
EXTENSIONS = {PDF: ".pdf", HTML: ".html", PNG: ".png", JPEG: ".jpg", GIF: ".gif", WEBP: ".webp", SVG: ".svg", TEXT: ".txt", CSV: ".csv", ZIP: ".zip"}
OTHERS = (UNKNOWN, PNG, JPEG, GIF, WEBP, SVG, XML, CSV, TEXT, ZIP, *OOXML.values(), "application/vnd.oasis.opendocument.text")
SEPARATORS = ",;\t"
CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def judge(head):
    """The content type of a file that begins with these bytes (512 are enough). Nothing is unpacked."""
    for beginning, kind in BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(head)
    text = _text(head)
    return UNKNOWN if text is None else _kind_of_text(text)


def _archive(head):
    """A ZIP, or one of the office formats that are ZIPs: by the names of the entries that come first."""
    if head[30:38] == b"mimetype":
        found = ODF.match(head, 30)
        return found[1].decode() if found else ZIP
    names = [head[place + 30:place + 80] for place in (found.start() for found in re.finditer(rb"PK\x03\x04", head))]
    if names and names[0].startswith((b"[Content_Types].xml", b"_rels/", b"docProps/", *OOXML)):
        return next((kind for folder, kind in OOXML.items() if any(name.startswith(folder) for name in names)), ZIP)
    return ZIP


def _text(head):
    """The bytes as text, or None where they are not."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            text = head[len(mark):].decode(encoding, "replace")
            break
    else:
        try:
            text = head.decode()
        except UnicodeDecodeError as error:
            if error.start < len(head) - 3 or error.reason != "unexpected end of data":     # else the cut is inside a letter
                return None
            text = head[:error.start].decode()
    return None if CONTROL.search(text) else text


def _kind_of_text(text):
    beginning = text.lstrip()
    if re.search(r"<svg[\s>]", text, re.I):
        return SVG
    if beginning.startswith("<?xml"):
        return XML
    if MARKUP.search(text):
        return HTML
    return CSV if _has_columns(text) else TEXT


def _has_columns(text):
    """Whether every whole line has the same number of separators, at least one, over two lines or more."""
    lines = [line for line in text.split("\n")[:-1] if line.strip()]
    for separator in SEPARATORS:
        counts = {len(re.sub(r'"[^"]*"', "", line).split(separator)) for line in lines}
        if len(lines) >= 2 and len(counts) == 1 and counts.pop() > 1:
            return True
    return False
