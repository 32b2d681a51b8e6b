"""Samples of the documentation that no shell runs: JSON and configuration."""

import configparser
import json
import re

import pytest

from eventapi import config
from tests.docs.markdown import PAGES, blocks, name_of


def samples(language):
    """Return the blocks in this language of all pages that no process runs, for pytest."""
    found = (
        (page, block)
        for page in PAGES
        for block in blocks(page)
        if block.language == language and "not run" not in block.marks
    )
    return [pytest.param(block, id=f"{name_of(page)}-{block.line}") for page, block in found]


@pytest.mark.parametrize("block", samples("json"))
def test_every_json_sample_is_json(block):
    json.loads(block.text)


@pytest.mark.parametrize("block", samples("ini"))
def test_every_configuration_sample_loads(block, tmp_path):
    """Options of eventapi.conf are loaded as the service does; units of systemd and other files are
    only parsed.
    """
    text = block.text if re.search(r"^\[", block.text, re.M) else f"[eventapi]\n{block.text}"
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    if parser.sections() == ["eventapi"]:
        (tmp_path / "eventapi.conf").write_text(text)
        config.load(tmp_path / "eventapi.conf", environ={})
