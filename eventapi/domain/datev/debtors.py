"""Debtors: the master data of a customer, as one line of the file of debtors."""
from eventapi.domain.datev.bookings import EU
from eventapi.domain.datev.lines import quoted
from eventapi.languages import choice
from eventapi.validation.identifiers import companies

PERSON, COMPANY = "1", "2"          # Adressattyp
LANGUAGES = {"de": "1", "en": "5"}  # Sprache: those of our mails and documents
ERASED = "(Daten gelöscht)"


def fields(row, account, lines, config):
    """Return the fields of a debtor, {1-based column: field}. `lines` writes the texts, see lines.py.

    A company has the name of its contact person beside it. The second line of an address is its addition. DATEV reads
    only the fields of the kind of addressee.
    """
    person = " ".join(filter(None, (row["first_name"], row["last_name"])))
    company = row["company_name"] or (ERASED if row["anonymized_at"] else None)
    street, _, addition = (row["address"] or "").partition("\n")
    country, vat_number = vat_id(row["tax_id"])
    texts = {8: (company or row["last_name"] or person, 15), 9: (country, 2), 10: (vat_number, 13), 16: (street, 36),
             18: (row["postal_code"], 10), 19: (row["city"], 30), 20: (row["country"], 2), 22: (addition, 36),
             29: (row["phone"], 60), 33: (row["email"], 60), 99: (row["number"], 15)}
    if company or not person:
        texts.update({2: (company or row["number"], 50), 102: (person, 40)})
    else:
        texts.update({4: (row["last_name"] or row["first_name"], 30),
                      5: (row["first_name"] if row["last_name"] else None, 30)})
    found = {column: lines.text(value, length) for column, (value, length) in texts.items()}
    language = choice.choose(config, row["language"])
    return {**found, 1: account, 7: quoted(COMPANY if company or not person else PERSON),
            15: quoted("STR" if street else ""), 101: quoted(LANGUAGES[language])}


def vat_id(text):
    """Return (country, number) of a VAT id of the EU, ("", "") for any other text. Greece is EL in VAT ids."""
    found = companies.vat_id_by_format(text)
    return (found[:2], found[2:]) if found and found[:2] in EU else ("", "")
