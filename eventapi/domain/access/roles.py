"""Roles: sets of scopes with a name, which people of the office get.

The scopes are stored with the person, and the role only names the set that they came from. A scope
`x` covers `x:read`.
"""

from eventapi.domain.access.api_keys import OF_PEOPLE as TEAM
from eventapi.domain.access.api_keys import SCOPES
from eventapi.errors import fault, invalid, invalid_parameter, listed, suggestion

CUSTOM = "custom"  # the name of all other sets
OF_PEOPLE = (*SCOPES, TEAM, *(f"{scope}:read" for scope in SCOPES))

READ_BY_OFFICE = ("payments", "reports", "audit", "settings")
WRITTEN_BY_FINANCE = ("contacts", "invoices", "payments", "documents", "tasks", "reports")
HIDDEN_FROM_FINANCE = ("newsletter", "webhooks", "links")


def _read(*left_out):
    """Return the scopes for reading of all areas but these."""
    return tuple(f"{scope}:read" for scope in SCOPES if scope not in left_out)


# in the order in which pages show them
ROLES = {
    "owner": (*SCOPES, TEAM),
    "office": (
        *(scope for scope in SCOPES if scope not in (*READ_BY_OFFICE, "webhooks")),
        *(f"{scope}:read" for scope in SCOPES if scope in READ_BY_OFFICE),
    ),
    "finance": (
        *(scope for scope in SCOPES if scope in WRITTEN_BY_FINANCE),
        *_read(*WRITTEN_BY_FINANCE, *HIDDEN_FROM_FINANCE),
    ),
    "door": (
        "checkins",
        "links",
        "events:read",
        "contacts:read",
        "participants:read",
        "schedules:read",
    ),
    "reader": _read("webhooks"),
}
ORDER = (*ROLES, CUSTOM)


def covers(scopes, scope):
    """Return whether these scopes contain one, or allow what it allows."""
    return scope in scopes or scope.removesuffix(":read") in scopes


def lacking(mine, *sets):
    """Return the scopes of some sets that `mine` does not cover, each once."""
    wanted = {scope for scopes in sets for scope in scopes}
    return [scope for scope in OF_PEOPLE if scope in wanted and not covers(mine, scope)]


def scopes_of(role, scopes=None):
    """Return the scopes of a role. `scopes` are those of the role custom.

    Raise 422 for a role or a scope that does not exist, for a role custom without scopes, and for
    another one with scopes.
    """
    if role == CUSTOM:
        if not scopes:
            raise invalid_parameter("scope", "required", "the role custom needs its scopes")
        return checked(scopes)
    if role not in ROLES:
        hint = suggestion(role, ORDER) or f"; use {listed(ORDER, 'or')}"
        raise invalid_parameter("role", "unknown", f"unknown role {role!r}{hint}")
    if scopes:
        raise invalid_parameter(
            "scope", "not_allowed", f"the role {role} has scopes of its own; use the role custom"
        )
    return list(ROLES[role])


def checked(scopes):
    """Return scopes of a person, each once and in order. Raise 422 for one that does not exist.

    One for reading is left out beside the same one for writing.
    """
    faults = []
    for scope in scopes:
        if scope not in OF_PEOPLE:
            hint = suggestion(scope, OF_PEOPLE) or f"; use {listed((*SCOPES, TEAM), 'or')}"
            faults.append(fault("unknown", f"unknown scope {scope!r}{hint}", parameter="scope"))
    if faults:
        raise invalid(faults)
    return [
        scope
        for scope in OF_PEOPLE
        if scope in scopes and (":" not in scope or scope.removesuffix(":read") not in scopes)
    ]
