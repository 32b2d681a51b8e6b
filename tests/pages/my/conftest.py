"""An exhibitor with an open page, a second one whose data no page of the first may show, and their
visitors.
"""

import re
from html import unescape
from urllib.parse import urljoin

import pytest

from tests.domain.portal.conftest import Portal, clock
from tests.support.prepared import prepared

RIGHTS = ("profile", "submissions", "booth", "orders", "contract", "invoices", "badges")
__all__ = ["clock"]


class Site(Portal):
    """The portal with open pages, submission types, services, contracts and invoices of two
    exhibitors.
    """

    def __init__(self, organiser, db):
        super().__init__(organiser, db)
        self.open_link = None  # set by the fixture of each test
        self.change(
            my_is_open=True,
            contact_email="help@example.org",
            texts={"my_intro": {"en": "Welcome to the fair.", "de": "Willkommen zur Messe."}},
        )
        for place, id in enumerate(self.booths.values()):
            organiser.patch(f"/booths/{id}", {"pos_x": 2 + 8 * place, "pos_y": 2}, status=200)
        limits = {"file": {"allowed_extensions": ["pdf"], "max_size_mb": 1}}
        self.kinds = {
            input: organiser.make(
                "/submissions/types",
                {
                    "event_key": "fair",
                    "title": f"{input} wanted",
                    "key": input,
                    "input": input,
                    "is_required": input == "text",
                    "needs_approval": True,
                    "due": "2099-02-01",
                    **limits.get(input, {}),
                },
            )
            for input in ("text", "textarea", "url", "checkbox", "file")
        }
        self.template = organiser.make(
            "/documents/templates",
            {
                "name": "Contract",
                "body": "<h2>Terms</h2><p>We agree with {{contact.company_name}}.</p>",
                "is_contract": True,
            },
        )

    def contract(self, participant=None):
        made = self.organiser.make(
            "/documents",
            {
                "entity_type": "event_participant",
                "entity_id": (participant or self.participant)["id"],
                "template_id": self.template["id"],
            },
        )
        return self.act("documents", made, "request-signature")

    def visitor(self, participant=None, language="en", rights=RIGHTS, **values):
        """Return (link, Visitor) of a participant, signed in by a shown secret."""
        link, visitor, _ = self.open_link(
            "participant",
            language,
            event_id=self.event["id"],
            participant_id=(participant or self.participant)["id"],
            rights=rights,
            **{"name": "Anna Gärtner", **values},
        )
        return link, visitor


@prepared
def new_site(organiser, db):
    return Site(organiser, db)


@pytest.fixture
def site(new_site, open_link):
    new_site.open_link = open_link
    return new_site


def hidden(text, action):
    """Return the hidden fields of the form with this action, without the token."""
    form = re.search(rf'<form[^>]*action="[^"]*/{re.escape(action)}".*?</form>', text, re.S)
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]) if form else []
    return {name: unescape(value) for name, value in found if name != "form_token"}


class My:
    """The page of an exhibitor in a browser: paths are relative to it."""

    def __init__(self, link, visitor):
        self.link, self.visitor, self.home = link, visitor, f"/my/{link['ref']}/"

    def get(self, page="", status=200):
        return self.visitor.get(self.home + page, status=status)

    def send(self, page, action, fields=None, status=303, upload=None):
        """Send a form with the hidden fields of a page.

        Return the page that it leads to, or the refusal.
        """
        shown = self.get(page)
        fields = {**hidden(shown.text, action), **(fields or {})}
        response = self.visitor.submit(shown, self.home + action, fields, status, upload)
        if status != 303:
            return response
        return self.visitor.get(urljoin(self.home + action, response.headers["Location"]))


@pytest.fixture
def my(site):
    return My(*site.visitor())
