"""The XML inside of a hybrid PDF (ZUGFeRD, Factur-X).

The search does not build the structure of the PDF. It looks for streams that are marked as an
embedded file, that have the media type of a text or of data, or that a file specification names,
and unpacks the beginning of the first ones: at most MAX_MARKS of each kind, with MAX_DICTIONARY
bytes on each side and BEGINNING bytes of the content. The process limits the time.
"""

import mmap
import re
import zlib
from itertools import islice

from eventapi.domain.einvoices import reading
from eventapi.validation import xml_documents

PDF = b"%PDF-"
# bytes of an XML file that are read: the parser refuses one that is longer
LIMIT = xml_documents.MAX_DOCUMENT + 1
BEGINNING = 16_384  # bytes of a text that are examined
LONGEST_MARK = 60  # bytes of a mark


def _word(word):
    """Return the pattern of a name in a PDF, or of its part: each letter may be written as # and its
    code.
    """
    codes = (f"{ord(letter):02x}" for letter in word)
    either = ("".join(f"[{digit}{digit.upper()}]" for digit in code) for code in codes)
    return "".join(f"(?:{one}|#{code})" for one, code in zip(word, either, strict=True)).encode()


# The type of a stream is optional, and its media type may be any one: some programs write
# application/octet-stream.
MARK = re.compile(
    rb"/(?:%s(?![A-Za-z#])|(?:%s|%s)(?:#2[fF]|/xml))"
    % (_word("EmbeddedFile"), _word("text"), _word("application"))
)
REFERENCE = re.compile(rb"/%s\s{0,9}<<" % _word("EF"))
MARK_OR_REFERENCE = re.compile(MARK.pattern + rb"|" + REFERENCE.pattern)
MAX_MARKS = 400  # marks, names and references of a PDF that are examined
MAX_DICTIONARY = 2048  # bytes of the dictionary of a stream
MAX_OBJECTS = 500_000  # objects among which a stream is searched by its number
# Names of the XML in Factur-X and ZUGFeRD, and the number of the stream. Some programs write - and
# . as octal numbers.
NAME = re.compile(
    rb"\((?:factur(?:-|\\055)x|zugferd(?:-|\\055)invoice|xrechnung)(?:\.|\\056)xml\)", re.IGNORECASE
)
EMBEDDED = re.compile(
    rb"/%s\s*<<[^>]{0,200}?/(?:%s)?%s\s+([0-9]{1,10}+)\s+[0-9]+\s+R"
    % (_word("EF"), _word("U"), _word("F"))
)
OBJECT = re.compile(rb"obj(?![A-Za-z])")
NUMBER = re.compile(rb"([0-9]{1,10})\s+[0-9]+\s*$")  # of at most 24 bytes before `obj`
# The word alone also stands in names, such as octet-stream, and in texts.
STREAM = re.compile(rb">>[\0\s]{0,99}stream[ \t]{0,9}(?:\r\n|\n|\r)")
END = re.compile(rb"endstream\s{1,9}endobj")
FILTER = re.compile(rb"/%s(?![A-Za-z#])" % _word("Filter"))
# Possessive: the runs of spaces before and behind an optional bracket are one place, and not tried
# in every division.
ZLIB_ALONE = re.compile(
    rb"/%s\s*+(?:\[\s*+)?/%s\s*+(?:\]\s*+)?(?=[/>])" % (_word("Filter"), _word("FlateDecode"))
)
ZLIB_HEADER = 2  # bytes
RAW = -15  # for zlib: no header, and no checksum, which programs that show a PDF do not compare
PIECE = 256  # bytes of a damaged stream that are unpacked at once


