"""Every setting of a show that the desk could change before "Set up" had its pages is on one of them."""

import re
from collections import defaultdict

import pytest

# Fields that the desk could change at bd007271, by record.
BEFORE = {
    "event": """
        title date_from date_to venue address postal_code city country application_deadline opening_hours
        place_of_supply event_key timezone description day_ends_at is_visible cost_centre""",
    "event_pages": """
        is_public show_directory show_plan show_programme show_prices is_indexed language accent_color
        contact_email contact_phone texts/intro texts/visit texts/privacy texts/apply_intro texts/apply_done
        texts/my_intro embed_origins apply_is_open apply_capacity apply_terms apply_file_type visit_is_open
        visit_until visit_fields my_is_open my_rights booth_from booth_until booth_types booth_confirm hold_days
        badges_free badge_service_id""",
    "category": """
        title event_keys applicant_visibility base_price tax_rate exemption_reason place_of_supply color content
        parent_category_id sort_order""",
    "booth_type": """
        booth_type_name price_model price open_sides tax_rate exemption_reason color description sort_order""",
    "service": """
        service_name short_description unit base_price events category_id tax_rate exemption_reason
        place_of_supply min_quantity max_quantity quantity_step requires_specification specification_label
        lead_time_days is_active sort_order""",
    "service_category": "category_name sort_order",
    "submission_type": """
        title event_key description input allowed_extensions due needs_approval is_required max_size_mb roles
        is_active sort_order""",
}
# Record -> the pages that may have its fields. A list leads to the form of its records.
PAGES = {
    "event": ["setup/details"],
    "event_pages": [
        "setup/website",
        "setup/apply",
        "setup/apply/texts",
        "setup/portal",
        "setup/visitors",
    ],
    "category": ["setup/categories"],
    "booth_type": ["setup/stands"],
    "service": ["setup/services"],
    "service_category": ["setup/services"],
    "submission_type": ["setup/submissions"],
}
FORMS = {
    "category": "edit/categories",
    "booth_type": "edit/booth_types",
    "service": "edit/services",
    "service_category": "edit/service_categories",
    "submission_type": "edit/submission_types",
}
HIDDEN = {"form_token", "tag", "back", "delete"}


def fields_of(office, page):
    """Return the names of the fields of the form of a page, of a text with its name."""
    forms = [form for form in office.get(f"/desk/{page}").forms.values() if "tag" in form.fields]
    [form] = [form for form in forms if not form.action]
    names = {name for name in form.fields if name} - HIDDEN
    return {
        "/".join(name.split("/")[:2]) if name.startswith("texts/") else name.partition("/")[0]
        for name in names
    }


@pytest.mark.parametrize("record", BEFORE)
def test_each_field_of_before_is_on_one_page(office, organiser, busy_fair, record):
    question = {"field_key": "way", "field_label": "Way", "field_type": "text"}
    organiser.make(
        "/custom-fields",
        {**question, "entity_type": "application", "applicant_visibility": "editable"},
    )
    found = defaultdict(list)
    for page in PAGES[record]:
        form = FORMS.get(record, page)
        if form != page:
            links = re.findall(r'href="[./]*/desk/([^"?]+)', office.get(f"/desk/{page}").text)
            assert form in links, f"{page} does not lead to {form}"
        for name in fields_of(office, form):
            found[name].append(page)
    assert {name: found[name] for name in BEFORE[record].split() if len(found[name]) != 1} == {}


def test_no_page_of_set_up_has_two_forms_that_save(office, busy_fair):
    """A picture has a form of its own, with its file; a button has no fields."""
    pages = [page for pages in PAGES.values() for page in pages]
    for page in sorted({*pages, "setup/halls", "setup/programme", "setup/dunning"}):
        forms = office.get(f"/desk/{page}").forms.values()
        saving = [
            form for form in forms if "tag" in form.fields and "picture" not in (form.action or "")
        ]
        assert len(saving) <= 1, page
