"""What a record of a bulk import says: columns led to members, texts of a CSV to their types, judged by the schema of the resource."""
import re
from functools import cached_property

from eventapi.domain.imports.files import REASONS
from eventapi.domain.records import custom_fields, field_types
from eventapi.errors import Faults, Problem, suggestion
from eventapi.spreadsheet import unguarded
from eventapi.validation.bodies import Body
from eventapi.validation.messages import pointer
from eventapi.validation.schema_files import body_schema, document

MOST_STRANGE = 20           # unknown members that are named for one record
YES_NO = {**dict.fromkeys(("true", "1", "yes", "y", "ja", "j", "wahr", "x"), True),
          **dict.fromkeys(("false", "0", "no", "n", "nein", "falsch"), False)}
OF_FIELDS = re.compile(r"(?:cf|custom_fields)\.(.+)", re.S)
# The columns that our own lists have for categories and events, and those of them that say all of it.
OF_PARTS = re.compile(r"(categories|events)\.[a-z_]+")
OWN_PARTS = {"categories.category_key": "category_keys", "events.event_key": "event_keys"}
GERMAN_DAY = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})", re.ASCII)
DECIMAL_COMMA = re.compile(r"(-?\d+),(\d+)", re.ASCII)

# The members of a record: of participants those of the participation, and those of the contact it is for.
CONTACT_ONLY = ("external_id", "company_name", "first_name", "last_name", "email", "invoice_email", "phone", "fax", "mobile", "address",
                "postal_code", "city", "state", "country", "website", "tax_id", "language")
PARTICIPANT_ONLY = ("contact_id", "customer_number", "role", "is_confirmed", "category_id", "category_key", "badge_name", "custom_fields",
                    "event_id", "event_key")
NAMES = ("email", "customer_number", "external_id")
ENTITIES = {"contacts": "contact", "participants": "event_participant"}


def members(kind):
    """member -> its schema, of all that a record may hold; True where it is accepted and ignored."""
    contact = body_schema("contact", "PATCH")["properties"]
    if kind == "contacts":
        return contact
    participant = body_schema("participant", "PATCH")["properties"]
    ignored = {name: True for name, sub in participant.items() if sub is True}
    return {**ignored, **{name: contact[name] for name in CONTACT_ONLY}, **{name: participant[name] for name in PARTICIPANT_ONLY}}


def unknown_columns(kind, form, mapping):
    """Faults of a header, and of targets of the mapping that are no members: nothing may be lost unnoticed."""
    known, faults, seen = members(kind), Faults(), set()
    for source, target in mapping.items():
        if target is not None and not _is_known(known, target):
            faults.add(f"/field_mapping{pointer([source])}", "unknown", _unknown(known, "its target", target))
    for name in form.get("columns", ()):
        target = _target(known, mapping, name)
        if target and name not in mapping and not _is_known(known, target):
            faults.add(pointer([name[:100]]), "unknown", _unknown(known, "the column", name) + "; rename it, or lead it to null in field_mapping")
        elif target and target in seen:
            faults.add(pointer([name[:100]]), "repeated", f"is a second column for {target}")
        seen.add(target)
    return faults


def _target(known, mapping, name):
    """The member that a column holds, None where it is overlooked; a name may be written as people do: "E-Mail" is email."""
    if name in mapping:
        return mapping[name]
    if name in REASONS or OF_PARTS.fullmatch(name):
        return OWN_PARTS.get(name)
    return name if name in known else next((member for member in known if _plain(member) == _plain(name)), name)


def _plain(name):
    return re.sub(r"[\s_-]", "", name.lower())


def _is_known(known, name):
    return name in known or bool(OF_FIELDS.fullmatch(name))


def _unknown(known, what, name):
    return f"{what} is no member of a record" + suggestion(name.lower(), known)


