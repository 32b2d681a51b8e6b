"""Bottle plugins (api 2), one file per step of a request. IN_ORDER is the order of the steps."""

from eventapi.plugins.access import Access
from eventapi.plugins.authentication import Authentication
from eventapi.plugins.cross_origin import CrossOrigin
from eventapi.plugins.database import DatabasePlugin
from eventapi.plugins.idempotency import Idempotency
from eventapi.plugins.read_only import ReadOnly
from eventapi.plugins.request import Request
from eventapi.plugins.sessions import Sessions
from eventapi.plugins.settings import Settings
from eventapi.plugins.validation import Validation

IN_ORDER = (
    CrossOrigin,
    Request,
    Authentication,
    Sessions,
    Settings,
    Access,
    Validation,
    DatabasePlugin,
    Idempotency,
    ReadOnly,
)
