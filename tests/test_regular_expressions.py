"""Each regular expression of the package takes time in proportion to its text, or says how long a
text may be.

`re` keeps the interpreter lock, so a text from outside that makes one slow stops the whole process.
The expressions are found in the source, and those of the schemas in their files. A comment such as
`# at most 300 characters`, in the statement or the line above it, is the bound of a text.
"""

import ast
import importlib
import json
import re
import time

from eventapi import paths
from tests.support.hostile_texts import texts
from tests.test_house import dotted, name_of, parsed

# Functions of `re`, and methods of what `compile` returns
ANCHORED = {"match", "fullmatch"}
SCANNING = {"search", "findall", "finditer", "split", "sub", "subn"}
# characters: an exponential expression is noticed before the longer ones
SIZES = (
    20,
    80,
    400,
    1600,
    6400,
)
SHORT = 0.004  # seconds of CPU that a text may take in any case
SLOW = 0.1  # seconds of CPU for the longest text that a comment allows
MOST = 8  # times the CPU for four times the text: 4 if it is linear, 16 if quadratic
# which run those of the schemas
OF_SCHEMAS = {
    "eventapi/validation/fast_path.py",
    "eventapi/validation/messages.py",
}
# which reads our SQL only
OWN_TEXTS = paths.folder("sql").parent / "eventapi" / "storage" / "statements"
BOUND = re.compile(r"# (?:.* )?at most ([0-9][0-9,]*) (?:characters|bytes)")


class Expression:
    """A regular expression, where it is, and the functions and methods that run it."""

    def __init__(self, place, pattern, flags=0, methods=(), bound=None):
        self.place, self.pattern, self.flags, self.bound = place, pattern, flags, bound
        self.run = [
            getattr(re.compile(pattern, flags), "search" if set(methods) & SCANNING else name)
            for name in sorted(set(methods) - SCANNING) or ["search"]
        ]


def uses():
    """Return {(module, name): methods that the package calls of the compiled expression with this
    name in it}.
    """
    found = {}
    for file, tree in parsed().items():
        origin = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in ANCHORED | SCANNING:
                continue
            if isinstance(node.value, ast.Name):
                found.setdefault(
                    origin.get(node.value.id, (dotted(file), node.value.id)), set()
                ).add(node.attr)
            elif isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):
                module = ".".join(origin.get(node.value.value.id, ()))
                found.setdefault((module, node.value.attr), set()).add(node.attr)
    return found


def value_of(node, names):
    """Return the values that an argument may have.

    A part that only the running program knows is `x`.
    """
    if isinstance(node, ast.IfExp):
        return [*value_of(node.body, names), *value_of(node.orelse, names)]
    try:
        return [eval(compile(ast.Expression(node), "", "eval"), dict(names))]
    except NameError:
        if isinstance(node, ast.JoinedStr):
            return [
                "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in node.values
                )
            ]
        return []


def compiled_in(value):
    """Yield the compiled expressions that a module holds in a table, also as the method of one."""
    if isinstance(getattr(value, "__self__", value), re.Pattern):
        yield getattr(value, "__self__", value)
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from compiled_in(part)


def expressions_of(file, tree, methods):
    """Return the Expressions of a module, and those of its calls whose argument is not known."""
    names = vars(importlib.import_module(dotted(file)))
    lines = file.read_text(encoding="utf-8").splitlines()
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found, unknown = [], []
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and getattr(node.func.value, "id", None) == "re"
            and node.func.attr in ANCHORED | SCANNING | {"compile"}
        ):
            continue
        place, parent = f"{name_of(file)}:{node.lineno}", parents[node]
        statement = node
        while not isinstance(statement, ast.stmt):
            statement = parents[statement]
        bound = BOUND.search("\n".join(lines[statement.lineno - 2 : statement.end_lineno]))
        used = {node.func.attr}
        if used == {"compile"}:
            target = parent.targets[0].id if isinstance(parent, ast.Assign) else None
            used = (
                {parent.attr}
                if isinstance(parent, ast.Attribute)
                else methods.get((dotted(file), target), SCANNING)
            )
        patterns = value_of(node.args[0], names)
        flags = [
            flag
            for part in (*node.args[1:], *(keyword.value for keyword in node.keywords))
            for flag in value_of(part, names)
            if isinstance(flag, re.RegexFlag)
        ]
        found += [
            Expression(
                place,
                getattr(pattern, "pattern", pattern),
                flags[0] if flags else 0,
                used,
                bound and int(bound[1].replace(",", "")),
            )
            for pattern in patterns
        ]
        if not patterns and name_of(file) not in OF_SCHEMAS:
            unknown.append(place)
    if unknown:
        held = [pattern for value in list(names.values()) for pattern in compiled_in(value)]
        found += [
            Expression(name_of(file), pattern.pattern, pattern.flags & ~re.UNICODE, ANCHORED)
            for pattern in held
        ]
        unknown = [] if held else unknown
    return found, unknown


def schema_patterns(value):
    """Yield the patterns in a JSON schema, which jsonschema runs by `re.search`."""
    if isinstance(value, dict):
        yield from value.get("patternProperties", ())
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from schema_patterns(part)


def seconds(run, text):
    """Return the CPU time of one call, the least of some, so that a busy machine does not count."""
    least = 1.0
    for _ in range(5):
        start = time.process_time()
        run(text)
        least = min(least, time.process_time() - start)
        if not SHORT < least < 0.2:
            break
    return least


def fault_of(expression):
    """Return what is wrong with an Expression, or None."""
    sizes = (expression.bound,) if expression.bound else SIZES
    for same in texts(expression.pattern, expression.flags, sizes):
        for run in expression.run:
            before = SHORT / MOST
            for text in same:
                took = seconds(run, text)
                if expression.bound:
                    if took > SLOW:
                        return f"takes {took:.2f} s for {expression.bound} characters"
                elif took > MOST * max(before, SHORT / MOST):
                    return (
                        f"takes {took * 1000:.1f} ms for {len(text)} characters such as {text[:15]!r}..."
                        f"{text[-5:]!r}, and {before * 1000:.1f} ms for a quarter of it"
                    )
                before = took
    return None


def test_each_regular_expression_takes_time_in_proportion_to_its_text():
    methods, found, unknown = uses(), [], []
    for file, tree in parsed().items():
        if file.parent != OWN_TEXTS and any(
            getattr(node, "id", None) == "re" for node in ast.walk(tree)
        ):
            more, rest = expressions_of(file, tree, methods)
            found, unknown = found + more, unknown + rest
    assert not unknown, (
        f"write the expressions as texts, or hold the compiled ones in a table: {unknown}"
    )
    for file in sorted(paths.folder("schemas").glob("*.json")):
        found += [
            Expression(file.name, pattern)
            for pattern in schema_patterns(json.loads(file.read_text("utf-8")))
        ]
    slow = [f"{one.place}: {one.pattern!r} {fault}" for one in found if (fault := fault_of(one))]
    assert not slow, "\n".join(slow)
