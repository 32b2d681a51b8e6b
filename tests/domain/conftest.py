"""Fixtures: a show with people who apply, take part and have links."""

import pytest

from tests.support.links import link_to


@pytest.fixture
def fair(organiser, settings):
    """Return an event whose pages are open, on a server that can send mail, with a category of
    exhibitors and one of visitors.
    """
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://shows.example.org"
    event = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
        },
    )
    for key, role in (("pots", "exhibitor"), ("guests", "visitor")):
        organiser.make(
            "/categories", {"title": key, "category_key": key, "role": role, "event_keys": ["fair"]}
        )
    organiser.patch(
        f"/events/{event['id']}/pages",
        {"is_public": True, "my_is_open": True, "contact_email": "visit@fair.example"},
        status=200,
    )
    return event


@pytest.fixture
def apply(organiser, fair):
    """Return a function that makes an application of Ada and returns it."""

    def made(client=organiser, category="pots", **changed):
        body = {
            "company_name": "Rosen KG",
            "last_name": "Rosen",
            "email": "ada@rosen.example",
            "event_keys": ["fair"],
            "category_keys": [category],
        }
        return client.make("/applications", {**body, **changed})

    return made


@pytest.fixture
def pair(organiser, fair):
    """Return a function that makes two contacts with a participation each at the same event: (kept,
    gone).

    `kept` and `gone` are lists with the fields of their links.
    """

    def made(kept=(), gone=(), role="exhibitor"):
        found = []
        for name, links in (("kept", kept), ("gone", gone)):
            contact = organiser.make(
                "/contacts", {"company_name": name, "email": f"{name}@x.example"}
            )
            part = organiser.make(
                "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": role}
            )
            part["links"] = [link_to(organiser, part, **values) for values in links]
            found.append(part)
        return found

    return made
