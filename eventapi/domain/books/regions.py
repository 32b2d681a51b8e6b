"""Where a buyer is for the VAT: in the organiser's country, in another country of the EU, or
outside of it.
"""

from eventapi.validation.identifiers import companies

HOME, EU, THIRD = "home", "eu", "third"
SPLIT = ("AE", "G", "K", "O")  # the tax categories that a tax return shows by region
# EU VAT ids begin with these letters: those of the country, but EL for Greece, and XI for Northern
# Ireland.
COUNTRIES = frozenset(
    "AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI".split()
)


def region(vat_id, country, own_country, *, are_goods=False):
    """Return where a buyer is: HOME, EU or THIRD (§ 13b, § 3a (2) and § 18b UStG).

    A VAT id of another country of the EU counts more than the address, because the buyer ordered
    under it. One of Northern Ireland counts for goods only (`are_goods`): for services, it is
    outside of the EU.
    """
    own = own_country or "DE"
    found = eu_vat_id(vat_id, own_country)
    buyer = country or own_country or "DE"
    if found and (found[:2] != "XI" or are_goods):
        return EU
    if buyer == own:
        return HOME
    return EU if ("EL" if buyer == "GR" else buyer) in COUNTRIES - {"XI"} else THIRD


def eu_vat_id(text, country):
    """Return a VAT id of another country of the EU without separators, or "" for any other text.

    Bookings with reverse charge, and supplies to other countries of the EU, need it for the
    recapitulative statement.
    """
    found = companies.vat_id_by_format(text)
    own = "EL" if country == "GR" else country
    return found if found and found[:2] in COUNTRIES - {own} else ""
