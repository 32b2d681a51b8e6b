"""An applicant of the public show, and the page of the application."""

from tests.pages.show.conftest import public_show, show  # noqa: F401
