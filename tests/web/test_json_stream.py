"""Bodies of imports are read as a stream, by the same rules as the whole body (`parse`)."""

import io
import json
import random
from threading import BoundedSemaphore

import pytest

from eventapi.errors import Problem
from eventapi.storage.files import PIECE
from eventapi.web import json_bodies
from eventapi.web.import_bodies import MAX_JSON, receiver
from eventapi.web.json_bodies import ObjectReader, parse

LIMIT = 10_000_000
BODIES = [
    "{}",
    ' {\n"records" : [ ] } ',
    '{"records":[1]}',
    '{"records":[{"a":1}],"mode":"create"}',
    '{"mode":"create","records":[{"a":"ü€😀"},{"a":[1,2.5,-3e2,true,null]}],"dry_run":false}',
    '{"records":[1e5,1.5e+5,-0.1E-7,12345678901234567890123456.5]}',
    '{"records":{"a":1}}',
    '{"records":null}',
    '{"x":{"records":[1]},"records":["records"]}',
    "[]",
    '[{"records":[1]}]',
    "1",
    '"records"',
    "null",
    '{"records":["\\u00e9\\ud83d\\ude00\\\\u0000"]}',
    # refused
    "{",
    '{"records"',
    '{"records":',
    '{"records":[',
    '{"records":[1',
    '{"records":[1, ',
    '{"records":[1,]}',
    '{"records":[,1]}',
    '{"records":[1 2]}',
    '{"records":[1]',
    '{"records":[1]}}',
    '{"records":[1]} x',
    '{"records":[1],}',
    '{"a" 1}',
    "{a:1}",
    '{"records":[1],"records":[2]}',
    '{"a":1,"a":2}',
    '{"records":[{"a":1,"a":2}]}',
    '{"records":[NaN]}',
    '{"records":[01]}',
    '{"records":[99999999999999999999]}',
    '{"records":[1e999999]}',
    '{"records":["\\u0000"]}',
    '{"records":["\\ud800"]}',
    '{"records":["\n"]}',
    '{\n\n "records":[1,\n x]}',
    '{"records":[' + "[" * 29 + "]" * 29 + "]}",
    '{"records":[' + "[" * 30 + "1" + "]" * 30 + "]}",
    '{"a":' + "[" * 31 + "1" + "]" * 31 + "}",
    '{"records":[' + "[" * 5000,
    "\ufeff{}",
    "x",
    '{"records":[tru]}',
    '{"records":["a]}',
    '{"records":[-]}',
]


class Pieces:
    """A stream that returns few bytes at a time."""

    def __init__(self, raw, size):
        self.file, self.size = io.BytesIO(raw), size

    def read(self, size):
        return self.file.read(min(size, self.size))


def streamed(raw, size):
    """Return the body as the reader reads it, or the text of its Problem."""
    reader = ObjectReader(Pieces(raw, size), "records", LIMIT)
    try:
        items = list(reader.items())
        return {**reader.rest, "records": items} if reader.has_items else reader.rest
    except Problem as problem:
        return problem.code, problem.detail


def whole(raw):
    try:
        return parse(raw)
    except Problem as problem:
        return problem.code, problem.detail


@pytest.mark.parametrize("text", BODIES, ids=range(len(BODIES)))
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100_000])
def test_a_body_means_the_same_as_when_it_is_read_as_a_whole(text, size):
    found, expected = streamed(text.encode(), size), whole(text.encode())
    if isinstance(found, tuple) and found != expected and "Expecting" in found[1]:
        # the texts of Python differ
        assert isinstance(expected, tuple) and found[0] == expected[0]
    else:
        assert found == expected


def test_errors_in_later_lines_and_bytes_are_named():
    raw = ("{\n" + '"records":[\n' + '{"a": "ü"},\n' * 20_000 + "x]}").encode()
    assert streamed(raw, 1000) == whole(raw)
    raw = b'{"records":["' + "ü".encode() * 200_000 + b'\xff"]}'
    assert (
        streamed(raw, 1000)
        == whole(raw)
        == ("malformed_json", "The body is not UTF-8 at byte 400013.")
    )


def test_bodies_of_random_pieces_are_read_alike():
    rnd = random.Random(7)
    for _ in range(3000):
        text = list(rnd.choice(BODIES[:15]))
        for _ in range(rnd.randint(0, 3)):
            text[rnd.randrange(len(text))] = rnd.choice('{}[]",:1e.-\\ \n')
        raw = "".join(text).encode()
        found, expected = streamed(raw, rnd.randint(1, 9)), whole(raw)
        assert isinstance(found, tuple) == isinstance(expected, tuple), raw
        assert found == expected or (isinstance(found, tuple) and found[0] == expected[0]), raw


@pytest.mark.parametrize(
    "wrong",
    [
        '{"a":1,}',
        '{"a" 1}',
        '{"a":"\\q"}',
        '{"a":"\\u12x4"}',
        '{"a":"\1"}',
        "tru",
        "[1e]",
        "[01]",
        '{"a":',
    ],
)
def test_an_error_in_a_long_body_is_named_and_not_called_a_long_value(wrong):
    good = '{"name": "Example"},\n' * 100_000
    raw = ('{"records":[\n' + good[:2100] + wrong + ",\n" + good + "1]}").encode()
    found = streamed(raw, 65536)
    assert found[0] == "malformed_json" and " at line 102, column " in found[1]


def test_a_value_has_at_most_a_mebibyte():
    for body in (
        {"records": [1, "x" * (json_bodies.MAX_PART + 200_000)]},
        {"mode": "x" * 1_200_000},
        {f"k{number}": "x" * 1000 for number in range(1500)},
    ):
        assert streamed(json.dumps(body).encode(), 50_000)[0] == "body_too_large"
    records = ["x" * 1_000_000] * 3
    assert streamed(json.dumps({"records": records}).encode(), 50_000) == {"records": records}


def test_no_more_is_read_of_a_refused_body_than_a_valid_one_may_have(settings):
    """A body in chunks has no length: a client could send for ever, and occupy a thread as long."""

    class Endless:
        sent = 0

        def read(self, size):
            self.sent += size
            return b"x" * size if self.sent < 4 * MAX_JSON else b""

    stream = Endless()
    environ = {
        "CONTENT_TYPE": "application/json",
        "HTTP_TRANSFER_ENCODING": "chunked",
        "wsgi.input": stream,
        "eventapi.places": BoundedSemaphore(1),
    }
    with pytest.raises(Problem) as refused, receiver("contacts")(environ, settings, {}):
        pass
    assert refused.value.code == "malformed_json" and stream.sent <= MAX_JSON + 2 * PIECE