class Reader:
    """Makes bodies of the records of one import, and names what is wrong with them."""

    def __init__(self, db, kind, form, mapping):
        self.kind, self.form, self.mapping, self.zone = kind, form, mapping, db.config.timezone
        self.known = members(kind)
        self.defined = custom_fields.defined(db, ENTITIES[kind])
        self.fields = self.defined.by_key
        self.contact = Body("contact", "PATCH", self.zone)
        self.participant = Body("participant", "PATCH", self.zone) if kind == "participants" else None
        self.hints = 100                    # how many unknown names are still compared with all that are known

    def __call__(self, sent):
        """(body, faults) of a record as it was sent; what is not sent is not there."""
        if self.form["kind"] == "csv":
            if len(sent) > len(self.columns):
                return {}, [_fault("too_many_cells", f"has {len(sent)} cells under {len(self.columns)} columns")]
            found = self._typed(sent)
        else:
            found = self._mapped(sent)
        strange = [name for name in found if name not in self.known][:MOST_STRANGE]
        found = {name: value for name, value in found.items() if name in self.known}
        body, faults = self._participant(found) if self.kind == "participants" else _judged(self.contact, found) if found else ({}, [])
        return body, [*faults, *(_fault("unknown", self._hint(name), name[:100]) for name in strange), *self._strange_fields(found)]

    def _hint(self, name):
        self.hints -= 1
        return _unknown(self.known, "it", name) if self.hints >= 0 else "it is no member of a record"

    def _strange_fields(self, found):
        """Faults of custom fields that are not there: told here, since to look for what was meant takes long and needs no lock."""
        sent = found.get("custom_fields")
        for key in [key for key in sent if key not in self.fields][:MOST_STRANGE] if isinstance(sent, dict) else ():
            self.hints -= 1
            told = self.defined.unknown(key) if self.hints >= 0 else "is no custom field here"
            yield _fault("unknown", told, f"custom_fields.{key[:100]}")

    @cached_property
    def columns(self):
        """The member that each column holds; none where it is overlooked."""
        return [_target(self.known, self.mapping, name) for name in self.form["columns"]]

    def names(self, sent):
        """Whom a record is about, as far as it says so in text: by this what is kept of it is found again."""
        found = dict(zip(self.columns, map(unguarded, sent))) if self.form["kind"] == "csv" else self._mapped(sent)
        return {name: found[name].strip() if isinstance(found.get(name), str) else None for name in NAMES}

    @cached_property
    def kinds(self):
        return {name: sub.get("type") if sub is not True else "ignored" for name, sub in self.known.items()}

    def _typed(self, cells):
        """A record of texts. An empty cell says nothing, so that it takes nothing away from a contact that is there."""
        found = {}
        for target, text in zip(self.columns, cells):
            if target and (text := text.strip()):
                if of_fields := OF_FIELDS.fullmatch(target):
                    found.setdefault("custom_fields", {})[of_fields[1]] = self._field(of_fields[1], text)
                elif self.kinds[target] != "ignored":
                    found[target] = _value(self.kinds[target], text)
        return found

    def _field(self, key, text):
        """The value of a custom field; a text that is none stays as it is, and is refused as such."""
        field = self.fields.get(key)
        if field is None:
            return unguarded(text)
        if field["field_type"] == "multiselect":
            return _parts(text, "|")
        text = unguarded(text)
        if field["field_type"] == "boolean":
            return YES_NO.get(text.lower(), text)
        value = field_types.read(field, self._plain(field["field_type"], text), self.zone)
        return text if value is None else value

    def _plain(self, kind, text):
        """A day such as 1.2.2026 as we write it, and a number with a decimal comma, which semicolons between cells speak of."""
        if kind == "date" and (day := GERMAN_DAY.fullmatch(text)):
            return f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"
        if kind == "number" and self.form["separator"] == ";":
            return DECIMAL_COMMA.sub(r"\1.\2", text) if DECIMAL_COMMA.fullmatch(text) else text
        return text

    def _mapped(self, sent):
        found, fields = {}, {}
        for name, value in sent.items():
            target = self.mapping.get(name, name)
            if target is None or target in REASONS:
                continue
            of_fields = OF_FIELDS.fullmatch(target)
            (fields if of_fields else found)[of_fields[1] if of_fields else target] = value
        if fields and isinstance(found.setdefault("custom_fields", {}), dict):
            found["custom_fields"] = {**found["custom_fields"], **fields}
        return found

    def _participant(self, found):
        """The members of participation and contact, each judged by its own schema."""
        own = {name: found[name] for name in PARTICIPANT_ONLY if name in found}
        contact = {name: found[name] for name in CONTACT_ONLY if name in found}
        body, faults = {}, []
        for judge, part in ((self.participant, own), (self.contact, contact)):
            if part:
                clean, wrong = _judged(judge, part)
                body.update(clean)
                faults += wrong
        return body, faults


def _judged(judge, found):
    try:
        return judge(found), []
    except Problem as problem:
        return {}, as_faults(problem)


def _value(kind, text):
    kinds = (kind,) if isinstance(kind, str) else kind or ()
    if "array" in kinds:
        return _parts(text, "|" if "|" in text else ",")
    text = unguarded(text)
    if "boolean" in kinds:
        return YES_NO.get(text.lower(), text)
    if "integer" in kinds:
        return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else text
    return text


def _parts(text, separator):
    return [unguarded(part.strip()) for part in text.split(separator) if part.strip()]


# Faults

def _fault(code, detail, field=None):
    return {"field": field, "code": code, "detail": detail}


def as_faults(problem):
    """What a problem says of one record."""
    if problem.errors is None:
        return [_fault(problem.code, problem.detail, problem.members.get("member"))]
    return of_faults(problem.errors)


def of_faults(faults):
    return [_fault(entry["code"], entry["detail"], _member(entry.get("pointer", ""))) for entry in faults]


def _member(place):
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]) or None


def nothing_said(body):
    """The fault of a contact that would be made of nothing that tells it from others."""
    either = document("contact")["x-any-of"]
    if any(body.get(member) is not None for member in either):
        return []
    return [_fault("any_of", "must have at least one of: " + ", ".join(either))]


def missing(field):
    return [_fault("required", "is what records are matched by, and is missing", field)]
