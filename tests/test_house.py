"""The rules of the house, which no single test of a resource would notice: who may import whom, sizes, names, bounded input."""
import ast
import configparser
import re
from pathlib import Path

import pytest

from eventapi import paths
from eventapi.app import routes
from eventapi.errors import CODES
from eventapi.resources import CATALOGUE, OUTSIDE
from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import document, resource_names

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "eventapi").rglob("*.py"))
PARSED = {file: ast.parse(file.read_text(encoding="utf-8")) for file in MODULES}
# Names of problems that come from elsewhere than our code.
FROM_OUTSIDE = {"rate_limited": "nginx", "unavailable": "nginx"}


def name_of(file):
    return str(file.relative_to(ROOT))


def imports(tree):
    """The modules that a module imports, with what it takes from them, as dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(folder):
    return [(name_of(file), set(imports(tree))) for file, tree in PARSED.items()
            if name_of(file).startswith(f"eventapi/{folder}")]


def test_resources_do_not_import_each_other():
    for file, names in importers("resources/"):
        assert not {name for name in names if name.startswith("eventapi.resources")}, file


def test_domain_knows_no_http_and_no_resource():
    for file, names in importers("domain/"):
        wrong = {name for name in names if re.match(r"bottle|eventapi\.(web|plugins|resources|pages|app)\b", name)}
        assert not wrong, f"{file} imports {wrong}"


def test_sqlite3_is_imported_in_storage_only():
    assert {file for file, names in importers("") if "sqlite3" in names} == {"eventapi/storage/database.py", "eventapi/storage/errors.py"}


def test_storage_knows_no_http_and_no_rule():
    """Storage raises its own errors (storage/errors.py); the request plugin makes problem documents of them."""
    for file, names in importers("storage/"):
        wrong = {name for name in names if re.match(r"bottle|eventapi\.(errors|web|plugins|resources|domain|worker|pages|cli|app)\b", name)}
        assert not wrong, f"{file} imports {wrong}"


def test_plugins_and_web_know_no_resource():
    for file, names in [*importers("plugins/"), *importers("web/")]:
        assert not {name for name in names if re.match(r"eventapi\.(resources|pages|worker|cli|app)\b", name)}, file


def test_bottle_is_spoken_at_the_door_only():
    """Only what answers requests imports bottle."""
    allowed = re.compile(r"eventapi/(app|wsgi|web/.*|plugins/.*|resources/.*|pages/.*)(\.py)?$")
    for file, names in importers(""):
        assert "bottle" not in {name.partition(".")[0] for name in names} or allowed.match(file), file


def test_the_worker_and_the_command_line_walk_in_by_the_other_door():
    for file, names in [*importers("worker/"), *importers("cli/")]:
        assert not {name for name in names if re.match(r"eventapi\.(plugins|resources)\b", name)}, file


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_a_module_says_what_it_is_and_holds_one_idea(file):
    text = file.read_text(encoding="utf-8")
    said = ast.get_docstring(PARSED[file])
    if text.strip():
        assert said, f"{name_of(file)} does not open with a line that says what it is"
    assert text.count("\n") <= 300, f"{name_of(file)} holds more than one idea"


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def test_functions_are_short():
    lengths = sorted((node.end_lineno - node.lineno + 1, name_of(file), node.name) for file, tree in PARSED.items()
                     for node in functions(tree))
    assert lengths[-1][0] <= 60, f"too long: {lengths[-1]}"
    assert sum(length <= 15 for length, *_ in lengths) >= 0.8 * len(lengths), "most functions are longer than 15 lines"


def test_no_error_is_swallowed():
    """An `except` that only passes needs a reason beside it; a bare one is never right."""
    for file, tree in PARSED.items():
        lines = file.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler):
                where = f"{name_of(file)}:{node.lineno}"
                assert node.type is not None, f"{where}: a bare except"
                broad = isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
                silent = all(isinstance(part, (ast.Pass, ast.Continue)) for part in node.body)
                assert not (broad and silent) or "#" in "".join(lines[node.lineno - 1:node.end_lineno]), f"{where}: swallows everything"


def test_there_is_nothing_left_to_do_or_printed_by_mistake():
    for file, tree in PARSED.items():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b|breakpoint\(|NotImplementedError", text), name_of(file)
        calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        speaks = name_of(file).startswith("eventapi/cli/") or any(node.name == "main" for node in functions(tree))
        assert "print" not in calls or speaks, f"{name_of(file)} prints"


# Names

def test_a_resource_is_called_the_same_everywhere():
    for name in CATALOGUE:
        noun = name.rpartition(".")[2]
        for file in (f"eventapi/resources/{noun}.py", f"sql/{noun}.sql", f"tests/resources/test_{noun}.py"):
            assert (ROOT / file).exists(), f"{name} wants {file}"


def test_every_module_of_resources_and_pages_is_in_the_list():
    listed = {name.replace(".", "/") + ".py" for name in (*CATALOGUE, *OUTSIDE)}
    with_routes = {name_of(file).removeprefix("eventapi/") for file in MODULES
                   if re.search(r"^routes = Routes\(", file.read_text(encoding="utf-8"), re.M)}
    assert with_routes == listed


def test_handlers_have_the_names_of_the_house():
    verbs = {"PUT": ("update_", "replace_", "set_", "put_"), "PATCH": ("update_", "change_", "set_"), "DELETE": ("delete_", "remove_", "cancel_")}
    names = {}
    for route in routes():
        name = route.handler.__name__
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", name), name
        assert name.startswith(verbs.get(route.method, ("",))), f"{route.method} {route.path} is {name}"
        assert not route.options.listing or name.startswith("list_"), name
        assert names.setdefault(name, route.handler) is route.handler, f"two handlers are called {name}"


# Input

def parts(schema, place):
    """(place, part) for a schema and all within it."""
    if isinstance(schema, dict) and not schema.get("readOnly"):
        yield place, schema
        for member, sub in schema.get("properties", {}).items():
            yield from parts(sub, f"{place}/{member}")
        if "items" in schema:
            yield from parts(schema["items"], f"{place}[]")
        for member, sub in schema.get("$defs", {}).items():
            yield from parts(sub, f"{place}#{member}")


@pytest.mark.parametrize("name", resource_names())
def test_what_may_be_sent_is_bounded(name):
    sent = {route.options.schema.partition(".")[2] for route in routes() if (route.options.schema or "").partition(".")[0] == name}
    sent |= {route.options.query.partition(".")[2] for route in routes() if (route.options.query or "").partition(".")[0] == name}
    whole = document(name)
    roots = [(part or name, whole["$defs"][part] if part else {**whole, "$defs": {}}) for part in sent]
    for place, part in [found for place, root in roots for found in parts(root, place)]:
        kinds = part.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        assert "string" not in kinds or {"maxLength", "enum", "format"} & part.keys(), f"{name}: {place} has no maxLength"
        assert "array" not in kinds or "maxItems" in part or "enum" in part.get("items", {}) or "$ref" in part, f"{name}: {place} has no maxItems"
        assert not part.get("format") or part["format"] in FORMATS, f"{name}: {place} has a format that nobody checks"


@pytest.mark.parametrize("name", resource_names())
def test_a_schema_has_a_title_and_required_members_that_exist(name):
    whole = document(name)
    assert whole["title"] and whole["properties"]
    for members in whole.get("x-required", {}).values():
        for member in members:
            for one in [member] if isinstance(member, str) else member:
                assert one in whole["properties"] and not whole["properties"][one].get("readOnly"), f"{name}: {one}"


# Errors

def problem_codes():
    """(code, where) of every Problem("code", …) in the code."""
    for file, tree in PARSED.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Problem" and node.args:
                if isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value, f"{name_of(file)}:{node.lineno}"


def test_every_error_is_documented_and_every_documented_error_exists():
    for code, where in problem_codes():
        assert code in CODES, f"{where}: {code} is not in errors.CODES"
    for code, (status, title, text) in CODES.items():
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code) and 400 <= status < 600 and title and len(text) > 20 and text.endswith("."), code
    words = {node.value for file, tree in PARSED.items() if name_of(file) != "eventapi/errors.py"
             for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    words |= {code for code, where in problem_codes() if where.startswith("eventapi/errors.py")}
    assert not set(CODES) - words - FROM_OUTSIDE.keys(), "nobody answers these"


# Files

def test_migrations_are_numbered_without_gaps_and_strict():
    files = sorted((paths.folder("sql") / "migrations").glob("*.sql"))
    assert [int(file.name[:4]) for file in files] == list(range(1, len(files) + 1))
    for file in files:
        assert re.fullmatch(r"\d{4}_[a-z]+(_[a-z]+)+\.sql", file.name), file.name
        text = re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
        for table, options in re.findall(r"CREATE TABLE (\w+) \(.*?\n\)([^;]*);", text, re.S):
            assert "STRICT" in options, f"{file.name}: {table} is not STRICT"


def test_setup_cfg_names_every_package():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    listed = set(parser["options"]["packages"].split())
    found = {".".join(file.parent.relative_to(ROOT).parts) for file in MODULES}
    assert found <= listed, f"not in setup.cfg: {found - listed}"
    outside = {"eventapi.conf", "eventapi.schemas", "eventapi.sql"}
    assert listed - outside == found
