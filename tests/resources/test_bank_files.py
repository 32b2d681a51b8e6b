"""Files as banks write them, imported by a request. The cases are invented, their form is not."""

from pathlib import Path

import pytest

ACCOUNT = "DE02120300000000202051"
DATA = Path(__file__).parents[1] / "domain" / "bank" / "data"


@pytest.fixture
def read(organiser):
    """Return a function that imports a file, and returns (rows of the work list, response)."""

    def imported(data, form="text/csv", status=201, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        data = (DATA / data).read_bytes() if isinstance(data, str) else data
        response = organiser(
            "POST", f"/payments/import?{text}", raw=data, headers={"Content-Type": form}
        )
        assert response.status_int == status, response.text[:800]
        rows = organiser.data("/payments/unmatched?sort=booked_on&per_page=100")
        names = ("booked_on", "amount", "party", "text", "currency")
        return [tuple(row[name] for name in names) for row in rows], response.json

    return imported


def test_the_balance_below_the_rows_of_comdirect_is_no_row(read):
    rows, response = read("comdirect.csv", account=ACCOUNT)
    assert rows == [("2026-11-20", 119, "Farn GmbH", "Rechnung 4711", "EUR")]
    assert response["data"]["imported"] == 1


def test_a_report_in_camt_052_is_imported(read):
    rows, response = read("camt052.xml", "application/xml")
    assert rows == [("2026-11-20", 119, "Farn GmbH", "Rechnung 4711", "EUR")]
    assert (response["data"]["imported"], response["meta"].get("warnings")) == (1, None)
    (statement,) = response["data"]["statements"]
    assert (statement["opening_balance"], statement["closing_balance"]) == (1000, 1119)


def test_a_report_without_balances_is_imported_with_a_warning(read):
    data = (DATA / "camt052.xml").read_bytes().replace(b"CLBD", b"ITBD")
    rows, response = read(data, "application/xml")
    assert len(rows) == 1
    (warning,) = response["meta"]["warnings"]
    assert warning["code"] == "balance_unproven"
    assert f"no opening and closing balance of the account {ACCOUNT}," in warning["detail"]
