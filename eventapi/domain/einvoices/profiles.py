"""The specifications that a document can comply with, and their identifiers (BT-24)."""

import re

EN16931 = "en16931"
XRECHNUNG = "xrechnung"
PEPPOL = "peppol"
# Profiles of Factur-X and ZUGFeRD 2 without lines, which EN 16931 does not allow.
MINIMUM = "minimum"
BASIC_WL = "basic_wl"
WITHOUT_LINES = (MINIMUM, BASIC_WL)
# Profile -> BT-24 of documents that we write.
IDS = {
    EN16931: "urn:cen.eu:en16931:2017",
    XRECHNUNG: "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
    PEPPOL: "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
}
# BT-23: the business process of Peppol BIS Billing, which XRechnung requires too
# (PEPPOL-EN16931-R001).
PROCESS = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
# BT-24 of an extension, such as EXTENDED of Factur-X, that of XRechnung or a national one: it
# allows what EN 16931 does not.
EXTENSION = re.compile(r"#conformant#|[:.#_-]extended|extension", re.IGNORECASE)


def is_checked(specification):
    """Return whether the rules of the specification are among those that `rules` knows."""
    is_extension = EXTENSION.search(specification or "")
    return not is_extension and profile_of(specification) not in WITHOUT_LINES


def profile_of(specification):
    """Return the profile that BT-24 of a document names, whichever its version is: `en16931` if it
    is no other one.
    """
    text = (specification or "").strip().lower()
    if text.endswith(":minimum"):
        return MINIMUM
    if text.endswith((":basicwl", ":basic-wl")):
        return BASIC_WL
    if "xrechnung" in text:
        return XRECHNUNG
    return PEPPOL if "peppol.eu" in text else EN16931
