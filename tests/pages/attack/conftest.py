"""The public show, and an open form for visitors."""

from tests.pages.applicant.test_page import applicant, application  # noqa: F401
from tests.pages.show.conftest import category, pages, public_show, read, show  # noqa: F401
