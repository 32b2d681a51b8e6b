"""The kinds of records that have a form at the desk, and which page of "Set up" has which of them.

A form has the fields that an office needs; those that it lacks stay as they are.
"""

from dataclasses import dataclass

from eventapi.validation.schema_files import document
from eventapi.web.html.forms import widths


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record with a form.

    Attributes:
        schema: name of its schema.
        groups: (word, "field:width field:width"), in the order of the form. A width is in columns, of
            twelve. `group_WORD` is the title of a group, `help_group_WORD` the sentence beside it.
        rare: names of fields that few shows need. The form has them below "More".
        new: names of fields of a new record only.
        back: page of the desk that shows the records.
        without: paths of parts of fields that the form lacks.
        texts: the texts of the pages of an event that the form has, if it has the field `texts`.
        noun: the end of the names of its handlers (`create_event`), by default its schema.
    """

    schema: str
    groups: tuple[tuple[str, str], ...]
    rare: str = ""
    new: tuple[str, ...] = ()
    back: str = "setup"
    without: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    noun: str = ""

    @property
    def handler(self) -> str:
        """Return the end of the names of its handlers."""
        return self.noun or self.schema

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the fields in the order of the form, those of `rare` last.

        Those that the schema does not have are left out.
        """
        known = document(self.schema)["properties"]
        usual = [name for _, names in self.groups for name in widths(names)]
        return tuple(name for name in (*usual, *widths(self.rare)) if name in known)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the paths of parts of fields that the form lacks, with the texts of other forms."""
        if "texts" not in self.names:
            return self.without
        known = document("event_pages")["$defs"]["texts"]["properties"]
        others = [f"texts/{name}" for name in known if name not in self.texts]
        return (*self.without, *others)


# Name of a kind, as in /desk/edit/NAME/ID
KINDS = {
    "events": Kind(
        "event",
        (
            ("show", "title:8 is_visible:4 event_word:6"),
            ("days", "date_from:4 date_to:4 application_deadline:4 opening_hours:12"),
            ("place", "venue:8 country:4 address:6 postal_code:2 city:4"),
            ("abroad", "place_of_supply:12 cost_centre:8"),
        ),
        rare="event_key description timezone day_ends_at",
    ),
    "categories": Kind(
        "category",
        (
            ("category", "title:8 color:4 content:12"),
            ("who", "role:4 approval:4 capacity:4 applicant_visibility:12"),
            ("price", "base_price:6 tax_rate:6"),
            ("where", "event_keys:12"),
        ),
        rare="exemption_reason place_of_supply parent_category_id sort_order",
        back="setup/categories",
    ),
    "services": Kind(
        "service",
        (
            ("service", "service_name:8 category_id:4 short_description:12"),
            ("price", "base_price:4 unit:4 tax_rate:4"),
            ("where", "events:12"),
        ),
        rare="exemption_reason place_of_supply min_quantity max_quantity quantity_step "
        "requires_specification specification_label lead_time_days is_active sort_order",
        back="setup/services",
        without=("events/event_id",),
    ),
    "service_categories": Kind(
        "service_category",
        (("service_group", "category_name:8 sort_order:4"),),
        back="setup/services",
    ),
    "submission_types": Kind(
        "submission_type",
        (
            ("submission", "title:8 event_key:4 description:12"),
            ("answer", "input:4 allowed_extensions:8"),
            ("due", "due:12 is_required:6 needs_approval:6"),
        ),
        rare="max_size_mb max_length roles is_active sort_order",
        back="setup/submissions",
    ),
    "booth_types": Kind(
        "booth_type",
        (
            ("booth_type", "booth_type_name:8 open_sides:4"),
            ("usual_size", "usual_width:6 usual_depth:6"),
            ("price", "price_model:6 price:6"),
        ),
        rare="tax_rate exemption_reason color description sort_order",
        back="setup/stands",
    ),
    "plans": Kind(
        "plan",
        (("plan", "plan_name:8 event_key:4 width:4 height:4 objects:12"),),
        rare="area_name description sort_order is_active",
        back="setup/halls",
    ),
    "booths": Kind(
        "booth",
        (
            ("booth", "booth_number:4 booth_type_id:8"),
            ("outline", "width:3 depth:3 pos_x:3 pos_y:3"),
            ("state", "status:4 blocked_reason:8"),
        ),
        rare="rotation fixed_price tax_rate booth_name amenities notes",
        new=("plan_id",),
        back="hall",
    ),
    "schedules": Kind(
        "schedule",
        (
            ("session", "title:8 is_public:4 description:12"),
            ("when", "slot_date:4 start_time:4 end_time:4 location:8"),
            ("speakers", "assignments:12"),
        ),
        rare="slot_type capacity allow_overlap sort_order",
        new=("event_key",),
        back="setup/programme",
        without=("assignments/participant_id", "assignments/participant"),
    ),
    "contacts": Kind(
        "contact",
        (
            ("person", "company_name:12 first_name:6 last_name:6"),
            ("reach", "email:6 phone:6"),
            ("address", "address:12 postal_code:3 city:5 country:4"),
            ("taxes", "tax_id:6 is_business:12"),
        ),
        rare="invoice_email mobile website language notes",
        back="search",
    ),
    "participants": Kind(
        "participant",
        (("participant", "category_key:6 badge_name:6"),),
        new=("event_key", "contact_id", "role", "is_confirmed"),
        back="exhibitors",
    ),
    "applications": Kind(
        "application",
        (
            ("person", "company_name:12 first_name:6 last_name:6"),
            ("reach", "email:6 phone:6"),
            ("address", "address:12 postal_code:3 city:5 country:4"),
            ("wish", "booth_type_id:8 requested_area:4 message:12 event_keys:12 category_keys:12"),
        ),
        rare="mobile website tax_id late rating notes",
        back="applications",
    ),
    "service_orders": Kind(
        "service_order",
        (("order", "items:12 notes:12"),),
        new=("event_participant_id",),
        back="exhibitors",
        without=("items/service_key", "items/booth_id"),
    ),
    "dunning_levels": Kind(
        "dunning_level",
        (("level", "name:12 days:4 deadline_days:4 fee:4"),),
        rare="level has_lump_sum interest interest_rate title_de title_en text_de text_en",
        back="setup/dunning",
    ),
    "bank_rules": Kind(
        "bank_rule",
        (("bank_rule", "direction:4 counterparty:8 text:12 account:6 reason:6"),),
        back="money/bank/rules",
    ),
    "profiles": Kind(
        "profile",
        (
            ("profile", "is_listed:12 display_name:12 texts:12 products:12"),
            ("reach", "website:6 email:6 phone:6 links:12"),
            ("locked", "locked:12"),
        ),
        noun="participant_profile",
        back="exhibitors",
    ),
    "document_templates": Kind(
        "document_template",
        (("template", "name:12 is_contract:12 body:12"),),
        back="setup/contracts",
    ),
    "invoices": Kind(
        "invoice",
        (("invoice", "due_date:4 tax_treatment:8 text:12"),),
        rare="service_date service_date_to buyer_reference language notes",
        new=("contact_id", "event_participant_id"),
        back="money",
    ),
}

# Page below /desk/setup/ -> the kind of the one record of the event in hand that it changes.
PAGES = {
    "details": KINDS["events"],
    "website": Kind(
        "event_pages",
        (
            ("public", "is_public:6 is_indexed:6"),
            ("look", "language:6 accent_color:6"),
            ("texts", "texts:12"),
            ("questions_to", "contact_email:6 contact_phone:6"),
            ("shown", "show_directory:6 show_plan:6 show_programme:6"),
        ),
        rare="embed_origins",
        texts=("intro", "visit", "privacy"),
    ),
    "apply/texts": Kind(
        "event_pages",
        (("apply_texts", "texts:12"), ("terms", "apply_terms:12")),
        back="setup/apply",
        texts=("apply_intro", "apply_done"),
    ),
    "portal": Kind(
        "event_pages",
        (
            ("portal", "my_is_open:12 my_rights:12"),
            ("welcome", "texts:12"),
            ("choosing", "booth_from:3 booth_until:3 booth_confirm:3 hold_days:3 booth_types:12"),
            ("badges", "badges_free:4 badge_service_id:8"),
        ),
        texts=("my_intro",),
    ),
    "visitors": Kind(
        "event_pages",
        (("visit", "visit_is_open:6 visit_until:6 visit_fields:12"),),
    ),
}

# Page below /desk/setup/ -> the kinds of the records that it lists.
LISTS = {
    "categories": ("categories",),
    "stands": ("booth_types",),
    "halls": ("plans",),
    "services": ("services", "service_categories"),
    "submissions": ("submission_types",),
    "contracts": ("document_templates",),
    "programme": ("schedules",),
    "dunning": ("dunning_levels",),
}
