"""Refusals of request heads: each says what to change. tests/server/http_cases.py has the cases that are refused."""
import pytest

from eventapi.server import heads


@pytest.mark.parametrize("first, remedy", [
    ("GET /api/v1/contacts?search=gärtner HTTP/1.1", "percent-encode"), ("GET  / HTTP/1.1", "one space between them")])
def test_a_refused_first_line_says_what_to_change(first, remedy):
    head = f"{first}\r\nHost: a\r\n\r\n".encode()
    with pytest.raises(heads.Refused, match=remedy):
        heads.check_bytes(head, len(head) - 4)
