"""Records of bulk imports: columns are mapped to fields, texts of a CSV file converted, and the
result validated.

A record is validated by the schema of its resource, as in PATCH. Faults are dicts with `field`,
`code` and `detail`.
"""

import re
from functools import cache, cached_property

from eventapi import spreadsheet
from eventapi.domain.imports import countries, damage, numbers
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports.files import REASONS, SURPLUS
from eventapi.domain.people import contacts
from eventapi.domain.records import custom_fields, field_types
from eventapi.errors import MAX_SUGGESTIONS, Faults, Problem, suggestion
from eventapi.languages.countries import NAMES as COUNTRIES
from eventapi.spreadsheet import columns as columns_of_list
from eventapi.spreadsheet import split_list, unescape_formula
from eventapi.validation.bodies import Body
from eventapi.validation.messages import actual, pointer
from eventapi.validation.read_only import ReadOnlyFields
from eventapi.validation.schema_files import body_schema, document

# faults that are searched for in the fields of one record: an import has many records
MAX_FOUND = 30
MAX_UNKNOWN = 20  # unknown fields that are reported for one record
UNKNOWN = "is not a field of a record"
REMEDY = "; rename the column, or map it to null in `field_mapping`"
YES_NO = {
    **dict.fromkeys(("true", "1", "yes", "y", "ja", "j", "wahr", "x"), True),
    **dict.fromkeys(("false", "0", "no", "n", "nein", "falsch"), False),
}
CUSTOM_FIELD = re.compile(r"(?:cf|custom_fields)\.(.+)", re.S)
# Columns of our own lists for categories, events and the last check of a VAT id. Only the keys are imported.
PART_COLUMN = re.compile(r"(categories|events|vat_check)\.[a-z_]+")
KEY_COLUMNS = {"categories.category_key": "category_keys", "events.event_key": "event_keys"}
GERMAN_DATE = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})", re.ASCII)

# A record of an import of participants has fields of the contact and fields of the participant.
CONTACT_ONLY = tuple(
    name for name in contacts.FIELDS if name not in ("customer_number", "notes", "rating")
)
PARTICIPANT_ONLY = (
    "contact_id",
    "customer_number",
    "role",
    "is_confirmed",
    "category_id",
    "category_key",
    "badge_name",
    "host_participant_id",
    "custom_fields",
    "event_id",
    "event_key",
)
# Fields whose columns in lists for Excel are imported under their labels.
CONTACT_LABELS = (
    "customer_number",
    "company_name",
    "first_name",
    "last_name",
    "email",
    "phone",
    "address",
    "postal_code",
    "city",
    "country",
)
NAMES = ("email", "customer_number", "external_id")
ENTITIES = {"contacts": "contact", "participants": "event_participant"}
SCHEMAS = {"contacts": "contact", "participants": "participant"}


def fields(kind):
    """Return the fields of a record with their schemas.

    The schema True means that the field is accepted and ignored.
    """
    contact = body_schema("contact", "PATCH")["properties"]
    if kind == "contacts":
        return contact
    participant = body_schema("participant", "PATCH")["properties"]
    ignored = {name: True for name, sub in participant.items() if sub is True}
    return {
        **ignored,
        **{name: contact[name] for name in CONTACT_ONLY},
        **{name: participant[name] for name in PARTICIPANT_ONLY},
    }


def unknown_targets(kind, mapping):
    """Return faults for targets of the mapping that are not fields, so that no data is lost
    unnoticed.
    """
    known, faults = fields(kind), Faults()
    for source, target in mapping.items():
        if target is not None and not _is_known(known, target):
            detail = _unknown(known, target) if len(faults) < MAX_SUGGESTIONS else UNKNOWN
            faults.add(
                f"/field_mapping{pointer([source])}",
                "unknown",
                f"is mapped to {target[:100]}, which {detail}",
            )
    return faults


def unknown_columns(kind, form, mapping):
    """Return faults for columns that are not fields, and for several columns of one field."""
    known, faults, seen = fields(kind), Faults(), set()
    for name in form.get("columns", ()):
        target = _canonical(_target(known, mapping, name))
        if target and name not in mapping and not _is_known(known, target):
            detail = _unknown(known, name) if len(faults) < MAX_SUGGESTIONS else UNKNOWN
            faults.add(pointer([name[:100]]), "unknown", detail + REMEDY)
        elif target and target in seen:
            faults.add(pointer([name[:100]]), "repeated", f"is a second column for {target}")
        seen.add(target)
    return faults


