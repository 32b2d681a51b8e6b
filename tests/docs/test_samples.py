"""Every sample of the documentation runs, and its output is as shown. docs/README.md explains how
to write one.
"""

import os
import shutil

import pytest

from tests.docs.markdown import PAGES, RUN, blocks, data_of, name_of
from tests.docs.samples import Process, check, compare, make_template, run_page, run_samples, serve

SAMPLES = [
    pytest.param(page, data, id=f"{name_of(page)}-{data}")
    for page in PAGES
    if any(block.runs for block in blocks(page))
    for data in data_of(page)
]


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    """Return a function: `empty` or `demo` -> a data directory with that data, made once."""
    folder, made = tmp_path_factory.mktemp("templates"), {}

    def template(data):
        made[data] = made.get(data) or make_template(folder / data, data)
        return made[data]

    return template


@pytest.fixture(scope="session")
def shared(templates, tmp_path_factory):
    """Return a data directory and its server, for pages that run one after the other on the same
    data.
    """
    data = tmp_path_factory.mktemp("shared") / "data"
    shutil.copytree(templates("empty"), data)
    with serve(data) as server:
        yield data, server


@pytest.mark.processes
@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="bash and curl are not installed"
)
@pytest.mark.parametrize("page, data", SAMPLES)
def test_every_sample_runs_and_its_output_is_as_shown(page, data, tmp_path, templates, request):
    if data == "shared":
        run_samples(page, tmp_path, *request.getfixturevalue("shared"))
    else:
        run_page(page, tmp_path, templates(data))


@pytest.mark.processes
@pytest.mark.parametrize(
    "page, message",
    [
        ("```sh\ntrue\n\nfalse | cat\n```", "line 4 failed"),
        (
            "```sh\nA=1\n```\n\n```sh\necho $A\n```\n\n```text\n2\n```",
            "the output is not as shown in line 10",
        ),
        ("<!-- status: 422 -->\n```sh\necho 1\n```", "curl did not receive status 422"),
        ("<!-- exit: 2 -->\n```sh\nexit 3\n```", "exit code 3 instead of 2"),
        ("```python\na = 1\n```\n```python\nprint(a)\nb\n```", "line 6, in <module>"),
        (
            '```python\nprint("{}")\n```\n```json\n{"id": "…"}\n```',
            "not as shown at /: there is no {'id'}",
        ),
    ],
)
def test_a_sample_that_fails_is_found(page, message, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "page.md").write_text(page)
    found = [block for block in blocks(tmp_path / "page.md") if block.runs]
    with Process(RUN[found[0].language], tmp_path, dict(os.environ)) as process:
        ends = [process.run(block) for block in found]
    with pytest.raises(AssertionError) as fault:
        check(found[-1], ends[-1])
    assert message in f"{fault.value} {ends[-1].err}"


@pytest.mark.parametrize(
    "expected, value, is_equal",
    [
        ({"id": 1, "at": "…"}, {"id": 1, "at": None}, True),
        ({"id": 1}, {"id": 1, "at": None}, False),
        ({"id": 1, "…": "…"}, {"id": 1, "at": None}, True),
        ({"id": 2, "…": "…"}, {"id": 1, "at": None}, False),
        ({"is_new": True}, {"is_new": 1}, False),
        ([1, "…"], [1, 2, 3], True),
        ([1, 2], [1, 2, 3], False),
        ("INV-…-00001", "INV-2026-00001", True),
        ("INV-…-00001", "INV-2026-00002", False),
        (119.0, 119, True),
    ],
)
def test_the_shown_json_is_compared_with_the_output(expected, value, is_equal):
    if is_equal:
        compare(expected, value)
    else:
        with pytest.raises(AssertionError, match="not as shown"):
            compare(expected, value)
