"""What somebody with the right to change settings tries with forged forms of the organiser's pages."""

import pytest

from eventapi.config.option import BANK, PAGES
from tests.domain.test_settings import IBAN, OTHER_IBAN, load


@pytest.fixture
def settings(tmp_path, template):
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path)


@pytest.fixture
def carla(desk, organiser):
    organiser.patch("/settings", {"organiser_iban": IBAN}, status=200)
    return desk(name="Carla Weiß")


def account(organiser):
    return organiser.data("/settings")["organiser_iban"]


@pytest.mark.parametrize("query", ["", "?from=start"])
@pytest.mark.parametrize(
    "fields",
    [
        {"organiser_iban": OTHER_IBAN},
        {"organiser_iban": [OTHER_IBAN, IBAN]},
        {"organiser_iban": ""},
        {"organiser_iban": OTHER_IBAN, "from": "start"},
        {"organiser_iban": OTHER_IBAN, "bank_accounts": IBAN, "tag": ""},
    ],
)
def test_another_account_is_asked_about_whatever_the_form_has_beside_it(
    carla, organiser, fields, query
):
    page = carla.get(f"/desk/company/bank{query}")
    answer = carla.submit(page, f"/desk/company/bank{query}", fields, 200)
    assert 'name="sure"' in answer.text
    assert account(organiser) == IBAN


@pytest.mark.parametrize("page", [page for page in PAGES if page != BANK])
def test_no_other_page_changes_the_account(carla, organiser, page):
    form = carla.get(f"/desk/company/{page}")
    carla.submit(form, f"/desk/company/{page}", {"organiser_iban": OTHER_IBAN, "sure": "1"}, "*")
    assert account(organiser) == IBAN
