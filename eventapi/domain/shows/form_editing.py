"""The form of exhibitors with the questions of the organiser, changed in one step: all or nothing.

A question is a custom field of applications that applicants fill in. Every function that writes is
called inside a write transaction and journals the change.
"""

from contextlib import contextmanager

from eventapi.domain.records import field_definitions
from eventapi.domain.shows import apply_form, settings
from eventapi.errors import Problem, invalid_at

NEW = "question"  # the field of a question that does not exist yet
LANGUAGES = ("de", "en")  # the first one that a question has is also its `field_label`


def save(db, old, body, address, *, is_trial=False):
    """Change the form of an event with its questions, and return the settings of its pages.

    `body` has `form`, a list of {field, ask, question}, and the settings that change. `ask` may be
    `none`; `question` is left out for what stays as it is. `old`, `address` and `is_trial` are those of
    `settings.update`. Raise 422 and 409 as that does, and as field_definitions.py does, with pointers
    below `/form`.
    """
    fields = {name: value for name, value in body.items() if name != "form"}
    asked = []
    of_visitors = list(old["visit_fields"])
    for place, entry in enumerate(body["form"]):
        field = entry["field"]
        question = entry.get("question")
        if field == NEW or question:
            with below(f"/form/{place}/question"):
                saved = _save_question(db, field, entry["ask"], question)
            key = saved["field_key"]
            field = apply_form.CUSTOM + key
            if key in of_visitors:
                of_visitors.remove(key)
            if question.get("asks_visitors") and saved["is_active"]:
                of_visitors.append(key)
            if not saved["is_active"]:
                continue
        if entry["ask"] != "none":
            asked.append({"field": field, "ask": entry["ask"]})
    fields["apply_form"] = asked
    if of_visitors != old["visit_fields"]:
        fields["visit_fields"] = _in_order(old["visit_fields"], of_visitors)
    return settings.update(db, old, fields, address, is_trial=is_trial)


def _in_order(before, after):
    """Return the keys `after`, those that were there in their order."""
    kept = [key for key in before if key in after]
    return [*kept, *(key for key in after if key not in before)]


@contextmanager
def below(at):
    """Put the pointers of the faults of a Problem below `at`, and say which question is in use, or is
    one too many.
    """
    try:
        yield
    except Problem as problem:
        if problem.code == "in_use":
            part = "field_options" if "options" in problem.members else "field_type"
            problem.members["pointer"] = f"{at}/{part}"
        if problem.code == "too_many_fields":
            problem.members["pointer"] = at
        for error in problem.errors or ():
            error["pointer"] = at + error.get("pointer", "")
        raise


def _save_question(db, field, ask, question):
    """Create or change the custom field of a question, and return it.

    Raise 422 if the question is missing, has no label, or is none of those of the form.
    """
    if not question:
        raise invalid_at("", "required", "is required: a new field has a question")
    values = _values_of(question)
    if field == NEW:
        return field_definitions.create(db, field_definitions.BLANK | values)
    if not apply_form.is_custom(field):
        raise invalid_at("", "unexpected", f"is not allowed for {field}, only for custom fields")
    key = field.removeprefix(apply_form.CUSTOM)
    old = field_definitions.by_key(db, "application", key)
    if old is None or old["applicant_visibility"] != "editable":
        raise invalid_at(
            "",
            "unknown",
            f"is unknown: no custom field of applications that is `editable` has the key {key}",
        )
    if ask == "optional" and old["is_required"]:
        values["is_required"] = False
    return field_definitions.update(db, old, values)


def _values_of(question):
    """Return the fields of a custom field that a question has.

    Raise 422 if it has no label.
    """
    labels = question["field_labels"]
    label = next((labels[language] for language in LANGUAGES if labels.get(language)), None)
    if label is None:
        raise invalid_at("/field_labels", "required", "is required in at least one language")
    values = {"field_label": label, "field_labels": labels}
    for name in ("field_help", "field_type", "field_options", "is_active"):
        if name in question:
            values[name] = question[name]
    return values
