"""The rules of EN 16931, XRechnung 3.0 and Peppol BIS Billing 3.0, said in our own words and
applied to a document.

They need no XML: the same check serves a draft, a document that was written, and one that a
supplier has sent. They are not a replacement for the official validators, which also know terms
that `model.Document` does not contain.
"""

from decimal import Context, localcontext

from eventapi.domain.einvoices import profiles
from eventapi.domain.einvoices.rules import categories, codes, germany, peppol, required, sums
from eventapi.domain.einvoices.rules.faults import Fault

__all__ = ("EXACT", "Fault", "check")
EXACT = Context(prec=200)  # more digits than a product of two numbers that `reading` accepts
PARTS = {
    profiles.EN16931: (required, codes, categories, sums),
    profiles.XRECHNUNG: (required, codes, categories, sums, germany, peppol),
    profiles.PEPPOL: (required, codes, categories, sums, germany, peppol),
}


def check(document, profile):
    """Return the faults of a document by the rules of a profile: `en16931`, `xrechnung` or
    `peppol`.

    A document with a fault that is no warning is refused by the buyer's software.
    """
    if profile not in PARTS:
        raise ValueError(f"the profile is {profile!r}. It must be en16931, xrechnung or peppol")
    with localcontext(EXACT):
        return [fault for part in PARTS[profile] for fault in part.faults(document, profile)]
