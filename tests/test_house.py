"""Rules for the whole code base: layers of imports, sizes, names, bounded input, documented errors,
files.
"""

import ast
import configparser
import importlib
import re
import sys
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from eventapi import paths
from eventapi.app import routes
from eventapi.errors import CODES
from eventapi.resources import CATALOGUE, OUTSIDE
from eventapi.storage.statements import statements
from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import document, resource_names

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "eventapi").rglob("*.py"))
# Problem codes that do not come from this code.
FROM_OUTSIDE = {"rate_limited": "nginx", "unavailable": "nginx"}


@cache
def parsed():
    """Return {file: its syntax tree}.

    It takes seconds, so it is not done at import: each worker of `make test` imports all tests.
    """
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in MODULES}


@cache
def nodes(tree):
    """Return all nodes of a tree: many tests look at all of them."""
    return list(ast.walk(tree))


def name_of(file):
    return str(file.relative_to(ROOT))


def dotted(file):
    """Return the name of a module as Python imports it."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


NAMES = {dotted(file) for file in MODULES}


def for_annotations(tree):
    """Return the statements of a module that run only in a type checker: those under `if
    TYPE_CHECKING`.
    """
    return [
        part
        for node in nodes(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for part in node.body
    ]


def imports(tree):
    """Yield the modules that a module imports, as dotted names: ours exactly, others by the name in
    the statement.

    Imports that only annotations need are left out.
    """
    unused = {id(part) for part in for_annotations(tree)}
    for node in [node for node in nodes(tree) if id(node) not in unused]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in NAMES else node.module


@cache
def all_imports():
    """Return {name of a module: the modules that it imports}."""
    return {dotted(file): set(imports(tree)) for file, tree in parsed().items()}


def package(name):
    """Return the unit of the layers that a module of ours belongs to: `eventapi.storage.files` is
    in `storage`.
    """
    return name.partition(".")[2].partition(".")[0]


# The layers, from top to bottom. A module imports only from its own package and from lower layers.
LAYERS = [
    {"wsgi", "__main__"},
    {"cli"},
    {"demo", "pages", "server", "worker"},
    {"reference"},
    {"app"},
    {"resources"},
    {"calls"},
    {"plugins"},
    {"web"},
    {"domain"},
    {"config", "journal", "parsing", "pictures", "spreadsheet"},
    {"storage", "validation"},
    {"languages", "states"},
    {
        "errors",
        "geometry",
        "images",
        "logs",
        "markup",
        "money",
        "names",
        "paths",
        "times",
        "working_days",
    },
    {"client"},
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
# domain package -> the domain packages that it may import. Add an import here only if it leaves no
# cycle.
DOMAIN = {
    "access": "mail records",
    "attachments": "einvoices records",
    "bank": "billing books records",
    "billing": "attachments books einvoices einvoices_sent mail organiser records vat",
    "books": "records reports",
    "datev": "billing books records",
    "dunning": "billing books mail records",
    "einvoices": "",
    "einvoices_sent": "einvoices records",
    "entrance": "attachments records",
    "events": "access attachments dunning entrance halls orders organiser records shows submissions vat",
    "halls": "access attachments records",
    "imports": "newsletter people records",
    "mail": "records",
    "newsletter": "mail people records",
    "orders": "attachments billing records",
    "organiser": "access books records",
    "people": "access attachments entrance events halls mail orders records shows vat",
    "portal": "access attachments billing events halls mail orders people records shows "
    "submissions",
    "previews": "access mail subjects",
    "privacy": "access attachments bank billing dunning entrance halls newsletter orders people "
    "records shows subjects submissions",
    "public_forms": "access attachments mail people records shows",
    "receivables": "billing dunning mail records",
    "records": "",
    "reports": "",
    "shows": "access attachments halls mail organiser records",
    # the list of subjects, a module beside the packages
    "subjects": "access attachments bank billing books datev dunning einvoices_sent entrance events "
    "halls imports mail newsletter orders people portal public_forms shows submissions webhooks",
    "submissions": "attachments records",
    "upkeep": "access mail privacy records subjects webhooks",
    "vat": "books",
    "webhooks": "attachments records",
}


def test_every_module_belongs_to_a_layer():
    assert {package(name) for name in NAMES} - {""} == set(LAYER)


def test_imports_point_downwards():
    for name, imported in all_imports().items():
        own = package(name)
        for other in {package(other) for other in imported if other.startswith("eventapi.")} - {
            own,
            "",
        }:
            assert LAYER[own] < LAYER[other], (
                f"{name} imports {other}, which is not in a lower layer"
            )


def test_only_the_configuration_is_imported_for_annotations():
    """Such an import does not count for the layers.

    Storage and validation need none but the class of `config`.
    """
    for file, tree in parsed().items():
        for part in for_annotations(tree):
            assert ast.unparse(part) == "from eventapi.config import Config", (
                f"{name_of(file)}:{part.lineno}"
            )


def domain_imports():
    """Return (package, package) for each import between two packages of the domain."""
    pairs = {
        (name.split(".")[2], other.split(".")[2])
        for name, imported in all_imports().items()
        for other in imported
        if name.startswith("eventapi.domain.") and other.startswith("eventapi.domain.")
    }
    return {(own, other) for own, other in pairs if own != other}


def test_domain_packages_import_each_other_as_listed():
    listed = {(own, other) for own, others in DOMAIN.items() for other in others.split()}
    assert domain_imports() - listed == set(), "these imports are not in DOMAIN"
    assert listed - domain_imports() == set(), "DOMAIN lists imports that do not exist"
    packages = {file.parent.name for file in MODULES if file.parent.parent.name == "domain"}
    assert set(DOMAIN) == packages | {"subjects"}


def test_domain_packages_form_no_cycle():
    rest = {own: set(others.split()) for own, others in DOMAIN.items()}
    while free := {own for own, others in rest.items() if not others & rest.keys()}:
        rest = {own: others for own, others in rest.items() if own not in free}
    assert not rest, f"these packages form an import cycle: {sorted(rest)}"


def test_resources_do_not_import_each_other():
    for name, imported in all_imports().items():
        if name.startswith("eventapi.resources."):
            assert not {other for other in imported if other.startswith("eventapi.resources")}, name


def test_resources_translate_and_leave_all_writes_to_the_domain():
    for file, tree in parsed().items():
        if dotted(file).startswith("eventapi.resources."):
            assert list(writes(tree)) == [], dotted(file)


def writes(tree):
    """Yield what a module writes by itself: through `db`, through the journal, or by a named
    statement that does not read.
    """
    files = {
        node.targets[0].id: node.value.args[0].value
        for node in nodes(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "statements"
    }
    yield from (name for name in imports(tree) if name == "eventapi.journal")
    for node in nodes(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
            if owner == "db" and name in ("insert", "run", "run_many", "write", "connection"):
                yield f"db.{name}"
            if owner in files and re.search(
                r"\b(INSERT|UPDATE|DELETE|REPLACE)\b",
                getattr(statements(files[owner]), name).plain(),
            ):
                yield f"{owner}.{name}"


def local_names(function):
    """Return the names that a function binds itself: parameters and assigned variables."""
    arguments = {node.arg for node in nodes(function) if isinstance(node, ast.arg)}
    return arguments | {
        node.id
        for node in nodes(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def test_every_attribute_that_a_module_uses_of_another_exists():
    """A function that was renamed or moved would otherwise be missed only when a request needs it."""
    missing = [found for file, tree in parsed().items() for found in missing_attributes(file, tree)]
    assert not missing, "\n".join(missing)


def test_programs_that_make_test_does_not_run_use_what_exists():
    """A renamed function would otherwise be missed until `make load` or a release needs it."""
    missing = []
    for folder in ("books", "fault", "fuzz", "load", "race", "soak"):
        for file in sorted((ROOT / "tests" / folder).rglob("*.py")):
            missing += missing_attributes(file, ast.parse(file.read_text(encoding="utf-8")))
    assert not missing, "\n".join(missing)


def missing_attributes(file, tree):
    """Yield the attributes of our modules that a module uses, and that do not exist."""
    modules = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in NAMES
    }
    hidden = {}  # node -> names that the functions around it bind themselves
    for function in functions(tree):
        names = local_names(function) & modules.keys()
        for node in nodes(function) if names else ():
            hidden.setdefault(id(node), set()).update(names)
    for node in nodes(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            if node.value.id not in hidden.get(id(node), ()):
                if not hasattr(importlib.import_module(modules[node.value.id]), node.attr):
                    yield f"{dotted(file)}:{node.lineno}: {modules[node.value.id]} has no {node.attr}"


def importers(library):
    return {
        name
        for name, imported in all_imports().items()
        if library in {other.partition(".")[0] for other in imported}
    }


def test_sqlite3_is_imported_in_storage_only():
    assert importers("sqlite3") == {"eventapi.storage.database", "eventapi.storage.errors"}


def test_storage_knows_no_http():
    """Storage raises its own errors (storage/errors.py).

    The request plugin makes problem documents of them.
    """
    assert not {
        name
        for name, imported in all_imports().items()
        if package(name) == "storage" and "eventapi.errors" in imported
    }
    assert {
        name
        for name, imported in all_imports().items()
        if package(name) == "plugins" and "eventapi.errors" in imported
    }


def test_statements_run_through_the_database_and_their_own_module():
    """Outside of storage, no module uses the sqlite3 connection, or the `sql` of another module."""
    for file, tree in parsed().items():
        for node in nodes(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Attribute)
                and node.value.attr == "connection"
            ):
                assert "storage" in file.parts or not node.attr.startswith("execute"), (
                    f"{name_of(file)}:{node.lineno}"
                )
            if isinstance(node, ast.Attribute) and node.attr == "sql":
                assert getattr(node.value, "id", "") == "self", f"{name_of(file)}:{node.lineno}"


def test_bottle_is_imported_only_where_requests_are_handled():
    allowed = {"app", "calls", "plugins", "web"}
    assert {name for name in importers("bottle") if package(name) not in allowed} == set()


def test_a_module_has_a_docstring():
    for file in MODULES:
        is_empty = not file.read_text(encoding="utf-8").strip()
        assert is_empty or ast.get_docstring(parsed()[file]), f"{name_of(file)} has no docstring"


def test_the_client_imports_the_standard_library_only():
    """It runs on machines without eventapi and its dependencies, and can be copied as a single
    file.
    """
    names = {name.partition(".")[0] for name in all_imports()["eventapi.client"]}
    assert names <= sys.stdlib_module_names


def functions(tree):
    return [
        node for node in nodes(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


ANNOTATED = {"calls", "plugins", "server", "storage", "validation", "web"}


def public_functions(tree):
    """Yield (function, parameters) of a module: its public functions, and the public methods and
    `__init__` of its public classes. The parameters are without `self`.
    """
    for owner in [
        tree,
        *(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"),
    ]:
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and (
                node.name[0] != "_" or node.name == "__init__"
            ):
                listed = node.args
                given = [
                    *listed.posonlyargs,
                    *listed.args,
                    *listed.kwonlyargs,
                    listed.vararg,
                    listed.kwarg,
                ]
                is_bound = owner is not tree and "staticmethod" not in map(
                    ast.unparse, node.decorator_list
                )
                yield node, [parameter for parameter in given[is_bound:] if parameter]


def test_public_functions_of_the_lower_layers_are_annotated():
    missing = []
    for file, tree in parsed().items():
        if package(dotted(file)) in ANNOTATED:
            for node, parameters in public_functions(tree):
                unknown = [parameter.arg for parameter in parameters if not parameter.annotation]
                unknown += ["its result"] if not node.returns and node.name != "__init__" else []
                missing += [
                    f"{name_of(file)}:{node.lineno}: {node.name} has no type for {name}"
                    for name in unknown
                ]
    assert not missing, "\n".join(missing)


def test_no_error_is_swallowed():
    """An `except` that only passes needs a reason beside it; a bare one is never right."""
    for file, tree in parsed().items():
        lines = file.read_text(encoding="utf-8").splitlines()
        for node in nodes(tree):
            if isinstance(node, ast.ExceptHandler):
                where = f"{name_of(file)}:{node.lineno}"
                assert node.type is not None, f"{where}: a bare except"
                broad = isinstance(node.type, ast.Name) and node.type.id in (
                    "Exception",
                    "BaseException",
                )
                silent = all(isinstance(part, (ast.Pass, ast.Continue)) for part in node.body)
                explained = "#" in "".join(lines[node.lineno - 1 : node.end_lineno])
                assert explained or not (broad and silent), (
                    f"{where}: swallows every error without a comment"
                )


def test_no_todo_and_no_print_is_left_over():
    for file, tree in parsed().items():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b|breakpoint\(|NotImplementedError", text), (
            name_of(file)
        )
        calls = {
            node.func.id
            for node in nodes(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        speaks = name_of(file).startswith("eventapi/cli/") or any(
            node.name == "main" for node in functions(tree)
        )
        assert "print" not in calls or speaks, f"{name_of(file)} prints"


# Names


def test_a_resource_has_the_same_name_everywhere():
    for name in CATALOGUE:
        noun = name.rpartition(".")[2]
        for file in (
            f"eventapi/resources/{noun}.py",
            f"sql/{noun}.sql",
            f"tests/resources/test_{noun}.py",
        ):
            assert (ROOT / file).exists(), f"{name} requires {file}"


def test_every_module_of_resources_and_pages_is_in_the_list():
    listed = {name.replace(".", "/") + ".py" for name in (*CATALOGUE, *OUTSIDE)}
    with_routes = {
        name_of(file).removeprefix("eventapi/")
        for file in MODULES
        if re.search(r"^routes = Routes\(", file.read_text(encoding="utf-8"), re.M)
    }
    assert with_routes == listed


def test_handlers_have_the_conventional_names():
    verbs = {
        "PUT": ("update_", "replace_", "set_", "put_"),
        "PATCH": ("update_", "change_", "set_"),
        "DELETE": ("delete_", "remove_", "cancel_"),
    }
    names = {}
    for route in routes():
        name = route.handler.__name__
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", name), name
        assert name.startswith(verbs.get(route.method, ("",))), (
            f"{route.method} {route.path} is {name}"
        )
        assert not route.options.listing or name.startswith("list_"), name
        assert names.setdefault(name, route.handler) is route.handler, (
            f"two handlers are called {name}"
        )


# Input


def parts(schema, place):
    """Yield (place, part) for a schema and every schema inside it."""
    if isinstance(schema, dict) and not schema.get("readOnly"):
        yield place, schema
        for member, sub in schema.get("properties", {}).items():
            yield from parts(sub, f"{place}/{member}")
        if "items" in schema:
            yield from parts(schema["items"], f"{place}[]")
        for member, sub in schema.get("$defs", {}).items():
            yield from parts(sub, f"{place}#{member}")


@pytest.mark.parametrize("name", resource_names())
def test_all_input_is_bounded(name):
    sent = {
        route.options.schema.partition(".")[2]
        for route in routes()
        if (route.options.schema or "").partition(".")[0] == name
    }
    sent |= {
        route.options.query.partition(".")[2]
        for route in routes()
        if (route.options.query or "").partition(".")[0] == name
    }
    whole = document(name)
    roots = [
        (part or name, whole["$defs"][part] if part else {**whole, "$defs": {}}) for part in sent
    ]
    for place, part in [found for start, root in roots for found in parts(root, start)]:
        kinds = part.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        is_short = {"maxLength", "enum", "format"} & part.keys()
        is_limited = "maxItems" in part or "enum" in part.get("items", {}) or "$ref" in part
        assert "string" not in kinds or is_short, f"{name}: {place} has no maxLength"
        assert "array" not in kinds or is_limited, f"{name}: {place} has no maxItems"
        assert not part.get("format") or part["format"] in FORMATS, (
            f"{name}: {place} has an unchecked format"
        )


@pytest.mark.parametrize("name", resource_names())
def test_a_schema_has_a_title_and_its_required_fields_exist(name):
    whole = document(name)
    assert whole["title"] and whole["properties"]
    for members in whole.get("x-required", {}).values():
        for member in members:
            for one in [member] if isinstance(member, str) else member:
                field = whole["properties"].get(one)
                assert field and ("x-new" in field or not field.get("readOnly")), f"{name}: {one}"


# Errors


def problem_codes():
    """Yield (code, place in the source) of every Problem("code", …)."""
    for file, tree in parsed().items():
        for node in nodes(tree):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Problem"
                and node.args
            ):
                if isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value, f"{name_of(file)}:{node.lineno}"


def test_every_error_is_documented_and_every_documented_error_exists():
    for code, where in problem_codes():
        assert code in CODES, f"{where}: {code} is not in errors.CODES"
    for code, (status, title, text) in CODES.items():
        assert (
            re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code)
            and 400 <= status < 600
            and title
            and len(text) > 20
            and text.endswith(".")
        ), code
    words = {
        node.value
        for file, tree in parsed().items()
        if name_of(file) != "eventapi/errors/codes.py"
        for node in nodes(tree)
        if isinstance(node, ast.Constant)
    }
    words |= {code for code, where in problem_codes() if where.startswith("eventapi/errors/")}
    assert not set(CODES) - words - FROM_OUTSIDE.keys(), "no code returns these"


# Files


def test_migrations_are_numbered_without_gaps_and_strict():
    files = sorted((paths.folder("sql") / "migrations").glob("*.sql"))
    numbers = [int(file.name[:4]) for file in files]
    assert numbers == list(range(1, len(files) + 1))
    for file in files:
        assert re.fullmatch(r"\d{4}_[a-z]+(_[a-z]+)+\.sql", file.name), file.name
        text = re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
        for table, options in re.findall(r"CREATE TABLE (\w+) \(.*?\n\)([^;]*);", text, re.S):
            assert "STRICT" in options, f"{file.name}: {table} is not STRICT"


def test_every_folder_of_modules_is_a_package():
    """setup.py finds a package by its `__init__.py`."""
    assert {file.parent for file in MODULES} == {
        file.parent for file in MODULES if file.name == "__init__.py"
    }


def test_setup_cfg_names_every_file_beside_the_code():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = {
        name: re.split(r",\s*", value) for name, value in parser["options.package_data"].items()
    }
    files = [
        file
        for file in (ROOT / "eventapi").rglob("*")
        if file.is_file() and file.suffix not in (".py", ".pyc")
    ]
    assert files
    for file in files:
        named = [
            (".".join(folder.relative_to(ROOT).parts), file.relative_to(folder).as_posix())
            for folder in (file.parent, file.parent.parent)
        ]
        assert any(
            fnmatch(name, pattern)
            for package, name in named
            for pattern in patterns.get(package, [])
        ), name_of(file)


def test_a_newcomer_can_read_contributing_in_minutes():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 700