def embedded(file):
    """Return the e-invoice that a PDF contains, or None.

    Of several, it is the last one with a name of Factur-X or ZUGFeRD, otherwise the last one: a
    program that changes a PDF appends the new version. An invoice of ZUGFeRD 1 is returned if there
    is no other one.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        names, best = _named(data), None
        for number, dictionary, place in _streams(data):
            beginning = _unpacked(dictionary, data[place : place + BEGINNING], BEGINNING)
            is_current = bool(beginning) and reading.recognise(beginning)
            rank = is_current, number in names
            is_invoice = is_current or (beginning and reading.is_old(beginning))
            if is_invoice and (best is None or rank >= best[0]):
                best = rank, dictionary, place
        return best and _unpacked(best[1], data[best[2] : best[2] + LIMIT], LIMIT)


def _streams(data):
    """Return (object number, dictionary, place of the content) of each stream that may be an
    e-invoice, in the order of the file.
    """
    found = {}
    for mark in islice(MARK.finditer(data), MAX_MARKS):
        if stream := _stream_behind(data, mark.end()):
            found[stream[2]] = stream
    missing = _referenced(data) - {number for number, _, _ in found.values()}
    for place in islice(_objects(data, missing), MAX_MARKS):
        stream = _stream_behind(data, place)
        if stream and stream[0] in missing:
            found[stream[2]] = stream
    return [found[place] for place in sorted(found)]


def _objects(data, numbers):
    """Yield the place of the content of each object that has one of the numbers."""
    for begin in islice(OBJECT.finditer(data), MAX_OBJECTS) if numbers else ():
        if _number_before(data, begin.start()) in numbers:
            yield begin.end()


def _stream_behind(data, place):
    """Return (object number, dictionary, place of the content) of the first stream whose content
    begins behind a place, or None.

    The stream may belong to a later object than the place.
    """
    stream = STREAM.search(data, place, place + MAX_DICTIONARY)
    number, start = _object_before(data, stream.start()) if stream else (None, None)
    return None if number is None else (number, data[start : stream.start() + 2], stream.end())


def _object_before(data, place):
    """Return (number, place) of the object that contains a place, or (None, None)."""
    start, first = place, max(0, place - MAX_DICTIONARY)
    while (start := data.rfind(b"obj", first, start)) >= 0:
        number = _number_before(data, start)
        if number is not None:
            return number, start
    return None, None


def _number_before(data, place):
    """Return the number of an object whose word `obj` is at a place, or None."""
    number = NUMBER.search(data[max(0, place - 24) : place])
    return number and int(number[1])


def _referenced(data):
    """Return the object numbers of the embedded files that file specifications name."""
    found = set()
    for reference in islice(REFERENCE.finditer(data), MAX_MARKS):
        number = EMBEDDED.match(data, reference.start(), reference.start() + MAX_DICTIONARY)
        if number:
            found.add(int(number[1]))
    return found


def _named(data):
    """Return the object numbers of the embedded files with a name of Factur-X or ZUGFeRD."""
    found = set()
    for name in islice(NAME.finditer(data), MAX_MARKS):
        _, start = _object_before(data, name.start())
        start = name.start() if start is None else start
        number = EMBEDDED.search(data[start : name.end() + MAX_DICTIONARY].partition(b"endobj")[0])
        if number:
            found.add(int(number[1]))
    return found


def _unpacked(dictionary, data, limit):
    """Return the first bytes of a stream, or None if it is not plain or compressed by zlib alone."""
    if not FILTER.search(dictionary):
        end = END.search(data)
        return data[: end.start()] if end else data.partition(b"endstream")[0]
    if not ZLIB_ALONE.search(dictionary):
        return None
    try:
        return zlib.decompressobj(RAW).decompress(data[ZLIB_HEADER:], limit)
    except zlib.error:
        return _begun(data[ZLIB_HEADER:], limit) or None


def _begun(data, limit):
    """Return the bytes of a damaged stream before the damage: its invoice must not be taken for none."""
    unpacker, found = zlib.decompressobj(RAW), bytearray()
    for start in range(0, len(data), PIECE):
        try:
            found += unpacker.decompress(data[start : start + PIECE])
        except zlib.error:
            break
        if len(found) >= limit:
            break
    return bytes(found[:limit])
