"""The reasons why an item has no VAT: the categories of EN 16931 and their codes of the list VATEX.

A category is a code of the list UNTDID 5305 (BT-118). A reason has a code (BT-121), a text
(BT-120), or both.
"""

# Category -> code and text of the only reason that the category has.
REASONS = {
    "AE": ("VATEX-EU-AE", "Reverse charge"),
    "K": ("VATEX-EU-IC", "Intra-community supply"),
    "G": ("VATEX-EU-G", "Export outside the EU"),
    "O": ("VATEX-EU-O", "Not subject to VAT"),
}
# What the codes of category E begin with, and the ends: articles of Directive 2006/112/EC, and laws
# of France.
_EXEMPT = {
    "VATEX-EU-": """
        79-C 132 132-1A 132-1B 132-1C 132-1D 132-1E 132-1F 132-1G 132-1H 132-1I 132-1J 132-1K 132-1L 132-1M 132-1N
        132-1O 132-1P 132-1Q 135-1 143 143-1A 143-1B 143-1C 143-1D 143-1E 143-1F 143-1FA 143-1G 143-1H 143-1I 143-1J
        143-1K 143-1L 144 146-1E 148 148-A 148-B 148-C 148-D 148-E 148-F 148-G 151 151-1A 151-1AA 151-1B 151-1C 151-1D
        151-1E 153 159 309 D F I J""",
    "VATEX-FR-": """
        FRANCHISE CNWVAT CGI261-1 CGI261-2 CGI261-3 CGI261-4 CGI261-5 CGI261-7 CGI261-8 CGI261A CGI261B CGI261C-1
        CGI261C-2 CGI261C-3 CGI261D-1 CGI261D-1BIS CGI261D-2 CGI261D-3 CGI261D-4 CGI261E-1 CGI261E-2 CGI275 CGI277A
        CGI295 298SEXDECIESA""",
}
EXEMPT = frozenset(start + end for start, ends in _EXEMPT.items() for end in ends.split())
# Codes that belong to one category -> the category. All others belong to category E.
FIXED = {**{code: category for category, (code, _) in REASONS.items()}, "VATEX-FR-AE": "AE"}
CODES = EXEMPT | FIXED.keys()


def code(category):
    """Return the VATEX code of a category that has exactly one reason: AE, K, G and O. Otherwise
    return None.
    """
    return REASONS[category][0] if category in REASONS else None


def reason(category):
    """Return the English text of the reason of AE, K, G and O. Otherwise return None."""
    return REASONS[category][1] if category in REASONS else None


def category_of(vatex):
    """Return the category that a VATEX code belongs to, or None if the list does not contain the
    code.
    """
    return FIXED.get(vatex) or ("E" if vatex in EXEMPT else None)
