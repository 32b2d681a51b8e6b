"""The place of supply of an event: what is usual, and what to say about one abroad."""

from eventapi.domain.vat.buyers import MEMBERS, territory
from eventapi.domain.vat.treatment import EVENT, RECIPIENT, Organiser, Show, is_abroad
from eventapi.languages import countries

BRITAIN = "GB"
# What `law` returns -> sentence about the tax of the organiser's state at an event abroad. Other states have none.
DOUBTS = {
    "DE_eu": " German VAT is probably wrong on its invoices (§ 3a (3) no. 1, 3, 5 UStG).",
    "DE_third": " German VAT is probably wrong on its invoices (§ 3a (3) no. 1, 3, 5, (8) UStG).",
    "CH": " Swiss VAT is probably wrong on its invoices (Art. 8 (2) MWSTG).",
}


def usual(organiser_country: str) -> str:
    """Return the place of supply of a new event: that of the recipient for organisers in the EU and
    in GB.
    """
    home = territory(organiser_country)
    return RECIPIENT if home in MEMBERS or home == BRITAIN else EVENT


def is_in_eu(country: str) -> bool:
    """Return whether a country belongs to the territory of VAT of the EU."""
    return territory(country) in MEMBERS


def is_outside(organiser_country: str, country: str) -> bool:
    """Return whether an event in `country` is outside of the organiser's territory of VAT."""
    organiser = Organiser(organiser_country, has_vat_id=False, is_small=False)
    return is_abroad(organiser, Show(country, None))


def law(organiser_country: str, country: str) -> str | None:
    """Return the key of the law that makes the organiser's own tax doubtful at an event abroad, in
    DOUBTS, or None.
    """
    if organiser_country == "DE":
        return "DE_eu" if is_in_eu(country) else "DE_third"
    return "CH" if organiser_country == "CH" else None


def warnings(organiser_country: str, country: str) -> list[dict]:
    """Return the warnings about the country of an event, as `meta` has them."""
    if not is_outside(organiser_country, country):
        return []
    name = countries.name(country, "en")
    doubt = DOUBTS.get(law(organiser_country, country), "")
    detail = (
        f"The show is abroad ({name}). eventapi knows no tax of other states.{doubt} "
        "Ask your adviser before you send the first invoice."
    )
    return [{"code": "event_abroad", "detail": detail, "field": "country"}]
