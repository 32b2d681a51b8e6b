"""Write eventapi/reference/problem_codes.json: the problem codes that each handler can raise, read
from the source.

    python -m tests.support.problem_codes

The reference lists these codes for each operation, besides those that the plugins raise. A code
belongs to a handler if a function calls `Problem("code", …)`, or passes the code first to another
call except `fault`, and the handler, or an option of its route such as `prepare`, refers to that
function directly or through others. Only names that the source resolves are followed: functions and
tables of functions of eventapi, and methods of `self` and of instances that a module keeps. Of what
the subjects declare, those parts are followed that a function reads.
"""

import ast
import json
import re
from functools import lru_cache
from pathlib import Path

import eventapi
from eventapi.app import routes
from eventapi.errors import CODES

PACKAGE = Path(eventapi.__file__).parent
FILE = PACKAGE / "reference" / "problem_codes.json"
COMMAND = "python -m tests.support.problem_codes"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Module:
    """The top-level names of a module of eventapi.

    Attributes:
        definitions: name -> AST node of a function, of a class, or of the value that is assigned to the name.
        imports: name -> (module, name in it), or (module, None) for a module.
    """

    def __init__(self, name, tree):
        self.name, self.definitions, self.imports = name, {}, {}
        for node in tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self.definitions[node.name] = node
            elif isinstance(node, ast.Assign):
                self.definitions.update(
                    {
                        target.id: node.value
                        for target in node.targets
                        if isinstance(target, ast.Name)
                    }
                )
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eventapi"):
                self.imports.update(
                    {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
                )


@lru_cache(maxsize=None)
def module(name):
    """Return the module of this name, or None if eventapi has none."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return Module(name, ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else None


def resolve(home, name):
    """Return (module, node) of a name in a module; node is None for a module.

    Return None if the name is not of eventapi.
    """
    if name in home.definitions:
        return home, home.definitions[name]
    if name not in home.imports:
        return None
    source, original = home.imports[name]
    if submodule := module(f"{source}.{original}"):
        return submodule, None
    return resolve(module(source), original)


def values_of(home, node, local):
    """Yield (module, node) of what an expression stands for.

    `local` are the names that the function assigns itself.
    """
    if isinstance(node, ast.IfExp):
        yield from values_of(home, node.body, local)
        yield from values_of(home, node.orelse, local)
    elif isinstance(node, ast.Name) and node.id not in local:
        yield from filter(None, [resolve(home, node.id)])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        for source, function in values_of(home, node.func, local):
            if isinstance(function, ast.ClassDef):
                yield source, function
            elif isinstance(function, FUNCTIONS):
                for part in ast.walk(function):
                    if isinstance(part, ast.Return):
                        yield from values_of(source, part.value, ())


def attribute(home, owner, name):
    """Yield (module, node) of an attribute of a module, of a class, or of a value that is an
    instance of a class.
    """
    if owner is None:
        yield resolve(home, name)
    elif isinstance(owner, ast.ClassDef):
        yield from (
            (home, node) for node in owner.body if isinstance(node, FUNCTIONS) and node.name == name
        )
    elif isinstance(owner, ast.Call):
        for source, value in values_of(home, owner, ()):
            if isinstance(value, ast.ClassDef):
                yield from attribute(source, value, name)


@lru_cache(maxsize=None)
def caught(node):
    """Return the ids of the nodes inside `try` blocks that handle every Problem and raise none."""
    blocks = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Try)
        for handler in part.handlers
        if getattr(handler.type, "id", "") == "Problem"
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))
    ]
    return {
        id(inner) for block in blocks for statement in block.body for inner in ast.walk(statement)
    }


def references(home, node):
    """Yield (module, node), or None, for each name and attribute that a function or value uses."""
    local = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    local |= {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    own_class = [
        part
        for part in home.definitions.values()
        if isinstance(part, ast.ClassDef) and node in part.body
    ]
    for part in [part for part in ast.walk(node) if id(part) not in caught(node)]:
        if isinstance(part, ast.Attribute):
            is_self = isinstance(part.value, ast.Name) and part.value.id == "self"
            owners = (
                [(home, own_class[0])]
                if own_class and is_self
                else values_of(home, part.value, local)
            )
            for owner in owners:
                yield from attribute(*owner, part.attr)
        elif isinstance(part, ast.Name) and part.id == "SUBJECTS":
            yield from declared(node)
        elif isinstance(part, ast.Name):
            yield from values_of(home, part, local)


def declared(function):
    """Yield (module, node) of each part of the subjects (`domain/subjects.py`) that a function
    reads: `subject.merges_contacts` stands for the functions behind `merges_contacts=`.
    """
    read = {part.attr for part in ast.walk(function) if isinstance(part, ast.Attribute)}
    home = module("eventapi.domain.subjects")
    for name in home.definitions["SUBJECTS"].elts:
        source, subject = resolve(home, name.id)
        for part in subject.keywords:
            if part.arg in read:
                yield source, part.value


@lru_cache(maxsize=None)
def step(home, node):
    """Return the codes that a definition names itself, and the definitions that it refers to."""
    if node is None or isinstance(node, ast.ClassDef) or home.name.startswith("eventapi.reference"):
        return set(), []
    calls = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
        and part.args
        and isinstance(part.args[0], ast.Constant)
        and getattr(part.func, "id", "") != "fault"
    ]
    named = {call.args[0].value for call in calls if call.args[0].value in CODES}
    return named if isinstance(node, FUNCTIONS) else set(), list(
        filter(None, references(home, node))
    )


def reached(home, start):
    """Return the definition `start` and all that it refers to, as (module, node)."""
    seen, todo = set(), [(home, start)]
    while todo:
        definition = todo.pop()
        if definition not in seen:
            seen.add(definition)
            todo += step(*definition)[1]
    return seen


def codes(home, start):
    """Return the sorted codes of the definition `start` and of all that it refers to."""
    return sorted(set().union(*(step(*definition)[0] for definition in reached(home, start))))


# Calls that make a fault -> place of its code among the arguments
FAULTS = {"fault": 0, "add": 1, "invalid_at": 1}


def fault_codes(home, start):
    """Return the codes of the faults (errors/__init__.py) of the definition `start` and of all that
    it refers to.

    Faults that a schema finds, and those of query parameters, are not among them.
    """
    found = set()
    for _, node in reached(home, start):
        for part in ast.walk(node) if isinstance(node, FUNCTIONS) else ():
            name = isinstance(part, ast.Call) and (
                getattr(part.func, "id", "") or getattr(part.func, "attr", "")
            )
            code = (
                part.args[FAULTS[name]]
                if name in FAULTS and len(part.args) > FAULTS[name]
                else None
            )
            if (
                isinstance(code, ast.Constant)
                and isinstance(code.value, str)
                and re.fullmatch("[a-z_]+", code.value)
            ):
                found.add(code.value)
    return found


def generate():
    """Return the text of the file: handler -> codes, one handler on each line."""
    homes = {route.handler.__name__: module(route.handler.__module__) for route in routes()}
    lines = [
        f"{json.dumps(name)}: {json.dumps(codes(home, home.definitions[name]))}"
        for name, home in sorted(homes.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(generate(), encoding="utf-8")
