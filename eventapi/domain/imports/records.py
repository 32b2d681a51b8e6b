"""Records of bulk imports: columns are mapped to fields, texts of a CSV file converted, and the result validated.

A record is validated by the schema of its resource, as in PATCH. Faults are dicts with `field`, `code` and `detail`.
"""
import re
from functools import cached_property

from eventapi.domain.imports.files import REASONS, SURPLUS
from eventapi.domain.people import contacts
from eventapi.domain.records import custom_fields, field_types
from eventapi.errors import MAX_SUGGESTIONS, Faults, Problem, suggestion
from eventapi.spreadsheet import split_list, unescape_formula
from eventapi.validation.bodies import Body
from eventapi.validation.messages import pointer
from eventapi.validation.schema_files import body_schema, document

MAX_FOUND = 30              # faults that are searched for in the fields of one record: an import has many records
MAX_UNKNOWN = 20            # unknown fields that are reported for one record
UNKNOWN, REMEDY = "is not a field of a record", "; rename the column, or map it to null in `field_mapping`"
YES_NO = {**dict.fromkeys(("true", "1", "yes", "y", "ja", "j", "wahr", "x"), True),
          **dict.fromkeys(("false", "0", "no", "n", "nein", "falsch"), False)}
CUSTOM_FIELD = re.compile(r"(?:cf|custom_fields)\.(.+)", re.S)
# Columns of our own lists for categories and events. Only the keys are imported.
PART_COLUMN = re.compile(r"(categories|events)\.[a-z_]+")
KEY_COLUMNS = {"categories.category_key": "category_keys", "events.event_key": "event_keys"}
GERMAN_DATE = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})", re.ASCII)
WHOLE = re.compile(r"(-?\d{1,19})(?:\.0{1,6})?", re.ASCII)
DECIMAL_COMMA = re.compile(r"(-?\d+),(\d+)", re.ASCII)

# A record of an import of participants has fields of the contact and fields of the participant.
CONTACT_ONLY = tuple(name for name in contacts.FIELDS if name not in ("customer_number", "notes", "rating"))
PARTICIPANT_ONLY = (
    "contact_id", "customer_number", "role", "is_confirmed", "category_id", "category_key", "badge_name",
    "host_participant_id", "custom_fields", "event_id", "event_key")
NAMES = ("email", "customer_number", "external_id")
ENTITIES = {"contacts": "contact", "participants": "event_participant"}


def fields(kind):
    """Return the fields of a record with their schemas.

    The schema True means that the field is accepted and ignored.
    """
    contact = body_schema("contact", "PATCH")["properties"]
    if kind == "contacts":
        return contact
    participant = body_schema("participant", "PATCH")["properties"]
    ignored = {name: True for name, sub in participant.items() if sub is True}
    return {**ignored, **{name: contact[name] for name in CONTACT_ONLY},
            **{name: participant[name] for name in PARTICIPANT_ONLY}}


def unknown_targets(kind, mapping):
    """Return faults for targets of the mapping that are not fields, so that no data is lost unnoticed."""
    known, faults = fields(kind), Faults()
    for source, target in mapping.items():
        if target is not None and not _is_known(known, target):
            detail = _unknown(known, target) if len(faults) < MAX_SUGGESTIONS else UNKNOWN
            faults.add(f"/field_mapping{pointer([source])}", "unknown", f"is mapped to {target[:100]}, which {detail}")
    return faults


def unknown_columns(kind, form, mapping):
    """Return faults for columns that are not fields, and for several columns of one field."""
    known, faults, seen = fields(kind), Faults(), set()
    for name in form.get("columns", ()):
        target = _target(known, mapping, name)
        if target and name not in mapping and not _is_known(known, target):
            detail = _unknown(known, name) if len(faults) < MAX_SUGGESTIONS else UNKNOWN
            faults.add(pointer([name[:100]]), "unknown", detail + REMEDY)
        elif target and target in seen:
            faults.add(pointer([name[:100]]), "repeated", f"is a second column for {target}")
        seen.add(target)
    return faults


