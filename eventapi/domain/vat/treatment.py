"""The rule of tax treatment: whether an invoice has VAT, and why.

It needs no database. Sources: §§ 3a, 13b, 19 UStG and UStAE 3a.4; Art. 44, 45, 53 to 55 and 196 of Directive
2006/112/EC; Art. 18 of Regulation (EU) 282/2011; Art. 8 MWSTG.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from eventapi.domain.vat.buyers import EU, HOME, MEMBERS, Buyer, territory

RECIPIENT, EVENT = "recipient", "event"
STANDARD, REVERSE_CHARGE = "standard", "reverse_charge"
NOT_TAXABLE, SMALL_BUSINESS = "not_taxable", "small_business"
SWISS = "CH"  # with Liechtenstein
# treatment -> tax category of the lines that are supplied where the recipient is
ABROAD = {REVERSE_CHARGE: "AE", NOT_TAXABLE: "O"}


@dataclass(frozen=True)
class Organiser:
    """The organiser on the day of the supply."""

    country: str
    has_vat_id: bool
    is_small: bool
    """Whether it is a small business (§ 19 UStG) on the last day of the supply."""

    @property
    def home(self) -> str:
        """Its territory of VAT."""
        return territory(self.country)

    @property
    def usual(self) -> str:
        """The tax category of a line that is taxed at home."""
        if not self.is_small:
            return "S"
        return "O" if self.home == SWISS else "E"


@dataclass(frozen=True)
class Show:
    """The event of an invoice. `place` is its `place_of_supply`, None if that is undecided."""

    country: str
    place: str | None


@dataclass(frozen=True)
class Suggestion:
    """What the rule says: the treatment, and because of which row of the rule."""

    treatment: str
    because: str


def suggest(
    organiser: Organiser, show: Show | None, buyer: Buyer, own_places: Sequence[str | None]
) -> Suggestion:
    """Return the treatment of an invoice. `own_places` are those of its lines, None where the line
    follows the show.
    """
    treatment, because = _row(organiser, show, buyer, own_places)
    is_small_here = treatment == STANDARD or (
        treatment == REVERSE_CHARGE and not organiser.has_vat_id
    )
    if organiser.is_small and is_small_here:
        treatment = SMALL_BUSINESS
    return Suggestion(treatment, because)


def _row(organiser, show, buyer, own_places):
    """Return (treatment, because) of the first row that fits, for an organiser that is not small."""
    home = organiser.home
    is_business = buyer.counts_as_business()
    has_recipient = any(place == RECIPIENT for place in places(show, own_places))

    if is_abroad(organiser, show):
        leaves_the_eu = home in MEMBERS and territory(show.country) not in MEMBERS
        if not has_recipient or not is_business or leaves_the_eu:
            return STANDARD, "event_abroad"
    region = buyer.region(home)
    if region == HOME:
        return STANDARD, "home"
    if not is_business:
        # Art. 8 (1) MWSTG asks for the seat of the recipient, whoever it is
        is_where_it_lives = home == SWISS and has_recipient
        return (NOT_TAXABLE if is_where_it_lives else STANDARD), "consumer"
    if not has_recipient:
        return STANDARD, _no_recipient(show)
    if region == EU and home in MEMBERS:
        if buyer.has_counting_vat_id(home):
            return REVERSE_CHARGE, "eu_business"
        return STANDARD, "vat_id_invalid" if buyer.gave_vat_id() else "no_vat_id"
    return NOT_TAXABLE, "third_business"


def _no_recipient(show):
    if show is None:
        return "no_event"
    return "undecided" if show.place is None else "place_event"


def is_abroad(organiser: Organiser, show: Show | None) -> bool:
    """Return whether the show is outside of the organiser's territory of VAT."""
    return show is not None and territory(show.country) != organiser.home


def places(show: Show | None, own_places: Sequence[str | None]) -> list[str | None]:
    """Return the place of each line: its own, or else that of the show; None if neither is decided."""
    place_of_show = show.place if show else None
    return [place or place_of_show for place in own_places]


def category(treatment: str, organiser: Organiser, place: str | None) -> str:
    """Return the tax category of a line at a place, whose usual one is S, of a treatment."""
    goes_abroad = treatment in ABROAD and place == RECIPIENT
    return ABROAD[treatment] if goes_abroad else organiser.usual


def categories(
    treatment: str, organiser: Organiser, show: Show | None, own_places: Sequence[str | None]
) -> list[str]:
    """Return the tax category of each line, whose usual one is S, of a treatment by rule."""
    return [category(treatment, organiser, place) for place in places(show, own_places)]
