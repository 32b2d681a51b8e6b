"""The public show of the pages, and what links and sessions need: see tests/pages/conftest.py."""

from tests.pages.show.conftest import category, pages, public_show, show  # noqa: F401