def _target(known, mapping, name):
    """Return the field of a column, or None if the column is ignored.

    Case, spaces, hyphens and underscores in the name do not matter: "E-Mail" is email.
    """
    if name in mapping:
        return mapping[name]
    if name in REASONS or name.startswith(SURPLUS) or PART_COLUMN.fullmatch(name):
        return KEY_COLUMNS.get(name)
    if name in known:
        return name
    return next((field for field in known if _simplified(field) == _simplified(name)), name)


def _simplified(name):
    return re.sub(r"[\s_-]", "", name.lower())


def _is_known(known, name):
    return name in known or bool(CUSTOM_FIELD.fullmatch(name))


def _unknown(known, name):
    return UNKNOWN + suggestion(name.lower(), known)


class Reader:
    """Converts and validates the records of one import.

    suggestions: how many more unknown names are compared with the known ones. The comparison is slow, and an import
    may have unknown names in every record.
    """

    def __init__(self, db, kind, form, mapping):
        self.kind, self.form, self.mapping, self.zone = kind, form, mapping, db.config.timezone
        self.known = fields(kind)
        self.defined = custom_fields.defined(db, ENTITIES[kind])
        self.contact = Body("contact", "PATCH", self.zone, MAX_FOUND)
        self.participant = Body("participant", "PATCH", self.zone, MAX_FOUND) if kind == "participants" else None
        self.suggestions = 100

    def __call__(self, sent):
        """Return (body, faults) of a record as it was sent. The body contains only fields that were sent."""
        if self.form["kind"] == "csv":
            if len(sent) > len(self.columns) or any(sent[place].strip() for place in self.surplus if place < len(sent)):
                columns = sum(name not in REASONS and not name.startswith(SURPLUS) for name in self.form["columns"])
                return {}, [_fault("too_many_cells", f"has more cells than the header has columns ({columns})")]
            found = self._converted(sent)
        else:
            found = self._mapped(sent)
        unknown = [name for name in found if name not in self.known][:MAX_UNKNOWN]
        body, faults = self._validated({name: value for name, value in found.items() if name in self.known})
        faults += [_fault("unknown", self._unknown(name), name[:100]) for name in unknown]
        return body, [*faults, *self._unknown_custom_fields(found)]

    def _unknown(self, name):
        self.suggestions -= 1
        return _unknown(self.known, name) if self.suggestions >= 0 else UNKNOWN

    def _unknown_custom_fields(self, found):
        """Yield faults for unknown custom fields.

        This is done here because the search for suggestions needs no write lock.
        """
        sent = found.get("custom_fields")
        if not isinstance(sent, dict):
            return
        for key in [key for key in sent if key not in self.defined.by_key][:MAX_UNKNOWN]:
            self.suggestions -= 1
            detail = self.defined.unknown(key) if self.suggestions >= 0 else "is not a custom field"
            yield _fault("unknown", detail, f"custom_fields.{key[:100]}")

    @cached_property
    def columns(self):
        """The field of each column, or None if the column is ignored."""
        return [_target(self.known, self.mapping, name) for name in self.form["columns"]]

    @cached_property
    def surplus(self):
        """The positions of the columns that the download of rejected records adds for cells beyond the last column."""
        return [place for place, name in enumerate(self.form["columns"]) if name.startswith(SURPLUS)]

    def names(self, sent):
        """Return e-mail, customer number and external id of a rejected record, so that an erasure request finds it."""
        if self.form["kind"] == "csv":
            found = dict(zip(self.columns, map(unescape_formula, sent), strict=False))
        else:
            found = self._mapped(sent)
        return {name: found[name].strip() if isinstance(found.get(name), str) else None for name in NAMES}

    @cached_property
    def types(self):
        """The JSON type of each field, or "ignored"."""
        return {name: sub.get("type") if sub is not True else "ignored" for name, sub in self.known.items()}

    def _converted(self, cells):
        """Return the fields of a CSV row. An empty cell sets nothing, so that it does not delete data of a contact."""
        found = {}
        for target, text in zip(self.columns, cells, strict=False):
            if target and (text := text.strip()):
                if match := CUSTOM_FIELD.fullmatch(target):
                    found.setdefault("custom_fields", {})[match[1]] = self._custom_field(match[1], text)
                elif self.types[target] != "ignored":
                    found[target] = _value(self.types[target], text)
        return found

    def _custom_field(self, key, text):
        """Return the value of a custom field.

        A text that cannot be converted stays a text, which the validation refuses.
        """
        field = self.defined.by_key.get(key)
        if field is None:
            return unescape_formula(text)
        if field["field_type"] == "multiselect":
            return _parts(text, "|")
        text = unescape_formula(text)
        if field["field_type"] == "boolean":
            return YES_NO.get(text.lower(), text)
        value = field_types.read(field, self._without_locale(field["field_type"], text), self.zone)
        return text if value is None else value

    def _without_locale(self, kind, text):
        """Convert a date such as 1.2.2026 to 2026-02-01, and a decimal comma to a point if cells end in semicolons."""
        if kind == "date" and (day := GERMAN_DATE.fullmatch(text)):
            return f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"
        if kind == "number" and self.form["separator"] == ";" and DECIMAL_COMMA.fullmatch(text):
            return text.replace(",", ".")
        return text

    def _mapped(self, sent):
        """Return the fields of a JSON record, renamed by the mapping."""
        found, custom = {}, {}
        for name, value in sent.items():
            target = self.mapping.get(name, name)
            if target is None or target in REASONS:
                continue
            if match := CUSTOM_FIELD.fullmatch(target):
                custom[match[1]] = value
            else:
                found[target] = value
        if custom and isinstance(found.setdefault("custom_fields", {}), dict):
            found["custom_fields"] = {**found["custom_fields"], **custom}
        return found

    def _validated(self, found):
        """Return (body, faults). Fields of the participant and of the contact are validated by different schemas."""
        if self.kind == "contacts":
            return _validated(self.contact, found)
        participant = {name: found[name] for name in PARTICIPANT_ONLY if name in found}
        contact = {name: found[name] for name in CONTACT_ONLY if name in found}
        body, faults = {}, []
        for schema, part in ((self.participant, participant), (self.contact, contact)):
            clean, wrong = _validated(schema, part)
            body.update(clean)
            faults += wrong
        return body, faults


