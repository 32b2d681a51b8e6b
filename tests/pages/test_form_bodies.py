"""Bodies of forms: what a browser sends is read, and everything else is refused with a small
answer.
"""

import io
import os
import tracemalloc
from random import Random

import pytest

from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.web import uploads
from eventapi.web.html import form_bodies

BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
LIMIT = 30_000_000


def part(name, text, more=""):
    return (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode()
        + text
        + b"\r\n"
    )


def file_part(content, filename="plan.pdf"):
    return (
        (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
            "Content-Type: application/pdf\r\n\r\n"
        ).encode()
        + content
        + b"\r\n"
    )


END = f"--{BOUNDARY}--\r\n".encode()


class Slow(io.BytesIO):
    """A body that arrives in pieces of some bytes, as from a slow client."""

    def __init__(self, body, size):
        super().__init__(body)
        self.size = size

    def read(self, size=-1):
        return super().read(min(size, self.size) if size >= 0 else self.size)


@pytest.fixture
def send(settings):
    """Return a function that reads a body as a form with a file, and returns (texts, content or
    None).
    """

    def read(
        body,
        kind=f"multipart/form-data; boundary={BOUNDARY}",
        length=None,
        check=lambda texts: None,
        stream=None,
        limit=LIMIT,
        **environ,
    ):
        values = {
            "CONTENT_TYPE": kind,
            "CONTENT_LENGTH": str(len(body) if length is None else length),
            "wsgi.input": stream or io.BytesIO(body),
            "eventapi.places": uploads.places(4),
            **environ,
        }
        with form_bodies.file_form(values, settings, limit, check) as (texts, upload):
            return texts, upload and upload.path.read_bytes()

    return read


def short(value):
    """Return the beginning of a value, as the name of a case."""
    return repr(value)[:40]


CONTENTS = {
    "usual": b"%PDF-1.7",
    "empty": b"",
    "line break": b"\r\n",
    "dashes": b"--",
    "long": b"x\r\n" * 50_000,
    "delimiter": f"\r\n--{BOUNDARY}\r\nno end".encode(),
    "end": f"a\r\n--{BOUNDARY}--\r\nb".encode(),
    "random": Random(1).randbytes(200_000),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("end", [END, END[:-2]], ids=["with a line break", "without"])
def test_the_file_is_all_bytes_up_to_the_last_delimiter(send, content, end):
    body = (
        part("form_token", b"abc") + part("title", "Plän\r\n2".encode()) + file_part(content) + end
    )
    for stream in (None, Slow(body, 7), Slow(body, len(BOUNDARY) + 5)):
        texts, found = send(body, stream=stream)
        assert texts == {"form_token": ["abc"], "title": ["Plän\n2"], "filename": ["plan.pdf"]}
        assert found == content


def test_no_file_chosen_is_no_upload(send):
    assert send(file_part(b"", "") + END) == ({"filename": [""]}, None)


def test_the_check_comes_before_the_file_is_read(send, settings):
    body = part("form_token", b"wrong") + file_part(b"x" * 1_000_000) + END
    stream = io.BytesIO(body)

    def refuse(texts):
        raise Problem("session_ended", f"{texts}")

    with pytest.raises(Problem, match="wrong"):
        send(body, stream=stream, check=refuse)
    assert stream.tell() < 100_000
    assert not [path for path in settings.files.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "length_required"),
        (file_part(b"x"), "malformed_request"),  # cut
        (file_part(b"x") + END + b"more", "malformed_request"),
        (file_part(b"x") + END[:-3], "malformed_request"),
        (part("a", b"x") + END, "malformed_request"),  # no file
        (b"preamble\r\n" + file_part(b"x") + END, "malformed_request"),
        (part("a", b"\xff") + file_part(b"x") + END, "malformed_request"),
        (part("a", b"\0") + file_part(b"x") + END, "malformed_request"),
        (part("filename", b"x") + file_part(b"x") + END, "malformed_request"),
        (part('a"; x="b', b"x") + file_part(b"x") + END, "malformed_request"),
        (
            f'--{BOUNDARY}\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n'.encode()
            + END,
            "malformed_request",
        ),
        (
            f"--{BOUNDARY}\r\nX: y\r\n\r\nx\r\n".encode() + file_part(b"x") + END,
            "malformed_request",
        ),
        (b"".join(part(f"a{n}", b"") for n in range(21)) + file_part(b"x") + END, "body_too_large"),
        (part("a", b"x" * 80_000) + file_part(b"x") + END, "body_too_large"),
        (
            f"--{BOUNDARY}\r\n".encode()
            + b"A: b\r\n" * 9
            + b'Content-Disposition: form-data; name="a"\r\n\r\nx\r\n'
            + file_part(b"x")
            + END,
            "body_too_large",
        ),
        (b"\r\n" * 40_000, "body_too_large"),
        (f"--{BOUNDARY}\r\n".encode() * 4000, "body_too_large"),
    ],
    ids=short,
)
def test_everything_else_is_refused(send, body, code):
    with pytest.raises(Problem) as refused:
        send(body)
    assert refused.value.code == code


