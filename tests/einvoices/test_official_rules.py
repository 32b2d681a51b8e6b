"""Written documents pass the official checks of EN 16931, and other software reads the same amounts
in them.

`make einvoices` installs the checks into .einvoices and runs these tests. If the variable
EINVOICE_VALIDATOR names a program, all documents are also given to it as files; it must exit with
0.
"""

import io
import os
import re
import subprocess
from dataclasses import replace
from decimal import Decimal

import pytest

pytest.importorskip("saxonche", reason="`make einvoices` installs it")
pytest.importorskip("facturx", reason="`make einvoices` installs it")

from eventapi.domain.einvoices import cii, reading, received, rules, ubl
from eventapi.domain.einvoices.profiles import IDS
from tests.einvoices import official
from tests.support import einvoices
from tests.support.einvoice_mutations import REFUSED

SEEDS = range(100)
VALIDATOR = os.environ.get("EINVOICE_VALIDATOR")
# Rules that the official checks of the norm apply. Those of XRechnung and Peppol are not published
# as a package.
OF_THE_NORM = [rule for rule in REFUSED if not re.match("BR-DE-|PEPPOL", rule)]


@pytest.mark.parametrize("writer", [cii, ubl])
def test_random_documents_pass_schema_and_rules(writer):
    wrong = {
        seed: found
        for seed in SEEDS
        if (found := official.faults(writer.write(einvoices.document(seed))))
    }
    assert wrong == {}


@pytest.mark.parametrize("rule", OF_THE_NORM)
def test_what_our_rules_refuse_is_refused_by_the_official_ones(rule):
    document = replace(REFUSED[rule], profile=IDS["en16931"])
    # The rules for UBL let the base of a rate differ by less than 1.00.
    for writer in (cii,) if rule == "BR-S-08" else (cii, ubl):
        found = official.faults(writer.write(document))
        # Factur-X checks code lists by rules of its own.
        assert any(
            fault.startswith(f"{rule} ")
            or (rule.startswith("BR-CL-") and "is not allowed" in fault)
            for fault in found
        ), (writer, found)


def test_the_documents_are_of_every_kind():
    """The random documents prove nothing about a kind that none of them is of."""
    made = [einvoices.document(seed) for seed in SEEDS]
    assert {tax.category for document in made for tax in document.taxes} == {
        "S",
        "Z",
        "E",
        "AE",
        "K",
        "G",
        "O",
    }
    assert {document.type_code for document in made} == {"380", "381", "386"}
    for is_of_kind in (
        lambda d: len(d.preceding) > 1,
        lambda d: len(d.taxes) > 2,
        lambda d: d.allowances,
        lambda d: d.prepaid,
        lambda d: d.tax_currency,
        lambda d: d.service_from,
        lambda d: d.payable < 0,
        lambda d: any(line.quantity < 0 for line in d.lines),
        lambda d: any(line.discount_percent for line in d.lines),
    ):
        assert any(map(is_of_kind, made))


def test_other_software_reads_the_same_amounts():
    reader = pytest.importorskip("drafthorse.models.document")
    for seed in SEEDS:
        document = einvoices.document(seed)
        found = reader.Document.parse(cii.write(document))
        sums = found.trade.settlement.monetary_summation
        assert (str(found.header.id), str(found.header.type_code)) == (
            document.number,
            document.type_code,
        )
        assert (
            sums.line_total._value,
            sums.tax_basis_total._amount,
            sums.grand_total._amount,
            sums.due_amount._value,
        ) == (document.line_total, document.net_total, document.total, document.payable)
        assert [
            (str(tax.category_code), tax.basis_amount._value, tax.calculated_amount._value)
            for tax in found.trade.settlement.trade_tax.children
        ] == [(tax.category, tax.net, tax.tax) for tax in document.taxes]
        assert [
            line.settlement.monetary_summation.total_amount._value
            for line in found.trade.items.children
        ] == [line.net for line in document.lines]


@pytest.mark.skipif(not VALIDATOR, reason="EINVOICE_VALIDATOR names no program")
@pytest.mark.parametrize("profile", ["en16931", "xrechnung"])
def test_a_validator_of_the_environment_accepts_all_documents(profile, tmp_path):
    files = []
    for seed in SEEDS:
        for name, writer in (("cii", cii), ("ubl", ubl)):
            files.append(tmp_path / f"{profile}-{seed}-{name}.xml")
            files[-1].write_bytes(writer.write(einvoices.document(seed, profile)))
    done = subprocess.run([VALIDATOR, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_an_invoice_is_found_in_a_pdf_that_other_software_has_made(tmp_path):
    pypdf = pytest.importorskip("pypdf")
    document, page = einvoices.document(3), io.BytesIO()
    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(page)
    (tmp_path / "hybrid.pdf").write_bytes(
        official.facturx.generate_from_binary(
            page.getvalue(), cii.write(document), check_xsd=False, check_schematron=False
        )
    )
    with (tmp_path / "hybrid.pdf").open("rb") as file:
        content = received.embedded(file)
    assert reading.read(content) == document


@pytest.mark.parametrize("rate", ["0.01", "0.3", "0.49", "0.5", "0.51", "1.4"])
@pytest.mark.parametrize("tax", ["0.49", "0.50", "12.00"])
def test_low_rates_are_judged_as_by_the_official_rules(rate, tax):
    """They round the rate: VAT of 12.00 at 0.49 % is refused (BR-CO-17)."""
    rate, tax = Decimal(rate), Decimal(tax)
    net = (tax * 100 / rate).quantize(Decimal("0.01"))
    line = einvoices.Line(
        id="1",
        name="Stand",
        quantity=Decimal(1),
        unit="C62",
        price=net,
        net=net,
        category="S",
        rate=rate,
    )
    document = replace(
        einvoices.document(4),
        currency="EUR",
        lines=(line,),
        allowances=(),
        allowance_total=None,
        tax_currency=None,
        tax_total_in_tax_currency=None,
        prepaid=None,
        line_total=net,
        net_total=net,
        tax_total=tax,
        total=net + tax,
        payable=net + tax,
        taxes=(einvoices.Tax(category="S", rate=rate, net=net, tax=tax),),
    )
    ours = {fault.rule for fault in rules.check(document, "en16931") if not fault.is_warning}
    for writer in (cii, ubl):
        assert {fault.split()[0] for fault in official.faults(writer.write(document))} == ours