def with_separators(db, kind, path, form, mapping, decimal_separator):
    """Return the form of the file at `path` with the decimal separators of its numbers, see the
    module numbers.

    `decimal_separator` is that of the request, or None. Nothing else decides in a file of rejected
    records: its numbers were read together with the other rows of the first file, or with a
    separator of that request, and would now change.
    """
    decimal = decimal_separator or numbers.separator_of_file(form, db.config.organiser_country)
    form = {**form, "decimal": decimal, "decimals": {}}
    if not decimal_separator and _is_of_rejected(form):
        return {**form, "decimal": None}
    if decimal:
        return form
    read = Reader(db, kind, form, mapping)
    has_numbers = form["kind"] == "json" or read.number_columns
    if not has_numbers or not import_files.has_line_with(numbers.DOUBTFUL, path, form):
        return form
    texts = (
        pair for _, sent, _ in import_files.records(path, form) for pair in read.number_texts(sent)
    )
    form["decimals"] = numbers.separators_of_fields(texts, is_own_list=_is_own_list(kind, form))
    return form


def _is_of_rejected(form):
    """Return whether a file is a download of rejected records, which the user has corrected."""
    return any(name in REASONS for name in form.get("columns", ()))


def _is_own_list(kind, form):
    """Return whether a file has the header of our own list of these records: all its columns, in
    their order.
    """
    rest = iter(form.get("columns", ()))
    return all(name in rest for name, *_ in columns_of_list(SCHEMAS[kind], ()))


def _target(known, mapping, name):
    """Return the field of a column, or None if the column is ignored.

    Case, spaces, hyphens and underscores in the name do not matter: "E-Mail" is email. The labels of
    lists for Excel are known, too.
    """
    if name in mapping:
        return mapping[name]
    if name in REASONS or name.startswith(SURPLUS) or PART_COLUMN.fullmatch(name):
        return KEY_COLUMNS.get(name)
    if name in known:
        return name
    wanted = _simplified(name)
    for field in known:
        if wanted == _simplified(field):
            return field
    return _labels().get(wanted, name)


