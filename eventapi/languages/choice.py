"""The choice of a language: the same rule for mails, PDFs, documents, pictures, billing lines and
pages.

The request's language comes first, then the record's, then the contact's, then the option
`language`. Tags (BCP 47) match by their primary subtag: de-AT counts as de. The schemas refuse a
request for a language that is not available (format `available-language`); an unavailable language
of a record or contact is passed over.
"""

AVAILABLE = ("en", "de")  # keys of every table of texts
GERMAN_SPEAKING = ("DE", "AT", "CH", "LI")


def available(tag):
    """Return the available language of a tag such as `de-AT`, or None if there is none or no tag."""
    primary = (tag or "").partition("-")[0].lower()
    return primary if primary in AVAILABLE else None


def choose(config, *tags):
    """Return the language of the first tag that is available, else the option `language`.

    `tags` are, in this order, those of the request, of the record and of the contact, as far as
    they exist. Each may be None.
    """
    return next(filter(None, map(available, tags)), config.language)


def of_country(country):
    """Return the language of an organiser in this country, unless the option `language` is set."""
    return "de" if country in GERMAN_SPEAKING else "en"
