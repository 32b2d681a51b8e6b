"""Content types: detected from the first bytes of a file. Its name and the header Content-Type are not trusted."""
import re

UNKNOWN = "application/octet-stream"
PDF, PNG, JPEG, GIF = "application/pdf", "image/png", "image/jpeg", "image/gif"
WEBP, SVG = "image/webp", "image/svg+xml"
HTML, XML, CSV, TEXT, ZIP = "text/html", "text/xml", "text/csv", "text/plain", "application/zip"

PICTURES = frozenset((PNG, JPEG, GIF, WEBP))        # a browser may display these, and cannot run code in them
BEGINNINGS = ((b"%PDF-", PDF), (b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG), (b"GIF87a", GIF),
              (b"GIF89a", GIF))
OFFICE = "application/vnd.openxmlformats-officedocument."
OOXML = {b"word/": OFFICE + "wordprocessingml.document", b"xl/": OFFICE + "spreadsheetml.sheet",
         b"ppt/": OFFICE + "presentationml.presentation"}
ODF = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z-]{1,40})")
MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body|script|iframe|style|title|meta|a|div|table|p|h1|br|b|img"
                    r"|form|link|object|embed)\b", re.I)
EXTENSIONS = {PDF: ".pdf", HTML: ".html", PNG: ".png", JPEG: ".jpg", GIF: ".gif", WEBP: ".webp", SVG: ".svg",
              TEXT: ".txt", CSV: ".csv", ZIP: ".zip"}
# Further types of document contents that the reference lists.
OTHERS = (UNKNOWN, PNG, JPEG, GIF, WEBP, SVG, XML, CSV, TEXT, ZIP, *OOXML.values(),
          "application/vnd.oasis.opendocument.text")
SEPARATORS = ",;\t"
CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def detect(head):
    """Return the content type of a file that begins with these bytes (512 are enough). Nothing is unpacked."""
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
    """Return the type of a ZIP, or of an office format, which is a ZIP whose first entries have known names."""
    if head[30:38] == b"mimetype":
        found = ODF.match(head, 30)
        return found[1].decode() if found else ZIP
    names = [head[place + 30:place + 80] for place in (found.start() for found in re.finditer(rb"PK\x03\x04", head))]
    if names and names[0].startswith((b"[Content_Types].xml", b"_rels/", b"docProps/", *OOXML)):
        return next((kind for folder, kind in OOXML.items() if any(name.startswith(folder) for name in names)), ZIP)
    return ZIP


def _text(head):
    """Return the bytes as text, or None if they are not text."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            text = head[len(mark):].decode(encoding, "replace")
            break
    else:
        try:
            text = head.decode()
        except UnicodeDecodeError as error:
            # `head` may end inside a character. Any other error means that it is not UTF-8.
            if error.start < len(head) - 3 or error.reason != "unexpected end of data":
                return None
            text = head[:error.start].decode()
    return None if CONTROL.search(text) else text


def _kind_of_text(text):
    """Return the content type of a text."""
    beginning = text.lstrip()
    if re.search(r"<svg[\s>]", text, re.I):
        return SVG
    if beginning.startswith("<?xml"):
        return XML
    if MARKUP.search(text):
        return HTML
    return CSV if _has_columns(text) else TEXT


def _has_columns(text):
    """Return whether there are at least two complete lines, all with the same number of separators, at least one."""
    lines = [line for line in text.split("\n")[:-1] if line.strip()]
    for separator in SEPARATORS:
        counts = {len(re.sub(r'"[^"]*"', "", line).split(separator)) for line in lines}
        if len(lines) >= 2 and len(counts) == 1 and counts.pop() > 1:
            return True
    return False
