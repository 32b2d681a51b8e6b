"""A client of the app in process, its keys and the settings of its app."""

import secrets

from eventapi import config as configuration
from eventapi.plugins.authentication import key_hash
from eventapi.storage import database
from eventapi.storage.statements import statements
from tests.support import openapi_check

SCOPES = (
    "events contacts participants applications categories invoices payments booths plans services service_orders "
    "documents submissions tasks checkins schedules calendar-feed custom_fields newsletter webhooks reports "
    "audit links settings"
)


class Client:
    """Send requests to the app with one key.

    Compare each response with /openapi.json.

    The paths are below /api/v1. `status` is the expected status; None accepts any. `raw` is a body
    in bytes instead of JSON data.
    """

    def __init__(self, app, key):
        self.app, self.key = app, key

    def __call__(self, method, path, body=None, *, status=None, headers=None, raw=None):
        """Send a request and return the WebTest response.

        Raise AssertionError if its status is not `status`.
        """
        send = (
            {"Authorization": f"Bearer {self.key}", **(headers or {})}
            if self.key
            else dict(headers or {})
        )
        path = path if path.startswith("/api") or path.startswith("//") else f"/api/v1{path}"
        options = {"method": method, "headers": send, "expect_errors": True}
        if body is not None:
            options["body"] = database.as_json(body).encode()
            send.setdefault("Content-Type", "application/json")
        elif raw is not None:
            options["body"] = raw
            send.setdefault("Content-Type", "application/json")
        response = self.app.request(path, **options)
        is_dry_run = isinstance(body, dict) and body.get("dry_run") is True
        openapi_check.check_response(
            self.app.app.settings, method, path, response, is_dry_run=is_dry_run
        )
        assert status is None or response.status_int == status, (
            f"{method} {path}: {response.status} {response.text[:800]}"
        )
        return response

    def get(self, path, **options):
        return self("GET", path, **options)

    def data(self, path):
        """GET a path and return `data` of its response."""
        return self("GET", path, status=200).json["data"]

    def post(self, path, body=None, **options):
        return self("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self("DELETE", path, **options)

    def make(self, path, body):
        """Create a record and return it."""
        return self("POST", path, body, status=201).json["data"]


def make_settings(folder, template):
    """Return the settings of an organiser whose database in `folder` has the content `template`
    (bytes).
    """
    (folder / "eventapi.db").write_bytes(template)
    return configuration.load(
        environ={
            "EVENTAPI_DATA_DIR": str(folder),
            "EVENTAPI_CONFIG": str(write_empty_config(folder)),
        },
        organiser_name="Messe Test GmbH",
        organiser_street="Am Markt 1",
        organiser_city="Leipzig",
        organiser_postal_code="04109",
        organiser_vat_id="DE136695976",
        organiser_tax_number="231/1/2",
        organiser_iban="DE02120300000000202051",
        organiser_bic="BYLADEM1001",
        organiser_email="office@messe.test",
        organiser_contact="Accounts",
        organiser_phone="+49 341 1234",
        organiser_register_number="HRB 4711",
        language="en",
    )


def write_empty_config(folder):
    """Write a configuration file without options and return its path."""
    file = folder / "eventapi.conf"
    file.write_text("[eventapi]\n")
    return file


def add_key(db, scopes, name="Ada Lovelace", **values):
    """Add an API key of a new admin and return the key."""
    keys, key = statements("api_keys"), f"evk_{secrets.token_urlsafe(16)}"
    with db.write():
        admin = db.insert(keys.add_admin, name=name, email=None, now=db.now)
        db.insert(
            keys.add,
            **{
                "admin_id": admin,
                "name": name,
                "key_hash": key_hash(key),
                "scopes": scopes,
                "expires_at": None,
                "now": db.now,
                **values,
            },
        )
    return key
