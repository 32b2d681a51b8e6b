"""XML from outside: the tree is that of ElementTree, hostile documents are refused, and memory
stays bounded.
"""

import io
import tracemalloc
from xml.etree import ElementTree

import pytest

from eventapi.validation import xml_documents

PLAIN = """<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:a" xmlns:b="urn:b"><!-- a comment --><Head b:id="1">Müller &amp; Söhne<?php x ?></Head>
<List><Item n="1"><Item>inner</Item><Text><![CDATA[<b>]]></Text></Item><b:Item n="2"/></List></Document>"""
BOMB = (
    '<!DOCTYPE a [<!ENTITY e0 "xxxxxxxxxx">'
    + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    + "]><a>&e11;</a>"
)
REFUSED = {
    "empty": (b"", "cut off or empty"),
    "blank": (b" \n ", "cut off or empty"),
    "text": (b"Auftragskonto;Buchungstag", "line 1: not well-formed"),
    "cut off in an element": (
        PLAIN[:200].encode(),
        "line 3: the file ends before its last element",
    ),
    "cut off in a tag": (PLAIN[: PLAIN.index('n="2"')].encode(), "line 3: the file ends"),
    "cut off in a letter": ("<a>ä".encode()[:-1], "line 1: the file ends"),
    "two documents": (b"<a/>\n<a/>", "line 2: junk after document element"),
    "wrong order": (b"<a>\n<b></a></b>", "line 2: mismatched tag"),
    "billion laughs": (BOMB.encode(), "a DOCTYPE and entity declarations are not allowed"),
    "billion laughs in UTF-16": (
        BOMB.encode("utf-16"),
        "a DOCTYPE and entity declarations are not allowed",
    ),
    "billion laughs in Windows-1252": (
        f'<?xml version="1.0" encoding="windows-1252"?>{BOMB}'.encode("cp1252"),
        "a DOCTYPE and entity declarations are not allowed",
    ),
    "quadratic blow-up": (
        f'<!DOCTYPE a [<!ENTITY e "{"x" * 50_000}">]><a>{"&e;" * 50_000}</a>'.encode(),
        "DOCTYPE",
    ),
    "external entity": (
        b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
        "DOCTYPE",
    ),
    "external DTD": (b'<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>', "DOCTYPE"),
    "parameter entity": (
        b'<!DOCTYPE a [<!ENTITY % e SYSTEM "file:///etc/passwd"> %e;]><a/>',
        "DOCTYPE",
    ),
    "plain DOCTYPE": (
        b"<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE a>\n<a/>",
        "line 3: a DOCTYPE",
    ),
    "entity without DOCTYPE": (b"<a>&nbsp;</a>", "undefined entity"),
    "deep nesting": (b"<a>" * 65 + b"</a>" * 65, "nested more than 64 deep"),
    "deep nesting without end": (b"<a>" * 100_000, "nested more than 64 deep"),
    "large attribute": (b'<a b="' + b"x" * 4_000_000 + b'"/>', "a tag or comment has more than"),
    "large name": (b"<" + b"x" * 4_000_000, "a tag or comment has more than"),
    "large comment": (b"<a><!--" + b"x" * 4_000_000 + b"--></a>", "a tag or comment has more than"),
    "many attributes": (
        b"<a " + b"".join(b'b%d="" ' % n for n in range(300_000)) + b"/>",
        "a tag or comment has more",
    ),
    "many elements": (
        b"<a>" + b"<b/>" * 400_000 + b"</a>",
        "more than 300000 elements and attributes",
    ),
    "many attributes in many elements": (
        b"<a>" + b'<b c="" d="" e="" f=""/>' * 100_000 + b"</a>",
        "more than 300000",
    ),
    "large": (
        b"<a>" + b"x" * 5_000_000 + b"</a>",
        "5000007 bytes, but at most 5000000 are allowed",
    ),
    "attribute twice": (b'<a b="1" b="2"/>', "duplicate attribute"),
    "NUL": (b"<a>\0</a>", "not well-formed"),
    "control character": (b"<a>&#1;</a>", "reference to invalid character number"),
    "Windows-1252 without declaration": (
        "<a>ä</a>".encode("cp1252"),
        "bytes that do not fit the encoding",
    ),
    "UTF-16 declared, UTF-8 sent": (
        b'<?xml version="1.0" encoding="UTF-16"?><a/>',
        "encoding specified",
    ),
    "UTF-7": (
        b'<?xml version="1.0" encoding="UTF-7"?><a>+ADw-!DOCTYPE a+AD4-</a>',
        'the encoding "UTF-7" is not',
    ),
    "UTF-7 without declaration": (b"+ADw-a/+AD4-", "not well-formed"),
    "UTF-32": ("<a/>".encode("utf-32"), "not well-formed"),
    "EBCDIC": ('<?xml version="1.0" encoding="cp037"?><a/>'.encode("cp037"), "not well-formed"),
    "codec that is no encoding": (
        b'<?xml version="1.0" encoding="rot13"?><a/>',
        'the encoding "rot13" is not',
    ),
    "name space with the separator": (b'<a xmlns="u}v"/>', "syntax error"),
    "long namespace": (
        b'<a xmlns="' + b"u" * 301 + b'"/>',
        "namespace has more than 300 characters",
    ),
    "many names": (
        b"<a>" + b"".join(b"<b%0100d/>" % n for n in range(10_000)) + b"</a>",
        "different names have more than 1000000 characters",
    ),
    "many names of attributes": (
        b"<a>" + b"".join(b"<b c%0100d=''/>" % n for n in range(10_000)) + b"</a>",
        "different names have more than 1000000 characters",
    ),
    "many prefixes": (
        b"<a>" + b"".join(b"<b xmlns:c%0100d='d'/>" % n for n in range(10_000)) + b"</a>",
        "different names have more than 1000000 characters",
    ),
    "ZIP": (b"PK\x03\x04" + bytes(30), "not well-formed"),
}


