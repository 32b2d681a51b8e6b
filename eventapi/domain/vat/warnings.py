"""What the office should look at before it sends an invoice, as far as the treatment decides it."""

from collections.abc import Sequence

from eventapi.domain.vat.buyers import HOME, MEMBERS, Buyer, territory
from eventapi.domain.vat.treatment import EVENT, Organiser, Show, Suggestion, is_abroad

NO_VAT_ID = {"no_vat_id": "no_vat_id_abroad", "vat_id_invalid": "vat_id_invalid"}
CHECKED = {"AE", "K"}  # tax categories that need a valid VAT id of the buyer


def codes(
    suggestion: Suggestion,
    organiser: Organiser,
    show: Show | None,
    buyer: Buyer,
    lines: Sequence[tuple[str, str | None]],
) -> set[str]:
    """Return the codes of the warnings of an invoice.

    `suggestion` is what the rule says. `lines` holds (tax category, place) of each line as it is; the
    place is its own or that of the show.
    """
    found = _of_address(organiser, buyer)
    because = suggestion.because
    categories = {category for category, _ in lines}
    is_foreign_business = buyer.counts_as_business() and buyer.region(organiser.home) != HOME
    has_own_warning = because in (*NO_VAT_ID, "event_abroad")
    is_taxed = any(category == "S" and place != EVENT for category, place in lines)
    if is_foreign_business and is_taxed and not has_own_warning:
        found.add("standard_rate_abroad")
    if because in NO_VAT_ID and is_taxed:
        found.add(NO_VAT_ID[because])
    if _is_taxed_at_a_show_abroad(because, organiser, show, lines):
        found.add("event_abroad")
    if "O" in categories and because == "third_business":
        if not buyer.is_business and not buyer.tax_id:
            found.add("business_unproven")
    if organiser.is_small and because == "eu_business" and not organiser.has_vat_id:
        found.add("small_business_abroad")
    if categories & CHECKED and not organiser.is_small and buyer.state_of_vat_id in MEMBERS:
        if buyer.vat_check != "valid":
            found.add("vat_id_unchecked")
    return found


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
