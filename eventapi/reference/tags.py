"""The tags of the OpenAPI document: one per resource, with its state tables, and the groups of tags."""
import sys

from eventapi.web.routes import Route

# Groups in the order of a show, with the tags in the order in which an integrator needs them. A resource that is not
# here fails a test.
GROUPS = {
    "Show": ("events", "categories", "schedules", "calendar-feed", "feeds"),
    "People": ("contacts", "applications", "participants", "newsletter", "newsletter-pages"),
    "Money": ("invoices", "payments", "bank-statements", "dunning", "dunning-levels", "services",
              "service-categories", "service-orders", "reports"),
    "Halls": ("plans", "booths", "booth-types", "booth-formulas", "booth-reservations"),
    "Content": ("documents", "document-templates", "document-categories", "submissions", "submission-types", "tasks",
                "notes", "custom-fields"),
    "Entrance": ("check-ins",),
    "Integration": ("webhooks", "bulk-import"),
    "System": ("audit-log", "health", "metrics", "openapi", "docs", "problems"),
}


def tags(routes: list[Route]) -> list[dict]:
    """Return one tag per resource, in the order of GROUPS.

    The description is the docstring of its module. `x-displayName` is the name in words, and `x-transitions` has the
    state tables.
    """
    first = {}
    for route in routes:
        first.setdefault(route.options.resource, route)
    order = [name for names in GROUPS.values() for name in names]
    return [_tag(name, first[name]) for name in sorted(first, key=order.index)]


def _tag(name, route):
    text = sys.modules[route.handler.__module__].__doc__
    text = " ".join(text.partition(": ")[2].split() or text.split())
    tag = {"name": name, "x-displayName": name.replace("-", " ").capitalize(),
           "description": text[:1].upper() + text[1:]}
    if route.options.states:
        tag["x-transitions"] = {states.noun: _transitions(states.table) for states in route.options.states}
    return tag


def _transitions(table):
    """Return a state table as JSON: action -> the states `from` which it starts, and the state `to` which it leads."""
    return {action: {"from": list(starts), "to": end} for action, (starts, end) in table.items()}


def groups() -> list[dict]:
    """Return GROUPS as `x-tagGroups`, which Redoc and Scalar read."""
    return [{"name": name, "tags": list(names)} for name, names in GROUPS.items()]
