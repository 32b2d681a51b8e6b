"""Where the faults and warnings of a draft are mended: in the settings, at its contact, or in itself."""

import re
from urllib.parse import urlencode

from eventapi.config import SETTINGS
from eventapi.pages.desk import api, gaps, labels
from eventapi.pages.desk.kinds import KINDS
from eventapi.validation.identifiers.organiser import faulty_options

BY_FIELD = {"exchange_rate": "exchange_rates"}  # field of an invoice -> setting


def lead_to_fields(db, request, invoice, findings, here):
    """Add `links` to each finding of a draft: (label, address, id of the field there).

    Return whom to tell about the settings among them that the person may not change, or "".
    """
    untold = []
    wrong = faulty_options(db.config)
    for each in findings:
        names = _settings_of(each["field"])
        open_names = [name for name in names if gaps.may_change(request, db.config, name)]
        each["links"] = _links(request, invoice, each, open_names, wrong, here)
        if names and not open_names:
            untold += names
    return gaps.whom_to_tell(db, request, untold) if untold else ""


def _settings_of(field):
    """Return the settings that the field of a finding names: `organiser_vat_id or organiser_tax_number`,
    `option tax_rate`.
    """
    if field in BY_FIELD:
        return [BY_FIELD[field]]
    if not (field or "").startswith(("organiser_", "option ")):
        return []
    return [word for word in re.findall(r"\w+", field) if word in SETTINGS]


def _links(request, invoice, finding, names, wrong, here):
    texts = labels.words(request)
    if names:
        return [
            (
                gaps.label(texts, name, is_wrong=name in wrong),
                f"company/{SETTINGS[name].page}",
                name,
            )
            for name in names
        ]
    field = finding["field"] or ""
    back = urlencode({"back": here})
    contact = invoice["contact"]
    if field.startswith("contact.") and contact and api.may_call(request, "update_contact"):
        name = re.findall(r"\w+", field)[1]
        return [(texts["mend_contact"], f"edit/contacts/{contact['id']}?{back}", f"f-{name}")]
    if field in KINDS["invoices"].names and api.may_call(request, "update_invoice"):
        return [(texts["mend_invoice"], f"edit/invoices/{invoice['id']}?{back}", f"f-{field}")]
    return []
