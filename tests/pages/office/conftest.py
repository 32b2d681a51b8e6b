"""Fixtures: people at the desk, and a show."""

from tests.pages.desk.conftest import busy_fair, desk, fair, office  # noqa: F401
