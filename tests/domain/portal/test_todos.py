"""To-dos: each kind, from open to done, late ones first."""

import string

from eventapi.domain.portal import choosing, todos
from eventapi.domain.portal.todo_words import WORDS

RIGHTS = tuple(right for right, _ in todos.PARTS)


def listed(portal, participant=None, rights=RIGHTS):
    with portal.db.snapshot():
        found = todos.of(portal.db, portal.me(participant), portal.event, portal.pages, rights)
    return [f"{todo['kind']}:{todo['state']}" for todo in found]


def test_a_new_exhibitor_chooses_a_booth_writes_a_profile_and_names_people(portal):
    assert listed(portal) == ["booth:open", "profile:open", "badges:open"]
    assert listed(portal, rights=("profile",)) == ["profile:open"]


def test_a_text_in_another_language_only_is_named(portal):
    def title(language):
        with portal.db.snapshot():
            found = todos.of(portal.db, portal.me(), portal.event, portal.pages, ("profile",))
        return [todos.said(todo, language, "Europe/Berlin")["title"] for todo in found]

    portal.change(language="de")
    portal.organiser.patch(f"{portal.address}/profile", {"texts": {"en": "Roses."}}, status=200)
    assert listed(portal, rights=("profile",)) == ["profile:open"]
    assert title("en") == ["Present your company in German as well"]
    assert title("de") == ["Stellen Sie Ihr Unternehmen auch auf Deutsch vor"]
    portal.organiser.patch(
        f"{portal.address}/profile", {"texts": {"en": "Roses.", "de": "Rosen."}}, status=200
    )
    assert listed(portal, rights=("profile",)) == ["profile:done"]


def test_a_speaker_has_no_booth_and_no_badges(portal):
    assert listed(portal, portal.exhibitor("Speaker", role="speaker")) == []


def test_a_hold_waits_for_the_office_or_for_the_exhibitor(portal):
    with portal.db.write():
        choosing.choose(portal.db, portal.me(), portal.event, portal.pages, "A1")
    assert "booth:waiting" in listed(portal)
    portal.change(booth_confirm="self")
    assert "booth_hold:open" in listed(portal)
    portal.act("booth-reservations", portal.organiser.data("/booth-reservations")[0], "confirm")
    assert "booth:done" in listed(portal)


def test_a_booth_that_the_office_holds_is_an_offer(portal):
    portal.organiser.make(
        "/booth-reservations",
        {"booth_id": portal.booths["A1"], "event_participant_id": portal.participant["id"]},
    )
    assert "booth_offer:open" in listed(portal)


def test_each_sentence_is_there_in_both_languages_with_the_same_values():
    assert WORDS["de"].keys() == WORDS["en"].keys()
    for name, text in WORDS["de"].items():
        found = [
            {part for _, part, _, _ in string.Formatter().parse(each) if part}
            for each in (text, WORDS["en"][name])
        ]
        assert found[0] == found[1], name


def test_late_ones_come_first(portal, clock):
    portal.organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Logo",
            "input": "text",
            "key": "logo",
            "is_required": True,
            "due": "2030-01-02",
        },
    )
    assert listed(portal) == ["booth:open", "submissions:open", "profile:open", "badges:open"]
    clock("2030-01-03T12:00:00Z")
    assert listed(portal)[0] == "submissions:late"


def test_submissions_go_back_and_forth(portal):
    kind = portal.organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Text",
            "input": "text",
            "is_required": True,
            "needs_approval": True,
        },
    )
    made = portal.organiser.make(
        "/submissions",
        {
            "event_participant_id": portal.participant["id"],
            "type_id": kind["id"],
            "value": "We",
            "draft": True,
        },
    )
    assert "submissions:open" in listed(portal)
    portal.act("submissions", made, "submit")
    assert "submissions:waiting" in listed(portal)
    portal.act("submissions", made, "request-revision", {"feedback": "Longer"})
    assert "revision:open" in listed(portal) and "submissions:waiting" not in listed(portal)
    portal.act("submissions", made, "submit")
    portal.act("submissions", made, "approve")
    assert "submissions:done" in listed(portal)


def test_orders_invoices_contracts_profile_and_badges_end_as_done(portal):
    order = portal.organiser.make(
        "/service-orders",
        {
            "event_participant_id": portal.participant["id"],
            "items": [{"service_id": portal.power["id"], "quantity": 1}],
        },
    )
    assert "order:open" in listed(portal)
    portal.act("service-orders", order, "submit")
    assert "order:waiting" in listed(portal)
    portal.act("service-orders", order, "confirm")
    assert "order:done" in listed(portal)
    invoice = portal.bill()[0]
    assert not any(todo.startswith("invoice") for todo in listed(portal))  # a draft is none
    sent = portal.send(invoice)
    assert "invoice:open" in listed(portal)
    portal.organiser.make(
        "/payments", {"invoice_number": sent["invoice_number"], "amount": sent["total"]}
    )
    assert "invoice:done" in listed(portal)
    template = portal.organiser.make(
        "/documents/templates",
        {"name": "Contract", "body": "<p>We agree.</p>", "is_contract": True},
    )
    contract = portal.organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "template_id": template["id"],
            "entity_id": portal.participant["id"],
        },
    )
    assert not any(todo.startswith("contract") for todo in listed(portal))
    portal.act("documents", contract, "request-signature")
    assert "contract:open" in listed(portal)
    accepted = portal.act("documents", contract, "accept", {"signer_name": "Anna Gärtner"})
    assert (accepted["contract_status"], accepted["signer_name"]) == ("active", "Anna Gärtner")
    assert "contract:done" in listed(portal)
    portal.organiser.patch(f"{portal.address}/profile", {"texts": {"en": "Roses."}}, status=200)
    assert "profile:done" in listed(portal)
    portal.act("participants", portal.participant, "cancel")
    assert listed(portal) == ["invoice:done"]
