"""The terms of an invoice: what its tax treatment depends on, beside its lines."""

import json
from dataclasses import dataclass, replace

from eventapi import times
from eventapi.domain.billing import service_days
from eventapi.domain.vat.buyers import HOME, Buyer
from eventapi.domain.vat.treatment import Organiser, Show
from eventapi.storage.statements import statements

sql = statements("tax_terms")

CHECK_DAYS = 365  # for which an answer about a VAT id is taken as evidence


@dataclass(frozen=True)
class Terms:
    """What the treatment of an invoice depends on, beside its lines."""

    organiser: Organiser
    show: Show | None
    buyer: Buyer
    day: str
    """Last day of the supply."""


def of_invoice(db, *, contact_id, event_id, service_date=None, service_date_to=None):
    """Return the Terms of an invoice to a contact for an event, which may be None."""
    event = event_id and db.one(sql.event, id=event_id)
    contact = contact_id and db.one(sql.buyer, id=contact_id)
    _, last_day = service_days.of_dates(event)
    day = service_date_to or service_date or last_day
    day = day or times.today(db.config.timezone, db.now)
    is_small = db.config.is_small_business(day)
    country = db.config.organiser_country
    organiser = Organiser(country, bool(db.config.organiser_vat_id), is_small)
    show = event and Show(event["country"] or country, event["place_of_supply"])
    return Terms(organiser, show, _buyer(db, contact), day)


def of_draft(db, draft):
    """Return the Terms of a row of a draft."""
    names = ("contact_id", "event_id", "service_date", "service_date_to")
    return of_invoice(db, **{name: draft[name] for name in names})


def of_participant(db, participant_id):
    """Return the Terms of what a participant is billed for."""
    party = db.one(sql.participant, id=participant_id)
    return of_invoice(db, contact_id=party["contact_id"], event_id=party["event_id"])


def _buyer(db, contact):
    """Return the Buyer of a row of a contact, with the last answer about its VAT id."""
    if contact is None:
        return Buyer(country=None, is_company=False, is_business=None, tax_id=None)
    is_business = contact["is_business"]
    buyer = Buyer(
        country=contact["country"],
        is_company=bool(contact["company_name"]),
        is_business=None if is_business is None else bool(is_business),
        tax_id=contact["tax_id"],
    )
    return replace(buyer, vat_check=_vat_check(db, contact, buyer.vat_id))


def _vat_check(db, contact, vat_id):
    """Return the result of the last check of a VAT id, None if a valid one is too old to count."""
    checks = [check for check in json.loads(contact["vat_checks"]) if check["vat_id"] == vat_id]
    if not checks:
        return None
    last = checks[-1]
    oldest = times.add_days(times.today(db.config.timezone, db.now), -CHECK_DAYS)
    return None if last["result"] == "valid" and last["checked_on"] < oldest else last["result"]


def foreign_firms(db, participant_ids):
    """Return the id of the event and the number of businesses from abroad among participants of an
    event that is not decided yet (`place_of_supply`). (None, 0) if there are none.
    """
    event_id, count = None, 0
    for id in participant_ids:
        party = db.one(sql.participant, id=id)
        terms = of_participant(db, id) if party else None
        if terms is None or terms.show is None or terms.show.place is not None:
            continue
        if terms.buyer.counts_as_business() and terms.buyer.region(terms.organiser.home) != HOME:
            event_id = party["event_id"]
            count += 1
    return event_id, count
