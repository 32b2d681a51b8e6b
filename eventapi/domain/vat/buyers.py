"""Who a buyer is for the VAT: a business or not, and where."""

from dataclasses import dataclass

from eventapi.domain.books.regions import COUNTRIES
from eventapi.validation.identifiers import companies

HOME, EU, THIRD = "home", "eu", "third"
# Countries that are one territory of VAT with another one: § 1 (1) UStG of Liechtenstein's treaty with Switzerland,
# Art. 7 of Directive 2006/112/EC.
TERRITORIES = {"LI": "CH", "MC": "FR", "IM": "GB"}
NORTHERN_IRELAND = "XI"  # of VAT ids that count for goods only
MEMBERS = COUNTRIES - {NORTHERN_IRELAND}


def territory(country: str) -> str:
    """Return the country to whose territory of VAT a country belongs, with EL for Greece as in VAT
    ids.
    """
    country = TERRITORIES.get(country, country)
    return "EL" if country == "GR" else country


@dataclass(frozen=True)
class Buyer:
    """A buyer, as the rule of treatment.py sees it."""

    country: str | None
    """Country code of the address. None is the country of the organiser."""

    is_company: bool
    """Whether it has a company name."""

    is_business: bool | None
    """What the office says. None: a VAT id or a company name decide."""

    tax_id: str | None
    """VAT id or national tax number."""

    vat_check: str | None = None
    """Result of the last kept check of this VAT id: `valid`, `invalid` or None."""

    @property
    def vat_id(self) -> str | None:
        """The VAT id in its canonical form, by its format. None for any other text."""
        return companies.vat_id_by_format(self.tax_id)

    @property
    def state_of_vat_id(self) -> str | None:
        """The first two letters of the VAT id, as `territory` returns them."""
        return self.vat_id[:2] if self.vat_id else None

    def counts_as_business(self) -> bool:
        """Return whether it is a business for the place of a supply.

        A company with a VAT id is one even if it does no business: Art. 43 no. 2 of Directive
        2006/112/EC, § 3a (2) sentence 3 UStG.
        """
        if self.is_business is None:
            return bool(self.vat_id) or self.is_company
        return self.is_business or (self.is_company and bool(self.vat_id))

    def has_counting_vat_id(self, home: str) -> bool:
        """Return whether it has a VAT id of a member state other than `home` that is valid as far as
        is known.
        """
        state = self.state_of_vat_id
        is_foreign = state in MEMBERS and state != home
        return is_foreign and companies.is_vat_id(self.tax_id) and self.vat_check != "invalid"

    def gave_vat_id(self) -> bool:
        """Return whether its tax id begins as a VAT id that could count for services."""
        text = self.tax_id or ""
        is_meant = self.vat_id is not None or companies.looks_like_vat_id(text)
        return is_meant and not text.strip().upper().startswith(NORTHERN_IRELAND)

    def region(self, home: str) -> str:
        """Return where it is: HOME, EU or THIRD. `home` is the territory of the organiser.

        An address at home counts more than any VAT id, and so does a VAT id of home. Otherwise a
        VAT id of a member state counts more than the address, because the buyer ordered under it.
        """
        country = territory(self.country) if self.country else home
        if home in (country, self.state_of_vat_id):
            return HOME
        if country in MEMBERS or self.has_counting_vat_id(home):
            return EU
        return THIRD