@cache
def _labels():
    """Return simplified label of a list for Excel -> field of a contact, in all languages."""
    found = {}
    for field in CONTACT_LABELS:
        for labels in spreadsheet.names()[field].values():
            found.update(dict.fromkeys(map(_simplified, labels), field))
    return found


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
        self.participant = (
            Body("participant", "PATCH", self.zone, MAX_FOUND) if kind == "participants" else None
        )
        self.read_only = ReadOnlyFields(SCHEMAS[kind])
        self.suggestions = 100

    def __call__(self, sent):
        """Return (body, faults) of a record as it was sent.

        The body contains only fields that were sent.
        """
        if self.form["kind"] == "csv":
            if len(sent) > len(self.columns) or any(
                sent[place].strip() for place in self.surplus if place < len(sent)
            ):
                columns = sum(
                    name not in REASONS and not name.startswith(SURPLUS)
                    for name in self.form["columns"]
                )
                return {}, [
                    _fault(
                        "too_many_cells", f"has more cells than the header has columns ({columns})"
                    )
                ]
            found = self._converted(sent)
        else:
            found = self._mapped(sent)
        unknown = [name for name in found if name not in self.known][:MAX_UNKNOWN]
        damaged = self._clean(found)
        body, faults = self._validated(
            {name: value for name, value in found.items() if name in self.known}
        )
        faults += [_fault("unknown", self._unknown(name), name[:100]) for name in unknown]
        faults = [*damaged, *faults, *self._unknown_custom_fields(found)]
        if faults and isinstance(found.get("custom_fields"), dict):
            # Otherwise these are checked when the record is written, together with the values that
            # are stored.
            faults += of_faults(
                custom_fields.faults_of(self.defined, found["custom_fields"], "/custom_fields")
            )
        return body, faults

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
        """The positions of the columns that the download of rejected records adds for cells beyond
        the last column.
        """
        return [
            place for place, name in enumerate(self.form["columns"]) if name.startswith(SURPLUS)
        ]

    def names(self, sent):
        """Return e-mail, customer number and external id of a rejected record, so that an erasure
        request finds it.
        """
        if self.form["kind"] == "csv":
            found = dict(zip(self.columns, map(unescape_formula, sent), strict=False))
        else:
            found = self._mapped(sent)
        return {
            name: found[name].strip() if isinstance(found.get(name), str) else None
            for name in NAMES
        }

    @cached_property
    def read_only_columns(self):
        """The (position, field) of each column of a read-only field."""
        places = enumerate(self.columns)
        return [(place, field) for place, field in places if field in self.read_only.names]

    def read_only_in(self, sent):
        """Return the read-only fields in a record, as read_only.Sent. An empty cell has none."""
        if self.form["kind"] == "json":
            return self.read_only.sent_in(self._mapped(sent))
        found = {}
        for place, field in self.read_only_columns:
            if place < len(sent) and (text := sent[place].strip()):
                types = self.read_only.schema["properties"][field]["type"]
                found[field] = _value(types, text)
        return self.read_only.sent_in(found)

    @cached_property
    def is_own_list(self):
        """Whether the file has the header of our own list of these records."""
        return _is_own_list(self.kind, self.form)

    @cached_property
    def types(self):
        """The JSON type of each field, or "ignored"."""
        return {
            name: sub.get("type") if sub is not True else "ignored"
            for name, sub in self.known.items()
        }

    def _converted(self, cells):
        """Return the fields of a CSV row.

        An empty cell sets nothing, so that it does not delete data of a contact.
        """
        found = {}
        for target, text in zip(self.columns, cells, strict=False):
            if target and (text := text.strip()):
                if match := CUSTOM_FIELD.fullmatch(target):
                    found.setdefault("custom_fields", {})[match[1]] = self._custom_field(
                        match[1], text
                    )
                elif self.types[target] != "ignored":
                    found[target] = _value(self.types[target], text)
        return found

    def _custom_field(self, key, text):
        """Return the value of a custom field, that of a number field still as text.

        A text that cannot be converted stays a text, which the validation refuses.
        """
        field = self.defined.by_key.get(key)
        if field is None:
            return unescape_formula(text)
        kind = field["field_type"]
        if kind == "multiselect":
            return _parts(text, "|")
        text = unescape_formula(text)
        if kind in field_types.NUMBERS:
            return text
        if kind == "boolean":
            return YES_NO.get(text.lower(), text)
        if kind == "date" and (day := GERMAN_DATE.fullmatch(text)):
            text = f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"
        value = field_types.read(field, text, self.zone)
        return text if value is None else value

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

    def number_texts(self, sent):
        """Yield (field, text) of each text of a record, as it was sent, that a number field has."""
        if self.form["kind"] == "csv":
            for place, field in self.number_columns:
                if place < len(sent):
                    yield field, unescape_formula(sent[place].strip())
            return
        found = self._mapped(sent)
        custom = found.get("custom_fields")
        for name in self.number_fields:
            if isinstance(found.get(name), str):
                yield name, found[name].strip()
        for key in self.number_keys if isinstance(custom, dict) else ():
            if isinstance(custom.get(key), str):
                yield f"custom_fields.{key}", custom[key].strip()

    @cached_property
    def number_fields(self):
        """The names of the fields of records that are integers."""
        return [name for name, types in self.types.items() if "integer" in _listed(types)]

    @cached_property
    def number_keys(self):
        """The keys of the custom fields that are numbers."""
        return [
            key
            for key, field in self.defined.by_key.items()
            if field["field_type"] in field_types.NUMBERS
        ]

    @cached_property
    def number_columns(self):
        """The (position, field) of each column of a number field."""
        fields = {*self.number_fields, *(f"custom_fields.{key}" for key in self.number_keys)}
        places = [(place, _canonical(target)) for place, target in enumerate(self.columns)]
        return [(place, field) for place, field in places if field in fields]

    def _clean(self, found):
        """Change the fields in place: numbers that were sent as text, names of countries, names
        with line breaks.

        Remove fields that are at fault. Return the faults.
        """
        faults = []
        for name in self.number_fields:
            if isinstance(found.get(name), str):
                number, fault = self._number(name, found[name].strip())
                if fault:
                    del found[name]
                    faults.append(fault)
                elif number is not None and number == int(number) and abs(number) < 2**63:
                    found[name] = int(number)  # other texts are refused by the validation
        if isinstance(found.get("custom_fields"), dict):
            found["custom_fields"] = self._with_numbers(found["custom_fields"], faults)
        self._read_country(found, faults)
        for name in damage.NAMES:
            if isinstance(text := found.get(name), str) and not text.isprintable():
                found[name] = damage.on_one_line(text)
        for fault in damage.faults(found):
            del found[fault["field"]]
            faults.append(fault)
        return faults

    def _with_numbers(self, custom, faults):
        """Return the values of custom fields with numbers for the texts of number fields.

        Leave out faulty ones.
        """
        custom = dict(custom)
        for key in self.number_keys:
            if isinstance(custom.get(key), str) and (text := custom[key].strip()):
                field = f"custom_fields.{key}"
                number, fault = self._number(field, text)
                if number is None and not fault:
                    fault = _fault("type", _no_number(self.defined.by_key[key], text), field)
                elif number is not None and numbers.decimals(number) > field_types.DECIMALS:
                    # a float may have fewer
                    detail = f"must have at most {field_types.DECIMALS} decimals{actual(text)}"
                    fault = _fault("decimals", detail, field)
                if fault:
                    del custom[key]
                    faults.append(fault)
                else:
                    custom[key] = field_types.stored("number", number, self.zone)
        return custom

    def _number(self, field, text):
        """Return (number, fault) of the text of a number field.

        Both are None for a text that is no number.
        """
        separator = self.form.get("decimals", {}).get(field, self.form.get("decimal"))
        try:
            return numbers.read(text, separator), None
        except numbers.Ambiguous as error:
            return None, _fault(
                "ambiguous_number", self._ambiguity(field, text, error.readings), field
            )
        except ValueError:
            return None, None

    def _ambiguity(self, field, text, readings):
        point, comma = numbers.plain(readings["."]), numbers.plain(readings[","])
        return (
            f'is {text} in the column "{self._column_of(field)[:100]}", which can mean {comma} or {point}. Add '
            f"decimal_separator=, to the query if it means {comma}, or decimal_separator=. if it means {point}"
        )

    def _column_of(self, field):
        """Return the name that a field has in the records that were sent."""
        if self.form["kind"] == "csv":
            names = zip(self.form["columns"], self.columns, strict=True)
        else:
            names = self.mapping.items()
        for name, target in names:
            if _canonical(target) == field:
                return name
        return field

    def _read_country(self, found, faults):
        """Replace the name of a country by its code."""
        text = found.get("country")
        if not isinstance(text, str) or text in COUNTRIES or not text.strip():
            return
        code = countries.code(text)
        if code:
            found["country"] = code
            return
        del found["country"]
        self.suggestions -= 1
        likely = countries.likely(text) if self.suggestions >= 0 else None
        detail = (
            "must be a country code (ISO 3166-1) such as DE, or the name of a country in German or English such "
            f"as Deutschland or Germany{actual(text)}"
        )
        if likely:
            detail += f"; did you mean {likely}?"
        faults.append(_fault("format", detail, "country"))

    def _validated(self, found):
        """Return (body, faults).

        Fields of the participant and of the contact are validated by different schemas.
        """
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
    types = _listed(types)
    if "array" in types:
        return _parts(text, "|" if "|" in text else ",")
    text = unescape_formula(text)
    return YES_NO.get(text.lower(), text) if "boolean" in types else text


