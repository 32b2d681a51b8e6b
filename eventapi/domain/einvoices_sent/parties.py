"""The seller and the buyer of an invoice as parties of EN 16931."""

import re
from dataclasses import replace

from eventapi.domain.einvoices.model import Party
from eventapi.domain.einvoices.writing import clean
from eventapi.validation.identifiers import accounts, companies

# Prefix of a VAT id -> scheme of the electronic address that consists of the VAT id (EAS list)
VAT_SCHEMES = {
    "AT": "9914",
    "BE": "9925",
    "BG": "9926",
    "CH": "9927",
    "CY": "9928",
    "CZ": "9929",
    "DE": "9930",
    "EE": "9931",
    "GB": "9932",
    "EL": "9933",
    "HR": "9934",
    "IE": "9935",
    "LT": "9937",
    "LU": "9938",
    "LV": "9939",
    "MT": "9943",
    "NL": "9944",
    "PL": "9945",
    "PT": "9946",
    "RO": "9947",
    "SI": "9949",
    "SK": "9950",
    "FR": "9957",
    "HU": "9910",
    "ES": "9920",
    "IT": "0211",
    "FI": "0213",
}
MAIL, LEITWEG_ID, GLN = "EM", "0204", "0088"
COUNTRIES = {"XK": "1A"}  # ISO 3166-1 -> code list of EN 16931, where they differ: Kosovo


def seller(party, *, is_outside_vat):
    """Return the seller as a Party.

    An invoice in category O contains no VAT id (BR-O-02), but the seller has an identifier
    (BR-CO-26). Without a VAT id and a register number, that is the tax number. A VAT id of a
    country whose format we do not know is a tax number.
    """
    texts = cleaned(party)
    vat_id = companies.vat_id_by_format(texts["vat_id"])
    shown, register = None if is_outside_vat else vat_id, texts["register_number"]
    tax_number = texts["tax_number"] or (None if vat_id else texts["vat_id"])
    scheme, address = _seller_address(texts)
    return Party(
        name=texts["name"],
        id=None if shown or register else tax_number or vat_id,
        register_number=register,
        vat_id=shown,
        tax_number=tax_number,
        address=address,
        address_scheme=scheme,
        street=texts["street"],
        city=texts["city"],
        postal_code=texts["postal_code"],
        country=texts["country"],
        contact_name=texts["contact"],
        contact_phone=texts["phone"],
        contact_email=texts["email"],
    )


def buyer(party, *, is_outside_vat, is_reverse_charge=False):
    """Return the buyer as a Party. Each line of the address has a term of its own, up to three.

    Reverse charge requires a VAT id or a registration of the buyer (BR-AE-02). Most companies
    outside the EU have no VAT id, so their tax number is the registration.
    """
    texts = cleaned(party)
    vat_id = companies.vat_id_by_format(texts["vat_id"])
    scheme, address = _buyer_address(texts, vat_id)
    streets = [line.strip() for line in (texts["address"] or "").splitlines() if line.strip()]
    streets = [*streets[:2], *filter(None, [", ".join(streets[2:])]), None, None, None]
    return Party(
        name=texts["name"],
        id=texts["gln"] or texts["customer_number"],
        id_scheme=GLN if texts["gln"] else None,
        register_number=texts["vat_id"] if is_reverse_charge and not vat_id else None,
        vat_id=None if is_outside_vat else vat_id,
        address=address,
        address_scheme=scheme,
        street=streets[0],
        street_2=streets[1],
        street_3=streets[2],
        city=texts["city"],
        postal_code=texts["postal_code"],
        region=texts["state"],
        country=texts["country"],
        contact_name=texts["contact_name"],
        contact_email=texts["email"],
    )


FIELDS = (
    "name",
    "street",
    "address",
    "postal_code",
    "city",
    "state",
    "country",
    "email",
    "contact",
    "contact_name",
    "phone",
    "vat_id",
    "tax_number",
    "register_number",
    "customer_number",
    "leitweg_id",
    "gln",
    "electronic_address",
    "iban",
    "bic",
)


