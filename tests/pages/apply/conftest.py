"""An applicant of the public show, and the page of the application."""
from tests.pages.show.conftest import show  # noqa: F401
