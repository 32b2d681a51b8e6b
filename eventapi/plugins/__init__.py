"""Bottle plugins (api 2), one file per step of a request, in this order."""
from eventapi.plugins.access import Access
from eventapi.plugins.authentication import Authentication
from eventapi.plugins.database import DatabasePlugin
from eventapi.plugins.request import Request
from eventapi.plugins.validation import Validation

IN_ORDER = (Request, Authentication, Access, Validation, DatabasePlugin)