def flat(element):
    return [(part.tag, part.attrib, (part.text or "").strip()) for part in element.iter()]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "iso-8859-15", "windows-1252"]
)
def test_the_tree_is_that_of_elementtree(encoding):
    declared = encoding.removesuffix("-sig")
    data = PLAIN.replace("UTF-8", declared).encode(encoding)
    assert flat(xml_documents.parse(data)) == flat(ElementTree.fromstring(data))


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_xml_is_refused(name):
    data, reason = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        xml_documents.parse(data)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "name", sorted(set(REFUSED) - {"large", "many elements", "many attributes in many elements"})
)
def test_hostile_xml_is_refused_element_by_element(name):
    data, reason = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        list(xml_documents.iterate(io.BytesIO(data), "none"))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "billion laughs",
        "many elements",
        "large attribute",
        "deep nesting without end",
        "quadratic blow-up",
        "external entity",
    ],
)
def test_hostile_xml_takes_little_memory(name):
    data, _ = REFUSED[name]
    tracemalloc.start()
    try:
        with pytest.raises(ValueError):
            xml_documents.parse(data)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_elements_are_complete_and_in_order():
    found = list(xml_documents.iterate(io.BytesIO(PLAIN.encode()), "Item", "Head"))
    assert [element.tag for element in found] == [
        "{urn:a}Head",
        "{urn:a}Item",
        "{urn:a}Item",
        "{urn:b}Item",
    ]
    assert found[0].text == "Müller & Söhne" and found[0].attrib == {"{urn:b}id": "1"}


def test_an_element_inside_another_one_is_yielded_before_it_and_alone():
    inner, outer = list(xml_documents.iterate(io.BytesIO(PLAIN.encode()), "Item"))[:2]
    assert inner.text == "inner" and outer.attrib == {"n": "1"}
    assert [part.text for part in outer] == ["<b>"]


def test_the_outline_reads_only_the_beginning():
    file = io.BytesIO(PLAIN.encode() + b" " * 100_000 + b"<not read")
    assert xml_documents.outline(file) == ["{urn:a}Document", "{urn:a}Head"]
    assert file.tell() == xml_documents.CHUNK
    assert xml_documents.outline(io.BytesIO(b"<a/>")) == ["a"]
    with pytest.raises(ValueError, match="cut off"):
        xml_documents.outline(io.BytesIO(b"<a>"))


@pytest.mark.parametrize("size", range(1, 40))
def test_the_size_of_a_read_does_not_matter(monkeypatch, size):
    monkeypatch.setattr(xml_documents, "CHUNK", size)
    found = list(xml_documents.iterate(io.BytesIO(PLAIN.encode()), "Text", "Head"))
    assert [element.text for element in found] == ["Müller & Söhne", "<b>"]


def test_each_cut_of_a_document_is_refused():
    data = PLAIN.encode()
    for end in range(len(data) - 1):
        with pytest.raises(ValueError):
            list(xml_documents.iterate(io.BytesIO(data[:end]), "Item"))


class Repeated(io.RawIOBase):
    """A file that consists of a beginning, one part many times, and an end, and is never in memory."""

    def __init__(self, start, part, number, end):
        self.parts, self.rest = (piece for piece in [start, *[part] * number, end]), b""

    def read(self, size=-1):
        while len(self.rest) < size and (part := next(self.parts, None)):
            self.rest += part
        chunk, self.rest = self.rest[:size], self.rest[size:]
        return chunk


def test_a_large_file_takes_little_memory():
    entry = (
        b"<Ntry>"
        + b"<Amt Ccy='EUR'>1.00</Amt>" * 3
        + b"<Ustrd>"
        + b"x" * 5_900
        + b"</Ustrd></Ntry>"
    )
    file = Repeated(b"<Document><Stmt>", entry, 10_000, b"</Stmt></Document>")
    tracemalloc.start()
    try:
        number = sum(1 for element in xml_documents.iterate(file, "Ntry") if len(element) == 4)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert number == 10_000
    assert peak < 2_000_000


def test_an_element_that_is_yielded_is_bounded():
    many = Repeated(b"<Stmt><Ntry>", b"<Amt/>" * 100, 4_000, b"</Ntry></Stmt>")
    with pytest.raises(ValueError, match="more than 300000 elements"):
        list(xml_documents.iterate(many, "Ntry"))
    long = Repeated(b"<Stmt><Ntry>", b"x" * 10_000, 600, b"</Ntry></Stmt>")
    with pytest.raises(ValueError, match="more than 5000000 characters"):
        list(xml_documents.iterate(long, "Ntry"))


def test_a_file_is_bounded(monkeypatch):
    monkeypatch.setattr(xml_documents, "MAX_FILE", 1_000_000)
    with pytest.raises(ValueError, match="in several files"):
        list(xml_documents.iterate(Repeated(b"<a>", b" " * 1000, 2_000, b"</a>"), "b"))