@pytest.mark.parametrize("boundary", ["", "x" * 71, "a\x01", "a ", "ä"])
def test_a_boundary_has_the_form_of_rfc_2046(send, boundary):
    with pytest.raises(Problem) as refused:
        send(file_part(b"x") + END, kind=f'multipart/form-data; boundary="{boundary}"')
    assert refused.value.code == "malformed_request"


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({"HTTP_TRANSFER_ENCODING": "chunked"}, "length_required"),
        ({"HTTP_CONTENT_ENCODING": "gzip"}, "unsupported_media_type"),
        ({"kind": "application/x-www-form-urlencoded"}, "unsupported_media_type"),
        ({"kind": f"multipart/mixed; boundary={BOUNDARY}"}, "unsupported_media_type"),
        ({"length": "x"}, "malformed_request"),
        ({"limit": 10, "length": 100_000}, "body_too_large"),
        ({"length": 10_000}, "malformed_request"),
    ],
)
def test_headers_are_checked_first(send, environ, code):
    with pytest.raises(Problem) as refused:
        send(file_part(b"x" * 100) + END, **environ)
    assert refused.value.code == code


def test_a_file_may_have_its_limit_and_no_byte_more(send):
    assert len(send(file_part(b"x" * 1000) + END, limit=1000)[1]) == 1000
    with pytest.raises(Problem) as refused:
        send(file_part(b"x" * 1001) + END, limit=1000)
    assert refused.value.code == "body_too_large"


def test_a_large_file_takes_little_memory_and_one_file(send, settings):
    body = file_part(b"x" * 26_000_000) + END
    opened = len(os.listdir("/proc/self/fd"))
    stream, counts = io.BytesIO(body), []
    read = stream.read

    def counted(size):
        counts.append(len(os.listdir("/proc/self/fd")))
        return read(size)

    stream.read = counted
    tracemalloc.start()
    values = {
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": stream,
        "eventapi.places": uploads.places(4),
    }
    with form_bodies.file_form(values, settings, LIMIT, lambda texts: None) as (_, upload):
        assert upload.size == 26_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000 and max(counts) <= opened + 2  # the file, and the folder of /proc
    assert not [path for path in settings.files.rglob("*") if path.is_file()]


def test_a_kept_file_stays(send, settings):
    body = file_part(b"kept") + END
    values = {
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "eventapi.places": uploads.places(4),
    }
    with form_bodies.file_form(values, settings, LIMIT, lambda texts: None) as (_, upload):
        sha256 = files.keep(settings, upload)
    assert files.read(settings, sha256) == b"kept"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"a=%zz", None),
        (b"a=%ff", "malformed_request"),
        (b"a=\xff", "malformed_request"),
        (b"a=%00", "malformed_request"),
        (b"&" * 3000, "body_too_large"),
        (b"a=" + b"x" * 600_000, "body_too_large"),
    ],
    ids=short,
)
def test_a_form_without_a_file_has_limits_as_well(body, code, settings):
    environ = {
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "eventapi.places": uploads.places(4),
    }
    if code is None:
        assert form_bodies.form(environ) == {"a": ["%zz"]}
        return
    with pytest.raises(Problem) as refused:
        form_bodies.form(environ)
    assert refused.value.code == code
