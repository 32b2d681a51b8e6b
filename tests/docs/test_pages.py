"""The pages of the documentation: links, the table of contents, and samples that no process runs."""
import configparser
import json
import re
import subprocess

import pytest

from eventapi import config
from tests.docs.markdown import PAGES, ROOT, RUN, anchors, blocks, links, name_of
from tests.support.nginx_site import NGINX

REFERENCE = "http://127.0.0.1:8080/docs"                    # the address of the reference with `make run`
CHECKED = {"json", "ini", "nginx", "text"}


def samples(language):
    """Return the blocks in this language of all pages that no process runs, for pytest."""
    found = ((page, block) for page in PAGES for block in blocks(page)
             if block.language == language and "not run" not in block.marks)
    return [pytest.param(block, id=f"{name_of(page)}-{block.line}") for page, block in found]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_and_anchor_exists(page, app):
    reference = set(re.findall(r'\bid="?([\w.-]+)', app.get("/docs").text))
    for link in links(page):
        path, _, anchor = link.partition("#")
        if path == REFERENCE:
            assert not anchor or anchor in reference, f"{name_of(page)}: {link} is not in the reference"
        elif "://" not in path and not path.startswith("mailto:"):
            target = (page.parent / path) if path else page
            assert target.exists(), f"{name_of(page)}: {link} does not exist"
            assert not anchor or anchor in anchors(target), f"{name_of(page)}: {link} names no heading"


def test_the_table_of_contents_lists_every_page():
    contents = ROOT / "docs" / "README.md"
    listed = {(contents.parent / link.partition("#")[0]).resolve() for link in links(contents) if "://" not in link}
    assert sorted(map(name_of, {*(ROOT / "docs").rglob("*.md")} - listed - {contents})) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_sample_is_run_checked_or_marked(page):
    for block in blocks(page):
        place = f"{name_of(page)}, line {block.line}"
        assert block.language, f"{place}: name the language of the block: sh, python, json, ini, nginx, text, …"
        assert (block.language in {*RUN, *CHECKED} or block.is_output or {"not run", "file"} & block.marks.keys()), \
            f"{place}: nothing runs this sample. Add a line above it: <!-- not run: REASON -->"
        assert block.marks.get("not run", "reason"), f"{place}: say why this block is not run"


@pytest.mark.parametrize("block", samples("json"))
def test_every_json_sample_is_json(block):
    json.loads(block.text)


@pytest.mark.parametrize("block", samples("ini"))
def test_every_configuration_sample_loads(block, tmp_path):
    """Options of eventapi.conf are loaded as the service does; units of systemd and other files are only parsed."""
    text = block.text if re.search(r"^\[", block.text, re.M) else f"[eventapi]\n{block.text}"
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    if parser.sections() == ["eventapi"]:
        (tmp_path / "eventapi.conf").write_text(text)
        config.load(tmp_path / "eventapi.conf", environ={})


@pytest.mark.processes
@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
@pytest.mark.parametrize("block", samples("nginx"))
def test_every_sample_of_nginx_is_accepted(block, tmp_path):
    text = block.text if re.search(r"^(server|upstream|map)\b", block.text, re.M) else f"server {{ {block.text} }}"
    (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid; events {{}} http {{ access_log off; {text} }}")
    done = subprocess.run([NGINX, "-t", "-e", f"{tmp_path}/log", "-c", f"{tmp_path}/nginx.conf"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
