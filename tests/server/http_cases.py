"""HTTP cases: what a client sends over one connection, and which outcomes are accepted.

A case is sent in pieces, with a pause between two of them. $KEY is replaced by an API key, $EVENT
by the id of the event "Fair", $VICTIM by the id of an event that must survive all cases, and
$LENGTH by the length of SECRET.

An outcome lists the statuses of the responses, such as "200 404". "closed" at its end: the server
closes the connection after them. Without it, the connection is in sync: the next request gets its
own response. `|` separates alternatives.
"""

import re
from typing import NamedTuple

FAIR = "/api/v1/events/$EVENT"
SECRET = (
    "DELETE /api/v1/events/$VICTIM HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer $KEY\r\n"
    "X-Request-ID: smuggled\r\n\r\n"
)
BODY = '{"title": "c1"}'
REFUSED, EITHER, UNKNOWN_CODING = "400 closed", "200 | 400 closed", "400 closed | 501 closed"


class Case(NamedTuple):
    """A case.

    Attributes:
        sent: the pieces; characters stand for bytes (Latin-1).
        direct: accepted outcomes without a proxy.
        nginx: accepted outcomes behind nginx; the same as direct by default. nginx has its own statuses, reads some
            heads that we refuse, and passes them on corrected. It may keep a connection after a refusal.
        end: what the client does after the last piece: "next" sends another request, "half" closes its side,
            "close" closes the connection, "reset" does so with RST. The last two have no outcome.
    """

    sent: list[str]
    direct: str
    nginx: str = ""
    end: str = "next"


def head(line: str, *lines: str, id: str = "c1", host: str = "Host: a") -> str:
    """Return a request head with an API key and a request id.

    `line` has no version if it is to be HTTP/1.1.
    """
    line = line if " HTTP/" in line else f"{line} HTTP/1.1"
    known = [host, "Authorization: Bearer $KEY", f"X-Request-ID: {id}"]
    return "\r\n".join([line, *filter(None, known), *lines, "", ""])


def get(*lines: str, path: str = FAIR, **values: str) -> str:
    return head(f"GET {path}", *lines, **values)


def post(*lines: str, body: str = BODY, path: str = "/api/v1/events", id: str = "c1") -> str:
    """Return a POST. Without `lines` it has the length of its body."""
    lines = lines or (f"Content-Length: {len(body)}",)
    return head(f"POST {path}", "Content-Type: application/json", *lines, id=id) + body


def chunks(*parts: str, size: str = "{:x}", end: str = "0\r\n\r\n") -> str:
    return "".join(f"{size.format(len(part))}\r\n{part}\r\n" for part in parts) + end


def chunked(body: str, *lines: str, **values: str) -> str:
    return post("Transfer-Encoding: chunked", *lines, body=body, **values)


def ask(line: str) -> str:
    """Return a GET of the event whose first line is `line`."""
    return f"{line}\r\nHost: a\r\nAuthorization: Bearer $KEY\r\nX-Request-ID: c1\r\n\r\n"


def pieces(text: str) -> list[str]:
    """Return the characters of a text, each alone; a word that the runner replaces stays whole."""
    return re.findall(r"\$[A-Z]+|.", text, re.S)


def with_length(*lines: str) -> Case:
    """Return a case whose length is in doubt: a body, with a request inside of it that must never
    run.
    """
    return Case([post(*lines, body=BODY + SECRET)], REFUSED, "400 closed | 413 closed")


def with_coding(*lines: str, direct: str = REFUSED) -> Case:
    """Return a case whose transfer coding is in doubt: it ends at the empty chunk, or behind it."""
    sent = post(*lines, body=chunks(BODY) + SECRET)
    return Case([sent], direct, "400 closed | 501 closed")


