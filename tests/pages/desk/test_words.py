"""Texts of the desk: everything that a form, a button or a refusal says is there, in both
languages.
"""

import json
import re
from importlib.resources import files
from types import SimpleNamespace

import pytest

from eventapi.pages.desk import actions, api, batches, kinds, labels
from eventapi.reference import problem_codes
from eventapi.validation.schema_files import document
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import Field, Sentences, leaves
from eventapi.web.html.schema_forms import Form
from tests.pages.test_words import keywords
from tests.support.processes import ROOT

FOLDER = files("eventapi.pages.desk")
WORDS = {
    language: json.loads(FOLDER.joinpath(f"words/{language}.json").read_text(encoding="utf-8"))
    for language in ("de", "en")
}
TEMPLATES = {
    file.name: file.read_text(encoding="utf-8")
    for file in FOLDER.iterdir()
    if file.name.endswith(".html")
}
# Records whose states the desk shows.
STATES = (
    "application",
    "participant",
    "booth_reservation",
    "service_order",
    "submission",
    "task",
    "invoice",
    "payment",
    "booth",
)


def test_templates_escape_everything_but_what_is_listed():
    allowed = ("piece(", "form_token()", "linked(", "body", "plan_drawing", "code")
    allowed += ("card.chart", "cell.markup")
    for name, text in TEMPLATES.items():
        for part in re.findall(r"\{\{!(.*?)\}\}", text):
            assert part.startswith(allowed), f"{name}: {part}"


def test_templates_contain_no_program():
    for name, text in TEMPLATES.items():
        for line in re.findall(r"(?m)^\s*%\s*(\w+)", text):
            assert line in ("if", "elif", "else", "for", "end"), f"{name}: {line}"


def forms(language):
    visit = SimpleNamespace(
        language=language, who=SimpleNamespace(scopes={"payments"}, disabled_flags=())
    )
    for kind in kinds.KINDS.values():
        for method, names in (("POST", (*kind.new, *kind.names)), ("PATCH", kind.names)):
            yield Form(kind.schema, method, labels.of(visit), names=names, without=kind.hidden)
    for name in actions.buttons():
        yield actions.form_of(visit, name)
    yield Form("booth.layout", "POST", labels.of(visit), names=["rows"], without=("rows/rotation",))
    for kind in kinds.PAGES.values():
        yield Form(kind.schema, "PATCH", labels.of(visit), names=kind.names, without=kind.hidden)


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_field_has_a_label_and_every_option_a_name(language):
    texts = WORDS[language]
    for form in forms(language):
        for each in [*form.fields, *leaves(form.fields)]:
            for part in [each, *each.parts]:
                path = part.name
                assert f"field_{path}" in texts or f"field_{path.rpartition('/')[2]}" in texts, path
                for value, label in part.options if part.kind != "due" else ():
                    words = {f"={value}", f"{path}={value}"}
                    assert label and (label != value or words & texts.keys()), f"{path}={value}"


def faults(language):
    """Return (code, field) of the faults that the schemas of the desk's forms can find."""
    for form in forms(language):
        for each in leaves(form.fields):
            for part in (each, *each.parts):
                for code in {"required", *keywords(part.schema)}:
                    yield code, part


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_fault_of_a_kind_of_field_has_a_sentence(language):
    """A sentence says what to type: "Bitte einen Betrag wie 25,00 eingeben."

    Texts, boxes and days have no fault of their type: what is typed there is a text.
    """
    texts = page_requests.words("eventapi.pages.desk", language)
    sentences = Sentences(texts, language)
    vague = {texts[f"fault_{word}"] for word in ("other", "type", "format_plain", "pattern_plain")}
    texts_only = ("text", "textarea", "tel", "url", "email", "time", "color", "checkbox", "lines")
    found = {
        (code, field.kind, field.name): sentences.about(code, field, {field.name: ["x"]})
        for code, field in faults(language)
        if code != "type" or field.kind not in (*texts_only, "datetime-local", "date", "day")
    }
    assert len({(code, kind) for code, kind, _ in found}) > 60
    assert [fault for fault, sentence in found.items() if sentence in vague] == []


@pytest.mark.parametrize(
    ("code", "kind", "german"),
    [
        ("type", "money", "Bitte einen Betrag wie 25,00 eingeben."),
        ("type", "number", "Bitte eine Zahl eingeben, etwa 12,5."),
        ("format", "day", "Bitte einen Tag wie 01.03.2027 eingeben."),
        ("required", "checkbox", "Bitte ankreuzen."),
        ("duplicate", "text", "„Stand mittel“ gibt es schon."),
        ("pattern", "color", "Bitte eine Farbe wählen, etwa #23694a."),
        ("before_start", "due_date", "Fällig darf nicht vor dem Rechnungsdatum liegen."),
        ("pattern", "allowed_extensions", "Bitte eine Endung je Zeile, etwa png."),
    ],
)
def test_sentences_of_faults(code, kind, german):
    field = Field(kind, f"/{kind}", "", kind)
    sentences = Sentences(page_requests.words("eventapi.pages.desk", "de"), "de")
    assert sentences.about(code, field, {kind: ["Stand mittel"]}) == german


