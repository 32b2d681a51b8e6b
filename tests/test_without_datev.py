"""A subject that few need can be left out: without DATEV the service works, and the tests of the
others pass.
"""

import ast
import os
import shutil
import subprocess
import sys
from tempfile import TemporaryDirectory

import pytest

from tests.support.all_tests import only_in_all
from tests.support.processes import ROOT

# What DATEV is made of
PARTS = (
    "eventapi/domain/datev",
    "eventapi/resources/datev.py",
    "sql/datev.sql",
    "tests/domain/test_datev.py",
    "tests/resources/test_datev.py",
    "tests/resources/test_datev_kept.py",
)
# The lists that name it: file -> name of the list, and what is taken out of it
LISTS = {
    "eventapi/resources/__init__.py": ("CATALOGUE", ["resources.datev"]),
    "eventapi/domain/reports/catalogue.py": ("BOOKS", ["datev", "datev/debtors"]),
}
# Lines that name it
LINES = {
    "eventapi/domain/subjects.py": (
        "from eventapi.domain.datev.subject import DATEV\n",
        "    DATEV,\n",
    ),
    "eventapi/domain/upkeep/checks.py": ('    "datev": (5, ("datev",)),\n',),
    "tests/test_subjects.py": ('    "datev": "datev.comparing.check",\n',),
}
# Tests of others that compare with a written list which names DATEV
LISTS_OF_TESTS = (
    "tests/reference/test_operation_names.py::test_operations_have_the_names_of_version_1",
    "tests/reference/test_problem_codes.py::test_the_file_is_up_to_date",
    "tests/test_house.py::test_domain_packages_import_each_other_as_listed",
    "tests/test_house.py::test_every_error_is_documented_and_every_documented_error_exists",
)
# Tests of others that read its files
READERS = (
    "tests/domain/test_deposits.py::test_the_account_of_deposits_is_empty_once_all_of_them_are_settled",
    "tests/domain/test_taxes.py::test_the_tax_periods_of_all_files_add_up_to_the_report",
)
# Files that import its tests or its resource
IMPORTERS = ("tests/resources/test_claims.py", "tests/resources/test_reports.py")


def without(text, variable, names):
    """Return the source of a module without these elements, or keys, of a tuple or dict."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == variable:
            value = node.value
            keys = value.keys if isinstance(value, ast.Dict) else value.elts
            ends = value.values if isinstance(value, ast.Dict) else value.elts
            for key, end in reversed(list(zip(keys, ends, strict=True))):
                if key.value in names:
                    del lines[key.lineno - 1 : end.end_lineno]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the project without DATEV."""
    tree = tmp_path_factory.mktemp("copy") / "eventapi"
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if not name.startswith(PARTS):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for name, (variable, names) in LISTS.items():
        file = tree / name
        text = file.read_text(encoding="utf-8")
        shorter = without(text, variable, names)
        assert len(shorter) < len(text), name
        file.write_text(shorter, encoding="utf-8")
    for name, lines in LINES.items():
        file = tree / name
        text = file.read_text(encoding="utf-8")
        for line in lines:
            assert line in text, name
            text = text.replace(line, "")
        file.write_text(text, encoding="utf-8")
    return tree


def run(tree, *arguments, **environment):
    """Run Python in the copy. Fail with its output if it fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8_000:]
    return done.stdout


@pytest.mark.processes
@only_in_all
def test_the_sample_show_and_the_checks_need_no_datev(tree, tmp_path):
    for command in ("migrate", "demo", "check"):
        run(tree, "-m", "eventapi", command, EVENTAPI_DATA_DIR=str(tmp_path))


@pytest.mark.processes
@only_in_all
def test_the_tests_of_the_others_need_no_datev(tree):
    left_out = [f"--deselect={name}" for name in (*LISTS_OF_TESTS, *READERS)]
    left_out += [f"--ignore={name}" for name in IMPORTERS]
    chosen = ["-m", "not processes", "-k", "not datev", "--numprocesses", "auto"]
    with TemporaryDirectory() as place:  # a short path: that of a socket has at most 108 bytes
        run(tree, "-m", "pytest", *chosen, *left_out, f"--basetemp={place}/pytest", ALL_TESTS="")
