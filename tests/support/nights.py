"""The night after an anonymisation, in which the worker erases what is left in the database file."""

from unittest.mock import patch

from eventapi.domain.privacy import remnants


def pass_night(db):
    """Erase what anonymisations have left, whatever the time is."""
    with patch.object(remnants, "NIGHT", range(24)):
        assert remnants.erase(db)