def test_every_button_and_batch_has_its_words():
    for texts in WORDS.values():
        for name in actions.buttons():
            assert f"do_{name}" in texts and f"done_{name}" in texts, name
        for (resource, action), found in batches.offered().items():
            word = f"{resource}_{action}"
            assert {f"batch_{word}", f"did_{word}", f"did_{word}_one"} <= texts.keys()
            if found.undo or found.undo_new:
                assert f"undo_{word}" in texts
        for name in kinds.KINDS:
            assert {f"new_{name}", f"edit_{name}"} <= texts.keys(), name


def test_the_desk_calls_a_show_an_event():
    """`event_word=fair` is what exhibitors and visitors read."""
    for package in ("eventapi.pages.desk", "eventapi.pages.office"):
        german, english = (shell.words(package, language) for language in ("de", "en"))
        named = {name for name, text in german.items() if re.search(r"\bMesse(n|tag)?\b", text)}
        assert named <= {"event_word=fair"}
        a_show = r"\b(a|the|this|that|each|no|your|new|first|another|which|all) shows?\b(?! (the|your|how|me)\b)"
        assert [text for text in english.values() if re.search(a_show, text, re.I)] == []


def test_the_sentence_after_a_button_is_a_result():
    for texts in WORDS.values():
        results = [texts[name] for name in texts if name.startswith("done_")]
        assert [text for text in results if text.startswith(("Erledigt", "Done"))] == []
        assert all(text.endswith(".") for text in results)


@pytest.mark.parametrize(
    ("language", "number", "shown"),
    [
        ("de", "DRAFT-1", "Entwurf 1"),
        ("en", "DRAFT-12", "Draft 12"),
        ("de", "RE-2027-00001", "RE-2027-00001"),
        ("de", "my DRAFT-1", "my DRAFT-1"),
    ],
)
def test_the_number_of_a_draft_is_written_in_words(language, number, shown):
    assert labels.invoice_number(WORDS[language], number) == shown


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (["automatic_category"], "Es gibt noch keine Kategorie für Besucher."),
        (["apply_terms"], "Die Bedingungen für Aussteller fehlen noch."),
        (
            ["is_public", "automatic_category"],
            "Dafür fehlt noch: eine öffentliche Website, eine Kategorie für Besucher.",
        ),
        (["base_url"], "Dafür fehlt noch: Adresse dieses Servers (base_url)."),
    ],
)
def test_what_is_missing_before_a_page_can_open_has_a_name(missing, sentence):
    members = {"missing": missing}
    assert labels.problem_sentence(WORDS["de"], "de", "page_incomplete", members) == sentence


def test_a_participation_is_abgesagt_and_an_invoice_storniert():
    german = WORDS["de"]
    assert (german["participant=cancelled"], german["=cancelled"]) == ("abgesagt", "storniert")
    states = document("participant")["properties"]["status"]["enum"]
    assert {f"participant={state}" for state in states} <= german.keys()


def test_every_state_has_a_name():
    for noun in STATES:
        for state in document(noun)["properties"]["status"]["enum"]:
            assert state is None or f"={state}" in WORDS["de"], f"{noun}: {state}"


def test_every_refusal_of_a_button_has_a_sentence():
    """The list of the reference has the codes that each handler can raise (make reference)."""
    raised = {
        code
        for name in (
            *actions.buttons(),
            *(
                f"{verb}_{kind.handler}"
                for kind in kinds.KINDS.values()
                for verb in ("create", "update", "delete")
            ),
        )
        for code in problem_codes.by_handler().get(name, ())
    }
    for language, texts in WORDS.items():
        known = {**shell.words(page_requests.COMMON, language), **texts}
        missing = {code for code in raised if f"problem_{code}" not in known} - {
            "validation_failed"
        }
        assert not missing, missing


def test_every_button_is_a_route_that_can_be_sent():
    for name in actions.buttons():
        assert api.routes()[name].method in ("POST", "DELETE"), name


@pytest.mark.parametrize("guide", ["first-show.md", "office.md"])
def test_what_a_guide_calls_a_button_is_on_a_page(guide):
    """Words in bold or in quotation marks are those of a button, a link, a label or a heading of
    the desk, or of the pages that continue it.
    """
    texts = page_requests.words("eventapi.pages.office", "en")
    known = {bare(text.partition("{")[0]) for text in texts.values()}
    text = re.sub(
        r"(?s)```.*?```|`[^`]*`", "", (ROOT / "docs" / "guides" / guide).read_text(encoding="utf-8")
    )
    pairs = re.findall(r'\*\*([^*]+)\*\*|"([^"]+)"', text)
    named = {re.sub(r"\s+", " ", each) for pair in pairs for each in pair if each}
    assert len(named) >= 10
    assert {each for each in named if bare(each) not in known} == set()


def bare(text):
    """Return a text without what stands in parentheses, and without the marks at its end."""
    return re.sub(r" ?\([^)]*\)?$", "", text.strip()).rstrip(" .:…")
