"""Build XML without empty elements: what the writers of both syntaxes share.

Element names have the prefix of their namespace. The root declares the prefixes as attributes, so
that the bytes depend on the document alone and not on prefixes that other code has registered.
"""

import re
import xml.etree.ElementTree as ET
from decimal import Decimal

# Everything but the characters that XML 1.0 allows (production 2, Char).
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
CENT = Decimal("0.01")


def element(name, *parts, **attributes):
    """Return an element, or None if it would be empty.

    A part is a text, an element, None, or an iterable of elements and None. Attributes that are
    None are left out; an element that has only attributes counts as empty.
    """
    node = ET.Element(
        name, {key: text for key, value in attributes.items() if (text := clean(value or ""))}
    )
    for part in parts:
        if isinstance(part, str):
            node.text = clean(part)
        elif isinstance(part, ET.Element):
            node.append(part)
        elif part is not None:
            node.extend(child for child in part if child is not None)
    return node if node.text or len(node) else None


def clean(text):
    """Return a text as XML 1.0 can contain it: without control characters, with LF as the end of
    each line, and without white space around it. The line end behind a term of early payment
    (`#SKONTO#…#`) is part of the term (BR-DE-18).
    """
    text = FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return text + "\n" if text.endswith("#") and "#SKONTO#" in text else text


def decimal(number):
    """Return a quantity, a rate or a percentage as text, without exponent and without zeros at the
    end. None stays.
    """
    if number is None:
        return None
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def amount(number):
    """Return an amount or a price as text, with two decimals at least. None stays."""
    text = decimal(number)
    if text is None:
        return None
    whole, _, places = text.partition(".")
    return f"{whole}.{places:0<2}"


def serialised(name, namespaces, *parts):
    """Return a root element with these parts as UTF-8, indented by two blanks.

    Only the root may be empty.
    """
    root = element(name, *parts, **namespaces)
    if root is None:
        root = ET.Element(name, namespaces)
    ET.indent(root)
    return ET.tostring(root, encoding="UTF-8", xml_declaration=True)