def _listed(types):
    """Return the types of a schema as a tuple or list."""
    return (types,) if isinstance(types, str) else types or ()


def _canonical(target):
    """Return the name of a field as faults have it: `cf.size` is custom_fields.size."""
    match = target and CUSTOM_FIELD.fullmatch(target)
    return f"custom_fields.{match[1]}" if match else target


def _no_number(field, text):
    """Return the error text for a text that is not a number."""
    noun, example = (
        ("an integer", "1250") if field["field_type"] == "integer" else ("a number", "1250 or 12.5")
    )
    return f"must be {noun} without unit, currency and exponent, such as {example}{actual(text)}"


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
    return [
        _fault(entry["code"], entry["detail"], _field_of(entry.get("pointer", "")))
        for entry in faults
    ]


def _field_of(place):
    """Convert a JSON pointer such as /custom_fields/size to custom_fields.size."""
    return (
        ".".join(part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:])
        or None
    )


def unidentified(body):
    """Return a fault if a new contact would have none of the fields that identify a contact."""
    either = document("contact")["x-any-of"]
    if any(body.get(name) is not None for name in either):
        return []
    return [_fault("any_of", "must have at least one of: " + ", ".join(either))]


def lost_zeros(db, contact):
    """Return a fault for a postal code that has lost its zero, in the country of the contact."""
    country = contact.get("country") or db.config.organiser_country
    fault = damage.lost_zero(contact.get("postal_code"), country)
    return [fault] if fault else []


def missing(field):
    """Return the fault of a record without the field by which records are matched."""
    return [_fault("required", "is required, because it is the `match_field`", field)]
