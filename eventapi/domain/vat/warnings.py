"""What the office should look at before it sends an invoice, as far as the treatment decides it."""

from collections.abc import Sequence

from eventapi.domain.vat.buyers import HOME, MEMBERS, Buyer, territory
from eventapi.domain.vat.treatment import (
    EVENT,
    NOT_TAXABLE,
    Organiser,
    Show,
    Suggestion,
    categories,
    is_abroad,
    places,
)

NO_VAT_ID = {"no_vat_id": "no_vat_id_abroad", "vat_id_invalid": "vat_id_invalid"}


def codes(
    suggestion: Suggestion,
    organiser: Organiser,
    show: Show | None,
    buyer: Buyer,
    own_places: Sequence[str | None],
) -> set[str]:
    """Return the codes of the warnings of an invoice that is taxed as the rule suggests."""
    found = _of_address(organiser, buyer)
    because, lines = suggestion.because, _lines(suggestion, organiser, show, own_places)
    is_taxed_abroad = buyer.counts_as_business() and buyer.region(organiser.home) != HOME
    if is_taxed_abroad and because not in (*NO_VAT_ID, "event_abroad") and ("S", None) in lines:
        found.add("standard_rate_abroad")
    if because in NO_VAT_ID and not organiser.is_small:
        found.add(NO_VAT_ID[because])
    if _is_taxed_at_a_show_abroad(because, organiser, show, lines):
        found.add("event_abroad")
    if suggestion.treatment == NOT_TAXABLE and because == "third_business":
        if not buyer.is_business and not buyer.tax_id:
            found.add("business_unproven")
    if because == "eu_business":
        if organiser.is_small and not organiser.has_vat_id:
            found.add("small_business_abroad")
        if not organiser.is_small and buyer.vat_check != "valid":
            found.add("vat_id_unchecked")
    return found


def _lines(suggestion, organiser, show, own_places):
    """Return (tax category, place) of each line."""
    taxes = categories(suggestion.treatment, organiser, show, own_places)
    return list(zip(taxes, places(show, own_places), strict=True))


def _of_address(organiser, buyer):
    """Return the warnings of an address and a VAT id that do not belong together, for organisers in
    the EU.
    """
    home, state = organiser.home, buyer.state_of_vat_id
    country = territory(buyer.country) if buyer.country else home
    if home not in MEMBERS or state is None:
        return set()
    if country == home and state != home:
        return {"vat_id_abroad"}
    if country != home and state == home:
        return {"vat_id_home"}
    return set()


def _is_taxed_at_a_show_abroad(because, organiser, show, lines):
    if not is_abroad(organiser, show):
        return False
    is_doubtful = because in ("event_abroad", *NO_VAT_ID)
    return is_doubtful or ("S", EVENT) in lines
