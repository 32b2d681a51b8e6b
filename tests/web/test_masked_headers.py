"""An API key that a client sends in the wrong header is neither stored nor logged."""

import pytest


def stored(db):
    """Return all text of the database, of all tables."""
    tables = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
    ]
    return " ".join(
        str(row) for table in tables for row in db.connection.execute(f'SELECT * FROM "{table}"')
    )


@pytest.mark.parametrize(
    "header",
    [
        "User-Agent",
        "X-Request-ID",
        "Referer",
        "Idempotency-Key",
        "Origin",
        "X-Real-IP",
        "Accept-Language",
        "Prefer",
        "X-Forwarded-For",
    ],
)
def test_a_key_in_another_header_is_not_stored(organiser, db, capfd, caplog, header):
    value = f"shop/1.0 ({organiser.key})" if header == "User-Agent" else organiser.key
    answer = organiser.post(
        "/newsletter",
        {
            "email": "ada@messe.test",
            "consent": {"source": "paper", "at": "2026-01-01T00:00:00Z", "text": "yes"},
        },
        headers={header: value},
    )
    assert answer.status_int in (201, 422), answer.text
    assert organiser.key not in stored(db) + answer.text + str(answer.headers)
    seen = capfd.readouterr()
    assert organiser.key not in seen.out + seen.err + caplog.text


def test_the_rest_of_the_user_agent_is_kept(organiser, db):
    organiser.post(
        "/events",
        {"title": "Fair"},
        headers={"User-Agent": f"shop/1.0 ({organiser.key})"},
        status=201,
    )
    (agent,) = db.connection.execute("SELECT user_agent FROM audit_log ORDER BY id DESC").fetchone()
    assert agent == "shop/1.0 (evk_***)"
