"""The server of the races for invoices."""

import pytest

from tests.support import processes


@pytest.fixture
def server(tmp_path, settings):
    """Start a server with two processes that can send invoices: with the organiser's name, address
    and VAT id.
    """
    names = ("name", "street", "city", "vat_id")
    options = [f"organiser_{name} = {getattr(settings, f'organiser_{name}')}\n" for name in names]
    (tmp_path / "eventapi.conf").write_text("".join(["[eventapi]\n", *options]))
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running