def cleaned(party):
    """Return the texts of a party as XML can contain them.

    Those that are missing or empty are None.

    The country is that of the code list of EN 16931.
    """
    texts = {name: clean(str(party.get(name) or "")) or None for name in FIELDS}
    return {**texts, "country": COUNTRIES.get(texts["country"], texts["country"])}


def iban(text):
    """Return a valid IBAN without spaces, or None."""
    try:
        return accounts.iban(text) if text else None
    except ValueError:
        return None


def account(text):
    """Return a valid IBAN without spaces, another account number as it is, or None for a wrong
    IBAN.
    """
    text = clean(text or "")
    return iban(text) if accounts.looks_like_iban(text) else text or None


def bic(text):
    """Return a valid BIC, or None."""
    try:
        return accounts.bic(text) if text else None
    except ValueError:
        return None


def doubtful(buyer, *, is_reverse_charge):
    """Yield (field, sentence) for each identifier of a buyer that is probably wrong, or not shown
    as a VAT id.
    """
    tax_id = buyer.get("vat_id")
    if tax_id and companies.looks_like_vat_id(tax_id) and not companies.is_vat_id(tax_id):
        yield (
            "contact.tax_id",
            (
                f"`contact.tax_id` is {tax_id}, which looks like a VAT id, but is not valid. Correct "
                "it, or send a national tax number without the letters of the country."
            ),
        )
    elif tax_id and is_reverse_charge and not companies.vat_id_by_format(tax_id):
        yield (
            "contact.tax_id",
            (
                f"`contact.tax_id` is {tax_id}, which is no VAT id of the EU, GB, CH or NO. The "
                "e-invoice shows it as the registration of the buyer (BT-47) instead of its VAT id. "
                "Correct it if the buyer has a VAT id."
            ),
        )


def seller_in_peppol(party):
    """Return the seller with its VAT id as electronic address if that is an e-mail address.

    Peppol does not know e-mail addresses (PEPPOL-EN16931-CL008). Without a VAT id, the seller stays
    as it is.
    """
    scheme = VAT_SCHEMES.get((party.vat_id or "")[:2])
    return (
        replace(party, address_scheme=scheme, address=party.vat_id)
        if scheme and party.address_scheme in (None, MAIL)
        else party
    )


def _seller_address(texts):
    """Return (scheme, id) of the seller's electronic address: the configured one, else the e-mail
    address.
    """
    return split_address(texts["electronic_address"]) or (
        MAIL if texts["email"] else None,
        texts["email"],
    )


def _buyer_address(texts, vat_id):
    """Return (scheme, id) of the buyer's electronic address, or (None, None).

    Without a given one it is the Leitweg-ID, the GLN, the VAT id, or the e-mail address, whichever
    comes first.
    """
    given = split_address(texts["electronic_address"])
    if given:
        return given
    vat_scheme = VAT_SCHEMES.get((vat_id or "")[:2])
    found = (
        (LEITWEG_ID, texts["leitweg_id"]),
        (GLN, texts["gln"]),
        (vat_scheme, vat_scheme and vat_id),
        (MAIL, texts["email"]),
    )
    return next(((scheme, id) for scheme, id in found if id), (None, None))


def leitweg_id(buyer):
    """Return the Leitweg-ID of a buyer: its own field, or that of its electronic address.

    None if it has neither.
    """
    texts = cleaned(buyer)
    scheme, address = split_address(texts["electronic_address"]) or (None, None)
    return texts["leitweg_id"] or (address if scheme == LEITWEG_ID else None)


def is_leitweg_id(text):
    """Return whether the text is a Leitweg-ID with the right check digits."""
    try:
        return bool(companies.leitweg_id(text))
    except ValueError:
        return False


def split_address(text):
    """Return (scheme, id) of a text such as 0204:991-33333TEST-33, or None."""
    found = re.fullmatch(r"([0-9A-Z]{2,4}):(\S+)", text or "")
    return found and found.groups()
