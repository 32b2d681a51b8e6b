"""Each code of a fault has a reason in schemathesis_hooks.py, so that no run meets a new one by
chance.
"""

import ast
import re

from tests.support.processes import ROOT

CODE = re.compile("[a-z_]+")


def test_each_code_of_a_fault_in_the_domain_has_a_reason():
    reasons = _reasons()
    found = {
        code: place
        for path in sorted((ROOT / "eventapi" / "domain").rglob("*.py"))
        for code, place in _codes(path)
    }
    assert len(found) > 60  # the search itself works
    assert {code: place for code, place in found.items() if code not in reasons} == {}


def _reasons():
    """Return the strings in the literal RULES, among them all of its codes.

    The module needs schemathesis to import.
    """
    tree = ast.parse((ROOT / "tests" / "fuzz" / "schemathesis_hooks.py").read_text())
    [rules] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "RULES"
    ]
    return {part.value for part in ast.walk(rules) if isinstance(part, ast.Constant)}


def _codes(path):
    """Yield (code, place) of each call of `faults.add(pointer, code, detail)` with a literal code."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "add"
            and len(node.args) >= 3
            and getattr(node.func.value, "id", "").endswith("faults")
            and isinstance(node.args[1], ast.Constant)
            and CODE.fullmatch(str(node.args[1].value))
        ):
            yield node.args[1].value, f"{path.relative_to(ROOT)}:{node.lineno}"
