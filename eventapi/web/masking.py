"""Masking: what a client holds secret is neither logged nor answered back, wherever it put it by mistake."""
import re

KEY = re.compile(r"(evk_|whsec_)[\w+/=-]+", re.ASCII)               # API keys, and secrets of webhooks
TOKEN = re.compile(r"(/(?:feeds|newsletter(?:/[a-z]+)?)/).+")       # what opens a feed, or confirms for somebody


def text(said):
    """Without keys and secrets."""
    return KEY.sub(r"\1***", said) if "evk_" in said or "whsec_" in said else said


def path(asked):
    """An address without its token as well."""
    return TOKEN.sub(r"\1***", text(asked))
