"""Whether a party of a received e-invoice is the organiser: by VAT id, tax number or name."""

import re
from itertools import groupby

from eventapi.storage import folding

# Words of names that say the legal form. A party may be named without them.
LEGAL_FORMS = frozenset(
    """
    ag ab as asbl aps bv co doo eg ek ev gbr ges gesellschaft gmbh ggmbh inc kg kgaa kft limited llc
    llp ltd mbh nv og ohg oy plc partg partgmbb sa sarl sas se spa spzoo srl sro ug vof""".split()
)
IGNORED = frozenset(("und", "and", "et", "haftungsbeschrankt"))
SUFFIXES = re.compile(r"(?:MWST|TVA|IVA|TPV)$")  # of a Swiss VAT id


def is_organiser(config, party: dict) -> bool | None:
    """Return whether a party is the organiser, or None if nothing of both can be compared.

    `party` is `seller` or `buyer` of the field `e_invoice` of schemas/document.json.
    """
    ours, theirs = _vat_id(config.organiser_vat_id), _vat_id(party.get("vat_id"))
    number = _digits(config.organiser_tax_number)
    if ours and theirs and ours[:2] == theirs[:2]:
        return ours == theirs  # a company has one VAT id in a country
    if number and number == _digits(party.get("tax_number")):
        return True
    if config.organiser_name and party.get("name"):
        return is_same_name(config.organiser_name, party["name"])
    return False if ours and theirs else None


def is_same_name(ours: str, theirs: str) -> bool:
    """Return whether two names are probably those of one company.

    Case, accents, dots, spaces, `&` and `und` do not count. One of the names may lack the legal
    form, and `theirs` may go on behind it, such as with a department.
    """
    ours, theirs = _words(ours), _words(theirs)
    if not ours or not theirs:
        return False
    if ours == theirs:
        return True
    if ours == theirs[: len(ours)] and ours[-1] in LEGAL_FORMS:
        return theirs[len(ours)] not in LEGAL_FORMS
    has_both_forms = LEGAL_FORMS.intersection(ours) and LEGAL_FORMS.intersection(theirs)
    base = _without_forms(ours)
    return bool(base) and not has_both_forms and base == _without_forms(theirs)


def _words(name):
    """Return the folded words of a name: Mueller and Müller are the same, and so are e. V. and eV."""
    parts = [folding.letters(part) for part in re.split(r"[\W_]+", name)]
    words = []
    for is_letter, group in groupby(parts, lambda part: len(part) == 1):
        found = list(group)
        words += ["".join(found)] if is_letter else found
    return [word for word in words if word and word not in IGNORED]


def _without_forms(words):
    return [word for word in words if word not in LEGAL_FORMS]


def _vat_id(text):
    """Return the letters and digits of a VAT id in upper case."""
    return SUFFIXES.sub("", re.sub(r"[^A-Z0-9]", "", (text or "").upper()))


def _digits(text):
    return re.sub(r"[^0-9]", "", text or "")
