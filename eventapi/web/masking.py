"""Mask secrets in texts and paths before they are logged or returned."""

import re

# secrets of keys, links, sessions and webhooks
KEY = re.compile(r"(evk_|evl_|evs_|whsec_)[\w+/=-]+", re.ASCII)
# tokens of calendar feeds, and links of mails
TOKEN = re.compile(r"(/(?:feeds|link|newsletter(?:/[a-z]+)?)/).+")


def text(value: str) -> str:
    """Return the text with API keys and webhook secrets replaced by ***."""
    return KEY.sub(r"\1***", value) if "ev" in value or "whsec_" in value else value


def path(value: str) -> str:
    """Return the path of a request with its token replaced by *** as well."""
    return TOKEN.sub(r"\1***", text(value)) if TOKEN.search(value) else text(value)
