"""Read XML from outside: without DOCTYPE and entities, and with limits on size, depth and number of
elements.

Names are as in xml.etree.ElementTree: `{namespace}local`. A ValueError says what is wrong with the
file, in which line, and what to do about it.
"""

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_DOCUMENT = 5_000_000  # bytes of a document that is read as a whole
MAX_FILE = 250_000_000  # bytes of a file that is read element by element
MAX_DEPTH = 64  # elements inside each other
MAX_NODES = 300_000  # elements and attributes of one tree
MAX_NAMESPACE = 300  # characters of the name of a namespace, which is a part of each name in it
MAX_NAMES = 1_000_000  # characters of all different names in a file: expat keeps each until the end
# bytes of one tag or comment. expat 2.5 reads an unfinished one again with each chunk.
MAX_TOKEN = 200_000
CHUNK = 65_536  # bytes
ENCODINGS = frozenset(
    (
        "utf-8",
        "utf8",
        "utf-16",
        "utf-16le",
        "utf-16be",
        "us-ascii",
        "ascii",
        "iso-8859-1",
        "iso-8859-15",
        "latin1",
        "windows-1252",
        "cp1252",
    )
)
# expat's errors that mean that the file ends too early
CUT_OFF = frozenset(
    expat.errors.codes[name]
    for name in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
AGAIN = "Download the file again from where it comes from, and do not change it"


def parse(data: bytes) -> Element:
    """Return the root element of a document of at most MAX_DOCUMENT bytes.

    Raise ValueError if it is not sound XML.
    """
    if len(data) > MAX_DOCUMENT:
        raise ValueError(
            f"The XML has {len(data)} bytes, but at most {MAX_DOCUMENT} are allowed. Check that it is a "
            "single document."
        )
    reader = _Reader(None)
    for start in range(0, len(data), CHUNK):
        reader.feed(data[start : start + CHUNK])
    reader.finish()
    return reader.complete[0]


def iterate(file: BinaryIO, *local_names: str) -> Iterator[Element]:
    """Yield each complete element that has one of these local names, whatever its namespace, in the
    order of their end.

    An element inside another one of these is yielded before it, and is no part of it. Everything
    outside is read and dropped, so memory holds one chunk and the elements that have begun. The
    whole file is checked, so a ValueError may follow after elements that were sound: discard their
    effect.
    """
    reader = _Reader(frozenset(local_names))
    size = 0
    while chunk := file.read(CHUNK):
        size += len(chunk)
        if size > MAX_FILE:
            raise ValueError(f"The XML has more than {MAX_FILE} bytes. Send it in several files.")
        reader.feed(chunk)
        yield from reader.complete
        reader.complete.clear()
    reader.finish()


def outline(file: BinaryIO) -> list[str]:
    """Return the names of the root element and of the first element inside it, if there is one.

    Only the beginning of the file is read. Raise ValueError if it is not sound XML.
    """
    reader = _Reader(frozenset())
    while len(reader.outline) < 2 and (chunk := file.read(CHUNK)):
        reader.feed(chunk)
    if len(reader.outline) < 2:
        reader.finish()
    return reader.outline


class _Reader:
    """A parser of one document that keeps the wanted elements.

    complete: the wanted elements that have ended. outline: the names of the root and of its first child.
    trees: those that have begun, the outermost first. names: name as expat gives it -> in the notation of ElementTree.
    """

    def __init__(self, wanted):
        """Keep the elements with these local names. None keeps the root element."""
        self.wanted, self.complete, self.outline = wanted, [], []
        self.depth, self.fed, self.trees, self.names, self.named = 0, 0, [], {}, 0
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartNamespaceDeclHandler = self.namespace
        self.parser.XmlDeclHandler = self.declaration
        self.parser.StartDoctypeDeclHandler = self.parser.EntityDeclHandler = self.doctype

    def feed(self, chunk):
        """Parse a chunk of bytes."""
        self.fed += len(chunk)
        self.run(chunk, False)
        if self.fed - max(self.parser.CurrentByteIndex, 0) > MAX_TOKEN:
            raise self.fault(
                f"a tag or comment has more than {MAX_TOKEN} bytes. Check that the file is a plain XML "
                "document"
            )

    def finish(self):
        """Raise ValueError if the document is not complete."""
        self.run(b"", True)

    def run(self, chunk, is_final):
        """Parse and translate the errors of expat."""
        try:
            self.parser.Parse(chunk, is_final)
        except expat.ExpatError as error:
            raise self.fault(_reason(error.code), error.lineno) from None

    def fault(self, reason, line=None):
        """Return the ValueError for a fault in the present line."""
        return ValueError(
            f"The XML is wrong in line {line or self.parser.CurrentLineNumber}: {reason}."
        )

    def declaration(self, version, encoding, standalone):
        """Refuse encodings that XML tools do not share, such as UTF-7, in which `<` may be written
        in other ways.
        """
        if encoding and encoding.lower() not in ENCODINGS:
            raise self.fault(
                f'the encoding "{encoding[:40]}" is not supported. Save the file in UTF-8'
            )

    def doctype(self, name, *rest):
        """Refuse each DOCTYPE: entities can fetch other files, and grow to any size."""
        raise self.fault(
            "a DOCTYPE and entity declarations are not allowed. Remove them; the document needs none"
        )

    def namespace(self, prefix, name):
        """Refuse a long namespace: its name would be copied into that of each element."""
        if len(name or "") > MAX_NAMESPACE:
            raise self.fault(
                f"the name of a namespace has more than {MAX_NAMESPACE} characters. {AGAIN}"
            )
        self.name(prefix or "")

    def name(self, name):
        """Return a name in the notation of ElementTree, the same object each time."""
        known = self.names.get(name)
        if known is None:
            self.named += len(name)
            if self.named > MAX_NAMES:
                raise self.fault(
                    f"its different names have more than {MAX_NAMES} characters together. {AGAIN}"
                )
            known = self.names[name] = "{" + name if "}" in name else name
        return known

    def start(self, name, attributes):
        self.depth += 1
        name = self.name(name)
        attributes = {self.name(key): value for key, value in attributes.items()}
        if self.depth > MAX_DEPTH:
            raise self.fault(f"elements are nested more than {MAX_DEPTH} deep. {AGAIN}")
        if len(self.outline) < 2:
            self.outline.append(name)
        is_wanted = (
            not self.trees if self.wanted is None else name.rpartition("}")[2] in self.wanted
        )
        if is_wanted:
            self.trees.append(_Tree(self.depth))
        if self.trees:
            tree = self.trees[-1]
            tree.nodes += 1 + len(attributes)
            if tree.nodes > MAX_NODES:
                raise self.fault(
                    f"<{name[:100]}> is part of an element with more than {MAX_NODES} elements and "
                    "attributes. Divide the file"
                )
            tree.builder.start(name, attributes)

    def end(self, name):
        if self.trees:
            self.trees[-1].builder.end(self.names[name])
            if self.depth == self.trees[-1].depth:
                self.complete.append(self.trees.pop().builder.close())
        self.depth -= 1

    def text(self, text):
        if self.trees:
            tree = self.trees[-1]
            tree.length += len(text)
            if tree.length > MAX_DOCUMENT:
                raise self.fault(
                    f"an element has more than {MAX_DOCUMENT} characters of text. Divide the file"
                )
            tree.builder.data(text)


class _Tree:
    """An element that is being built. length: characters of its text."""

    def __init__(self, depth):
        self.builder, self.depth, self.nodes, self.length = TreeBuilder(), depth, 0, 0


def _reason(code):
    """Return what an error of expat means, and what to do."""
    if code in CUT_OFF:
        return (
            f"the file ends before its last element is closed, so it is cut off or empty. {AGAIN}"
        )
    text = expat.ErrorString(code)
    if code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]:
        text += " (a character that XML does not allow here, or bytes that do not fit the encoding of the file)"
    return f"{text}. {AGAIN}"