LENGTHS = {
    "length and chunks": with_coding("Content-Length: 6", "Transfer-Encoding: chunked"),
    "chunks and length": with_coding("Transfer-Encoding: chunked", "Content-Length: 6"),
    "two lengths": with_length("Content-Length: 15", "Content-Length: 16"),
    "two equal lengths": with_length("Content-Length: 15", "Content-Length: 15"),
    "length as a list": with_length("Content-Length: 15, 15"),
    "signed length": with_length("Content-Length: +15"),
    "negative length": with_length("Content-Length: -15"),
    "hexadecimal length": with_length("Content-Length: 0xf"),
    "length with an underscore": with_length("Content-Length: 1_5"),
    "length with a space inside": with_length("Content-Length: 1 5"),
    "empty length": with_length("Content-Length:"),
    "length in superscript": with_length("Content-Length: \xb2"),
    "length with a fraction": with_length("Content-Length: 15.0"),
    "length of 5000 digits": with_length("Content-Length: " + "9" * 5000),
    "space before the colon of the length": with_length("Content-Length : 15"),
    "length beyond 64 bits": Case(
        [post("Content-Length: 99999999999999999999")], REFUSED + " | 413 closed", end="half"
    ),
    "length with a dash replaced": Case([post("Content_Length: 3", "Content-Length: 15")], "201"),
    "length in a folded line": with_length("X-A: b", " Content-Length: 15"),
    "GET with a body": Case([get("Content-Length: $LENGTH") + SECRET], "200"),
    "GET with chunks": Case(
        [get("Transfer-Encoding: chunked") + chunks("GET / HTTP/1.1\r\n\r\n")], "200"
    ),
}

CODINGS = {
    "coding in another case": Case([post("Transfer-Encoding: Chunked", body=chunks(BODY))], "201"),
    "coding after a tab": Case(
        [post("Transfer-Encoding:\tchunked", body=chunks(BODY))], "201", "501"
    ),
    "unknown coding": with_coding("Transfer-Encoding: xchunked", direct=UNKNOWN_CODING),
    "identity": with_coding("Transfer-Encoding: identity", direct=UNKNOWN_CODING),
    "identity with a length": with_coding(
        "Transfer-Encoding: identity", "Content-Length: 15", direct=UNKNOWN_CODING
    ),
    "gzip and chunked": with_coding("Transfer-Encoding: gzip, chunked", direct=UNKNOWN_CODING),
    "chunked and identity": with_coding(
        "Transfer-Encoding: chunked, identity", direct=UNKNOWN_CODING
    ),
    "identity and chunked": with_coding(
        "Transfer-Encoding: identity, chunked", direct=UNKNOWN_CODING
    ),
    "chunked twice": with_coding("Transfer-Encoding: chunked, chunked", direct=UNKNOWN_CODING),
    "two headers with chunked": with_coding(
        "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", direct=UNKNOWN_CODING
    ),
    "a list with an empty member": with_coding(
        "Transfer-Encoding: , chunked", direct=UNKNOWN_CODING
    ),
    "coding with a parameter": with_coding("Transfer-Encoding: chunked;q=1", direct=UNKNOWN_CODING),
    "coding in quotes": with_coding('Transfer-Encoding: "chunked"', direct=UNKNOWN_CODING),
    "empty coding": with_coding("Transfer-Encoding:", direct=UNKNOWN_CODING),
    "coding after a vertical tab": Case(
        [post("Transfer-Encoding: \x0bchunked", body=chunks(BODY))], REFUSED, "400 | 501"
    ),
    "coding before NUL": with_coding("Transfer-Encoding: chunked\0"),
    "coding in a folded line": with_coding("Transfer-Encoding:", " chunked", direct=UNKNOWN_CODING),
    "coding behind a fold": with_coding("X-A: b", "\tTransfer-Encoding: chunked"),
    "space before the colon of the coding": with_coding("Transfer-Encoding : chunked"),
    "coding with a dash replaced": Case(
        [post("Transfer_Encoding: chunked", "Content-Length: 15")], "201"
    ),
    "chunks in HTTP/1.0": Case(
        [head("POST /api/v1/events HTTP/1.0", "Transfer-Encoding: chunked") + chunks(BODY)], REFUSED
    ),
}

