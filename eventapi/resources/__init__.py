"""The resources below /api/v1, one module per path of the catalogue, and what stands outside of it."""

CATALOGUE = (
    "resources.events",
    "resources.contacts",
    "resources.participants",
    "resources.applications",
    "resources.categories",
    "resources.invoices",
    "resources.payments",
    "resources.plans",
    "resources.booths",
    "resources.booth_types",
    "resources.booth_formulas",
    "resources.booth_reservations",
    "resources.services",
    "resources.service_categories",
    "resources.service_orders",
    "resources.tasks",
    "resources.schedules",
    "resources.submissions",
    "resources.submission_types",
    "resources.check_ins",
    "resources.documents",
    "resources.document_templates",
    "resources.document_categories",
    "resources.calendar_feed",
    "resources.custom_fields",
    "resources.notes",
)

OUTSIDE = (
    "pages.health",
    "pages.metrics",
    "pages.openapi",
    "pages.docs",
    "pages.problems",
    "pages.feeds",
)
