"""The pages about the organiser."""

import pytest

PAGES = ("company", "bank", "taxes", "invoices", "dunning", "mails", "look", "datev")


@pytest.mark.parametrize("page", PAGES)
def test_try(desk, page):
    for language in ("de", "en"):
        found = desk(language=language).get(f"/desk/company/{page}")
        print(found.text[-9000:-1200])