LINES = {
    "obs-fold": Case([get("X-A: b", " c")], REFUSED),
    "a fold behind the first line": Case([head(f"GET {FAIR}", host=" Host: a")], REFUSED),
    "bare LF": Case([get().replace("\r\n", "\n")], REFUSED, EITHER + " | closed", "half"),
    "bare LF behind the first line": Case([get().replace("\r\n", "\n", 1)], REFUSED, EITHER),
    "bare LF in a header": Case([get("X-A: b\nX-C: d")], REFUSED, EITHER),
    "bare LF at the end": Case([get()[:-2] + "\n" + get(id="c2")], REFUSED, "400 | 200 200"),
    "bare CR in a header": Case([get("X-A: b\rX-C: d")], REFUSED),
    "bare CR before the line end": Case([get("X-A: b\r")], REFUSED, EITHER),
    "bare CR as line end": Case([get().replace("\r\n", "\r")], "400 closed | closed", end="half"),
    "NUL in a value": Case([get("X-A: b\0c")], REFUSED),
    "NUL in a name": Case([get("X-\0A: b")], REFUSED),
    "NUL in the path": Case([ask(f"GET {FAIR}\0 HTTP/1.1")], REFUSED),
    "control character in a value": Case([get("X-A: b\x01c")], REFUSED, EITHER),
    "DEL in a value": Case([get("X-A: b\x7fc")], REFUSED, EITHER),
    "tab in a value": Case([get("X-A: b\tc")], "200"),
    "Latin-1 in a value": Case([get("X-A: \xe4")], "200"),
    "Latin-1 in a name": Case([get("X-\xe4: b")], REFUSED, EITHER),
    "space in a name": Case([get("X A: b")], REFUSED),
    "empty name": Case([get(": b")], REFUSED, EITHER),
    "no colon": Case([get("X-A")], REFUSED, EITHER),
    "empty line before": Case(["\r\n" + get()], "200"),
    "two empty lines before": Case(["\r\n\r\n" + get()], REFUSED, EITHER),
    "LF before": Case(["\n" + get()], REFUSED, EITHER),
    "space before": Case([" " + get()], REFUSED),
    "two spaces in the first line": Case([ask(f"GET  {FAIR} HTTP/1.1")], REFUSED, EITHER),
    "tab in the first line": Case([ask(f"GET\t{FAIR} HTTP/1.1")], REFUSED),
    "space in the path": Case([ask(f"GET {FAIR} x HTTP/1.1")], REFUSED, "400 closed | 404"),
    "space behind the version": Case([ask(f"GET {FAIR} HTTP/1.1 ")], REFUSED, EITHER),
    "words behind the version": Case([ask(f"GET {FAIR} HTTP/1.1 x")], REFUSED),
    "UTF-8 in the path": Case([ask("GET /api/v1/\xc3\xa4 HTTP/1.1")], REFUSED),
    "TLS": Case(["\x16\x03\x01\x00\xfa\x01\x00\x00\xf6\x03\x03" + "\n" * 100], REFUSED, end="half"),
    "PROXY protocol": Case(["PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get()], REFUSED),
}

FIRST_LINES = {
    "no version": Case([ask(f"GET {FAIR}")], REFUSED, "400 closed | 0.9 closed"),
    "HTTP/0.9": Case([ask(f"GET {FAIR} HTTP/0.9")], REFUSED, "400 closed | 505 closed"),
    "HTTP/1.0": Case([ask(f"GET {FAIR} HTTP/1.0")], "200 closed"),
    "HTTP/1.0 that stays": Case(
        [head(f"GET {FAIR} HTTP/1.0", "Connection: keep-alive")], "200", "200 | 200 closed"
    ),
    "HTTP/1.2": Case([ask(f"GET {FAIR} HTTP/1.2")], REFUSED, EITHER),
    "HTTP/2.0": Case([ask(f"GET {FAIR} HTTP/2.0")], REFUSED, "505 closed"),
    "HTTP/11.1": Case([ask(f"GET {FAIR} HTTP/11.1")], REFUSED, "505 closed | 400 closed"),
    "HTTP/1.10": Case([ask(f"GET {FAIR} HTTP/1.10")], REFUSED, EITHER),
    "http/1.1": Case([ask(f"GET {FAIR} http/1.1")], REFUSED),
    "HTTP/2 preface": Case(
        ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], REFUSED, "400 closed | 405 closed | 505 closed"
    ),
    "method in lower case": Case([ask(f"get {FAIR} HTTP/1.1")], REFUSED),
    "method with a parenthesis": Case([ask(f"G(T {FAIR} HTTP/1.1")], REFUSED),
    "short method": Case([ask(f"GE {FAIR} HTTP/1.1")], REFUSED, "400 | 405"),
    "long method": Case([ask(f"{'GET' * 10} {FAIR} HTTP/1.1")], REFUSED, "400 closed | 405"),
    "unknown method": Case([ask(f"FETCH {FAIR} HTTP/1.1")], "405"),
    "TRACE": Case([ask(f"TRACE {FAIR} HTTP/1.1")], "405", "405 | 405 closed"),
    "CONNECT": Case([ask("CONNECT a:80 HTTP/1.1")], REFUSED, "400 closed | 405 closed"),
    "absolute URI": Case([ask(f"GET http://other.example{FAIR} HTTP/1.1")], "200"),
    "absolute URI of another scheme": Case(
        [ask(f"GET ftp://other.example{FAIR} HTTP/1.1")], REFUSED, EITHER
    ),
    "absolute URI without a path": Case([ask("GET http://other.example HTTP/1.1")], "302"),
    "no slash": Case([ask("GET healthz HTTP/1.1")], REFUSED),
    "authority": Case([ask("GET a:80 HTTP/1.1")], REFUSED),
    "asterisk": Case([ask("GET * HTTP/1.1")], REFUSED),
    "two slashes": Case([ask(f"GET /{FAIR} HTTP/1.1")], "404", "404 | 200"),
    "fragment": Case([ask(f"GET {FAIR}#x HTTP/1.1")], "200"),
    "path that leaves the root": Case([ask("GET /../../etc/passwd HTTP/1.1")], "404", REFUSED),
    "invalid percent-encoding": Case([ask("GET /api/v1/%zz HTTP/1.1")], "404", REFUSED),
    "encoded NUL": Case([ask(f"GET {FAIR}%00 HTTP/1.1")], "404", REFUSED),
    "encoded line break": Case([ask(f"GET {FAIR}%0d%0aX-A:%20b HTTP/1.1")], "404"),
}

HEADERS = {
    "no Host": Case([get(host="")], REFUSED),
    "no Host in HTTP/1.0": Case([head(f"GET {FAIR} HTTP/1.0", host="")], "200 closed"),
    "two Hosts": Case([get("Host: b")], REFUSED),
    "two equal Hosts": Case([get("Host: a")], REFUSED),
    "empty Host": Case([get(host="Host:")], REFUSED, EITHER),
    "Host with a space": Case([get(host="Host: a b")], REFUSED, EITHER),
    "Host with a comma": Case([get(host="Host: a,b")], REFUSED, EITHER),
    "Host with a slash": Case([get(host="Host: a/b")], REFUSED),
    "Host with a user": Case([get(host="Host: a@b")], REFUSED, EITHER),
    "Host with NUL": Case([get(host="Host: a\0b")], REFUSED),
    "Host with an address": Case([get(host="Host: [::1]:8080")], "200"),
    "two Content-Types": Case(
        [post("Content-Type: text/plain", "Content-Length: 15")], REFUSED, "400 closed | 201 | 415"
    ),
    "two keys": Case([get("Authorization: Bearer other")], "401", "400 closed | 401"),
    "SCRIPT_NAME": Case([get("SCRIPT_NAME: /api")], "200"),
    "SCRIPT_NAME that the path lacks": Case([get("SCRIPT_NAME: /x")], "200"),
    "Script-Name": Case([get("Script-Name: /api")], "200"),
    "PATH_INFO": Case([get("PATH_INFO: /x")], "200"),
    "key with an underscore": Case(
        [ask(f"GET {FAIR} HTTP/1.1").replace("Authorization: Bearer $KEY", "X_A: $KEY")], "401"
    ),
    "Connection: close": Case([get("Connection: close") + SECRET], "200 closed"),
    "Upgrade": Case(
        [
            get(
                "Connection: Upgrade, HTTP2-Settings",
                "Upgrade: h2c",
                "HTTP2-Settings: AAMAAABkAAQA",
            )
        ],
        "200",
    ),
}

CHUNKS = {
    "one chunk": Case([chunked(chunks(BODY))], "201"),
    "many chunks": Case([chunked(chunks(*BODY))], "201"),
    "upper case": Case([chunked(chunks(BODY, size="{:X}"))], "201"),
    "leading zeros": Case([chunked(chunks(BODY, size="{:08x}"))], "201"),
    "extension": Case([chunked(chunks(BODY, size='{:x};a=b;c="d"'))], "201"),
    "extension after a space": Case(
        [chunked(chunks(BODY, size="{:x} ;a"))], "201", "201 | 400 closed"
    ),
    "extension with a bare CR": Case(
        [chunked(chunks(BODY, size="{:x};a\rb"))], REFUSED, "400 closed | 201"
    ),
    "extension with a bare LF": Case([chunked(chunks(BODY, size="{:x};a\nb"))], REFUSED),
    "bare LF behind a size": Case(
        [chunked(f"f\n{BODY}\r\n0\r\n\r\n")], REFUSED, "400 closed | 201"
    ),
    "bare LF behind the data": Case(
        [chunked(f"f\r\n{BODY}\n0\r\n\r\n")], REFUSED, "400 closed | 201"
    ),
    "signed size": Case([chunked(chunks(BODY, size="+{:x}"))], REFUSED),
    "negative size": Case([chunked(chunks(BODY, size="-{:x}"))], REFUSED),
    "size with 0x": Case([chunked(chunks(BODY, size="0x{:x}"))], REFUSED),
    "size with an underscore": Case([chunked(chunks(BODY, size="0_{:x}"))], REFUSED),
    "space before a size": Case([chunked(chunks(BODY, size=" {:x}"))], REFUSED),
    "space behind a size": Case([chunked(chunks(BODY, size="{:x} "))], REFUSED, "400 closed | 201"),
    "no size": Case([chunked(chunks(BODY, size=""))], REFUSED),
    "size that is no number": Case([chunked(chunks(BODY, size="g"))], REFUSED),
    "size beyond 64 bits": Case(
        [chunked(chunks(BODY, size="{:x}" + "0" * 20))], REFUSED, "400 closed | 413 closed"
    ),
    "size of 100 kB": Case([chunked("0" * 100_000 + "f")], REFUSED, "400 | closed", "half"),
    "extension of 100 kB": Case([chunked("f;" + "a" * 100_000)], REFUSED, "400 | closed", "half"),
    "more data than the size": Case([chunked(f"e\r\n{BODY}\r\n0\r\n\r\n")], REFUSED),
    "less data than the size": Case([chunked(f"10\r\n{BODY}\r\n0\r\n\r\n")], REFUSED, "400 | 201"),
    "trailer": Case([chunked(chunks(BODY, end="0\r\nX-A: b\r\n\r\n"))], "201"),
    "trailer with a length": Case(
        [chunked(chunks(BODY, end="0\r\nContent-Length: 99\r\n\r\n"))], "201"
    ),
    "trailer with a key": Case(
        [chunked(chunks(BODY, end="0\r\nAuthorization: Bearer x\r\n\r\n"))], "201"
    ),
    "folded trailer": Case(
        [chunked(chunks(BODY, end="0\r\nX-A: b\r\n c\r\n\r\n"))], REFUSED, "400 closed | 201"
    ),
    "trailer without a colon": Case(
        [chunked(chunks(BODY, end="0\r\nX-A\r\n\r\n"))], REFUSED, "400 closed | 201"
    ),
    "trailer with a bare LF": Case(
        [chunked(chunks(BODY, end="0\r\nX-A: b\nX-C: d\r\n\r\n"))], REFUSED, "400 closed | 201"
    ),
    "trailers of 200 kB": Case(
        [chunked(chunks(BODY, end="0\r\n" + "X-A: b\r\n" * 25_000))],
        REFUSED,
        "400 | 201 | closed",
        "half",
    ),
    "no end": Case([chunked(chunks(BODY, end=""))], "400 closed | closed", end="half"),
    "no empty line at the end": Case(
        [chunked(chunks(BODY, end="0\r\n"))], "400 closed | closed", end="half"
    ),
    "a request behind the chunks": Case([chunked(chunks(BODY)) + get(id="c2")], "201 200"),
}

LIMITS = {
    "long line": Case([ask(f"GET /{'a' * 9000} HTTP/1.1")], "414 closed"),
    "long line without an end": Case(
        ["GET /" + "a" * 9000], "414 closed", "414 closed | 400 closed | closed", "half"
    ),
    "line of 8000 bytes": Case([ask(f"GET {FAIR}?after={'a' * 7900} HTTP/1.1")], "422"),
    "long header": Case([get("X-A: " + "a" * 9000)], "431 closed", "400 closed"),
    "header of 8000 bytes": Case([get("X-A: " + "a" * 8000)], "200"),
    "many headers": Case([get(*["X-A: b"] * 200)], "431 closed"),
    "90 headers": Case([get(*["X-A: b"] * 90)], "200"),
    "head of 80 kB": Case([get(*["X-A: " + "a" * 4000] * 20)], "431 closed", "400 closed"),
    "head without an end": Case(
        [get(*["X-A: bbbb"] * 8000)[:-2]], "431 closed", "400 closed", "half"
    ),
    "body over the limit": Case(
        [post("Content-Length: 1500000", body=" " * 1_500_000)], "413 | 413 closed"
    ),
    "body of 100 MB announced": Case([post("Content-Length: 100000000")], "413 closed", end="half"),
    "chunks over the limit": Case([chunked(chunks(*[" " * 50_000] * 30))], "413 | 413 closed"),
    "body nested deeply": Case([post(body="[" * 50_000)], "400 | 422"),
    "no length": Case(
        [head("POST /api/v1/events", "Content-Type: application/json")], "400 | 411 | 422"
    ),
    "length of zero": Case([head("POST /api/v1/events", "Content-Length: 0")], "400 | 415 | 422"),
}

STAGES = {
    "nothing": "",
    "half a line": "GET /api/v1/ev",
    "half a head": get()[:60],
    "no body": post()[:-15],
    "half a body": post("Content-Length: 20"),
    "half a size": chunked("1"),
    "half a chunk": chunked("ff\r\n" + BODY),
    "half a long body": post("Content-Length: 200000", body=" " * 100_000),
}
WHOLE = {
    "a request": get(),
    "a write": post(),
    "pipelined requests": get() + get(id="c2") + get(id="c3"),
    "a large response": head("GET /openapi.json"),
}
CUT = "400 closed | closed"
ENDS = {
    **{f"half-close after {name}": Case([sent], CUT, end="half") for name, sent in STAGES.items()},
    **{
        f"{end} after {name}": Case([sent], "", end=end)
        for end in ("close", "reset")
        for name, sent in {**STAGES, **WHOLE}.items()
    },
    "half-close after a request": Case([get()], "200 closed", "200 closed | closed", "half"),
    "half-close after a write": Case([post()], "201 closed", "201 closed | closed", "half"),
    "half-close after pipelined requests": Case(
        [WHOLE["pipelined requests"]],
        "200 200 200 closed",
        "200 200 200 closed | 200 200 closed | 200 closed | closed",
        "half",
    ),
}

UNKNOWN = "/api/v1/nothing"
PIPELINES = {
    "requests": Case([get() + get(id="c2") + get(id="c3")], "200 200 200"),
    "writes": Case([post() + post(id="c2", body=BODY.replace("c1", "c2"))], "201 201"),
    "HEAD in the middle": Case(
        [get() + head(f"HEAD {FAIR}", id="c2") + get(id="c3")], "200 200 200"
    ),
    "OPTIONS in the middle": Case(
        [get() + head(f"OPTIONS {FAIR}", id="c2") + get(id="c3")], "200 204 200"
    ),
    "404 in the middle": Case([get() + get(id="c2", path=UNKNOWN) + get(id="c3")], "200 404 200"),
    "422 in the middle": Case([get() + post(id="c2", body="{}") + get(id="c3")], "200 422 200"),
    "invalid JSON in the middle": Case(
        [get() + post(id="c2", body="{") + get(id="c3")], "200 400 200"
    ),
    "401 with a body in the middle": Case(
        [get() + post(id="c2").replace("$KEY", "other") + get(id="c3")], "200 401 200"
    ),
    "unread body in the middle": Case(
        [get() + post(id="c2", path=UNKNOWN, body="x" * 30_000) + get(id="c3")], "200 404 200"
    ),
    "unread request in a body": Case(
        [
            get()
            + post(id="c2", path=UNKNOWN, body="x" * 500 + "GET / HTTP/1.1\r\n\r\n")
            + get(id="c3")
        ],
        "200 404 200",
    ),
    "unread long body": Case(
        [post(path=UNKNOWN, body="x" * 300_000) + get(id="c2")], "404 closed | 404 200"
    ),
    "unread chunks": Case(
        [chunked(chunks("x" * 500), path=UNKNOWN) + get(id="c2")], "404 closed | 404 200"
    ),
    "refused chunks": Case([chunked(chunks("{}")) + get(id="c2")], "422 closed | 422 200"),
    "write and read": Case(
        [post() + get(id="c2") + post(id="c3", body=BODY.replace("c1", "c3"))], "201 200 201"
    ),
    "malformed in the middle": Case([get() + "G(T / HTTP/1.1\r\n\r\n" + SECRET], "200 400 closed"),
    "close in the middle": Case(
        [get() + get("Connection: close", id="c2") + SECRET], "200 200 closed"
    ),
    "CRLF behind a body": Case([post() + "\r\n" + get(id="c2")], "201 200"),
    "text behind a body": Case(
        [post() + "abc" + get(id="c2")], "201 400 closed", "201 405 | 201 400 closed"
    ),
    "20 requests": Case(
        ["".join(get(id=f"c{number}") for number in range(1, 21))], " ".join(["200"] * 20)
    ),
}

EXPECT = ("Content-Length: 15", "Expect: 100-continue")
SLOW = {
    "head byte by byte": Case(pieces(get()), "200"),
    "body byte by byte": Case([post()[:-15], *pieces(BODY)], "201"),
    "chunks byte by byte": Case([chunked(""), *pieces(chunks(BODY, "  "))], "201"),
    "two requests in odd pieces": Case(
        [get()[:-1], "\n" + get(id="c2")[:5], get(id="c2")[5:]], "200 200"
    ),
    "split at the empty line": Case([get()[:-2], "\r", "\n"], "200"),
    "split in a length": Case(
        [post()[: post().index("15\r\n") + 1], post()[post().index("15\r\n") + 1 :]], "201"
    ),
    "expectation": Case([post(*EXPECT, body=""), BODY], "201"),
    "expectation without waiting": Case([post(*EXPECT)], "201"),
    "expectation in HTTP/1.0": Case(
        [head("POST /api/v1/events HTTP/1.0", "Content-Type: application/json", *EXPECT) + BODY],
        "201 closed",
    ),
    "expectation of a GET": Case([get("Expect: 100-continue")], "200"),
    "expectation with chunks": Case([chunked("", "Expect: 100-continue"), chunks(BODY)], "201"),
    "expectation without a body": Case([post(*EXPECT, body="")], CUT, end="half"),
    "unknown expectation": Case(
        [post("Content-Length: 15", "Expect: 200-maybe")], "417 closed", "201 | 417 closed"
    ),
}

GROUPS = {
    "length": LENGTHS,
    "coding": CODINGS,
    "line": LINES,
    "first line": FIRST_LINES,
    "header": HEADERS,
    "chunks": CHUNKS,
    "limit": LIMITS,
    "end": ENDS,
    "pipeline": PIPELINES,
    "slow": SLOW,
}
CASES = {
    f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}