def _validated(schema, found):
    """Return (body, faults).

    An empty record is valid here, although PATCH requires a field: `unidentified` refuses it.
    """
    if not found:
        return {}, []
    try:
        return schema(found), []
    except Problem as problem:
        return {}, as_faults(problem)


def _value(types, text):
    """Convert the text of a cell to a field with one of these JSON types, or return it unchanged."""
    types = (types,) if isinstance(types, str) else types or ()
    if "array" in types:
        return _parts(text, "|" if "|" in text else ",")
    text = unescape_formula(text)
    if "boolean" in types:
        return YES_NO.get(text.lower(), text)
    if "integer" in types:
        number = WHOLE.fullmatch(text)
        return int(number[1]) if number and abs(int(number[1])) < 2 ** 63 else text
    return text


def _parts(text, separator):
    return [unescape_formula(part.strip()) for part in split_list(text, separator) if part.strip()]


def _fault(code, detail, field=None):
    return {"field": field, "code": code, "detail": detail}


def as_faults(problem):
    """Return the faults of a record from a Problem."""
    if problem.errors is None:
        return [_fault(problem.code, problem.detail, problem.members.get("member"))]
    return of_faults(problem.errors)


def of_faults(faults):
    """Return the faults of a record from those of a request body, which have pointers."""
    return [_fault(entry["code"], entry["detail"], _field_of(entry.get("pointer", ""))) for entry in faults]


def _field_of(place):
    """Convert a JSON pointer such as /custom_fields/size to custom_fields.size."""
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]) or None


def unidentified(body):
    """Return a fault if a new contact would have none of the fields that identify a contact."""
    either = document("contact")["x-any-of"]
    if any(body.get(name) is not None for name in either):
        return []
    return [_fault("any_of", "must have at least one of: " + ", ".join(either))]


def missing(field):
    """Return the fault of a record without the field by which records are matched."""
    return [_fault("required", "is required, because it is the `match_field`", field)]
