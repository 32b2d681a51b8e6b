"""The rules of e-invoices: sound documents have no fault, and each faulty one is refused by the
rule that it breaks.
"""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from eventapi.domain.einvoices import cii, reading, rules, ubl
from eventapi.domain.einvoices.model import Allowance
from eventapi.domain.einvoices.rules import codes, sums
from tests.support import einvoices
from tests.support.einvoice_mutations import (
    IMPOSSIBLE,
    REFUSED,
    WARNED,
    sound,
    taxed,
    with_buyer,
    with_line,
    with_seller,
    with_tax,
)

D = Decimal
# The rules of the published set of faulty invoices
PUBLISHED = """
    6.1.7.1-2 6.2.11.4.1-1 6.2.4.3-4 6.6.2.1-1 6.6.2.3.1-1 AF AFRelationship BR-02 BR-21 BR-27 BR-55 BR-AE-02 BR-AE-10
    BR-CL-01 BR-CL-04 BR-CL-14 BR-CL-16 BR-CL-22 BR-CL-23 BR-CL-25 BR-CO-04 BR-CO-10 BR-CO-13 BR-CO-14 BR-CO-15 BR-CO-16
    BR-CO-17 BR-CO-18 BR-CO-26 BR-DE-1 BR-DE-15 BR-DE-18 BR-DE-2 BR-DE-23-a BR-DE-4 BR-DE-5 BR-DE-6 BR-DE-7 BR-DE-9
    BR-DEC-23 BR-E-10 BR-G-10 BR-O-02 BR-O-05 BR-O-11 BR-S-02 BR-S-08 BR-Z-09 EMBEDDED PAGES PEPPOL-EN16931-R001
    PEPPOL-EN16931-R008 PEPPOL-EN16931-R010 PEPPOL-EN16931-R020 PEPPOL-EN16931-R040 PEPPOL-EN16931-R041
    PEPPOL-EN16931-R130 XMP XSD giro""".split()


def refusals(document, profile="xrechnung"):
    return {fault.rule for fault in rules.check(document, profile) if not fault.is_warning}


@pytest.mark.parametrize("profile", ["en16931", "xrechnung", "peppol"])
def test_a_sound_document_has_no_fault(profile):
    for seed in range(300):
        assert rules.check(einvoices.document(seed, profile), profile) == [], seed


def test_each_published_rule_is_refused_or_cannot_be_produced():
    assert sorted([*REFUSED, *IMPOSSIBLE]) == sorted(PUBLISHED)
    assert all(reason.startswith("cannot be produced: ") for reason in IMPOSSIBLE.values())


@pytest.mark.parametrize("rule", REFUSED)
def test_a_faulty_document_is_refused(rule):
    assert rule in refusals(REFUSED[rule])
    for writer in (cii, ubl):
        assert rule in refusals(reading.read(writer.write(REFUSED[rule]))), writer


@pytest.mark.parametrize("rule", WARNED)
def test_a_doubtful_document_earns_a_warning(rule):
    for document in (
        WARNED[rule],
        reading.read(cii.write(WARNED[rule])),
        reading.read(ubl.write(WARNED[rule])),
    ):
        found = rules.check(document, "xrechnung")
        assert [(fault.rule, fault.is_warning) for fault in found] == [(rule, True)]


def test_an_empty_element_of_a_supplier_is_a_fault():
    content = cii.write(taxed()).replace(b"<ram:ID>C-00042</ram:ID>", b"<ram:ID></ram:ID>")
    assert refusals(reading.read(content)) == {"PEPPOL-EN16931-R008"}


ALLOWANCE = Allowance(amount=D(10), category="S", rate=D(19), reason="Rabatt")
# Rule -> (profile, document) for rules that the published set does not contain
OTHERS = {
    "BR-01": taxed(profile=None),
    "BR-03": taxed(issue_date=None),
    "BR-04": taxed(type_code=None),
    "BR-05": taxed(currency=None),
    "BR-06": with_seller(taxed(), name=None),
    "BR-07": with_buyer(taxed(), name=None),
    "BR-08": with_seller(
        taxed(), street=None, street_2=None, city=None, postal_code=None, country=None
    ),
    "BR-09": with_seller(taxed(), country=None),
    "BR-11": with_buyer(taxed(), country=None),
    "BR-12": taxed(line_total=None),
    "BR-13": taxed(net_total=None),
    "BR-14": taxed(total=None),
    "BR-15": taxed(payable=None),
    "BR-16": taxed(lines=()),
    "BR-22": with_line(taxed(), quantity=None),
    "BR-23": with_line(taxed(), unit=None),
    "BR-24": with_line(taxed(), net=None),
    "BR-25": with_line(taxed(), name=None),
    "BR-26": with_line(taxed(), price=None),
    "BR-29": taxed(service_from="2027-04-18", service_to="2027-04-16"),
    "BR-30": with_line(taxed(), service_from="2027-04-18", service_to="2027-04-16"),
    "BR-31": taxed(allowances=(replace(ALLOWANCE, amount=None),)),
    "BR-32": taxed(allowances=(replace(ALLOWANCE, category=None),)),
    "BR-33": taxed(allowances=(replace(ALLOWANCE, reason=None),)),
    "BR-36": taxed(charges=(replace(ALLOWANCE, amount=None),)),
    "BR-37": taxed(charges=(replace(ALLOWANCE, category=None),)),
    "BR-38": taxed(charges=(replace(ALLOWANCE, reason=None),)),
    "BR-42": with_line(taxed(), discount_reason=None),
    "BR-45": with_tax(taxed(), net=None),
    "BR-46": with_tax(taxed(), tax=None),
    "BR-47": with_tax(taxed(), category=None),
    "BR-48": with_tax(taxed(), rate=None),
    "BR-49": taxed(means_code=None),
    "BR-61": taxed(iban=None),
    "BR-53": taxed(tax_currency="CHF"),
    "BR-57": taxed(deliver_to_city="Leipzig"),
    "BR-62": with_seller(taxed(), address_scheme=None),
    "BR-63": with_buyer(taxed(), address_scheme=None),
    "BR-CO-09": with_seller(taxed(), vat_id="136695976"),
    "BR-CO-11": taxed(allowances=(ALLOWANCE,)),
    "BR-CO-12": taxed(charges=(ALLOWANCE,)),
    "BR-CL-05": taxed(tax_currency="EUX"),
    "BR-CL-10": with_buyer(taxed(), id_scheme="9999"),
    "BR-CL-17": with_tax(taxed(), category="X"),
    "BR-CL-18": with_line(taxed(), category="X"),
    "BR-DEC-14": taxed(total=D("203.4000001")),
    "BR-S-01": with_tax(sound(("S", 19)), category="Z"),
    "BR-Z-01": with_tax(sound(("S", 19)), category="Z"),
    "BR-S-05": with_line(taxed(), rate=D(0)),
    "BR-S-06": taxed(allowances=(replace(ALLOWANCE, rate=D(0)),)),
    "BR-S-10": with_tax(taxed(), reason="x"),
    "BR-Z-05": with_line(sound(("Z", 0)), rate=D(19)),
    "BR-E-08": with_tax(sound(("E", 0)), net=D("90.01")),
    "BR-AE-05": with_line(sound(("AE", 0)), rate=None),
    "BR-G-02": with_seller(sound(("G", 0)), vat_id=None),
    "BR-IC-02": with_buyer(sound(("K", 0)), vat_id=None),
    "BR-IC-11": replace(sound(("K", 0)), service_date=None),
    "BR-IC-12": replace(sound(("K", 0)), deliver_to_country=None),
    "BR-O-12": sound(("O", None), ("Z", 0)),
    "BR-O-13": replace(sound(("O", None)), allowances=(ALLOWANCE,)),
    "BR-DE-3": with_seller(taxed(), city=None),
    "BR-DE-8": with_buyer(taxed(), city=None),
    "BR-DE-10": replace(sound(("K", 0)), deliver_to_city=None),
    "BR-DE-14": with_tax(sound(("O", None)), rate=None),
    "BR-DE-11": replace(sound(("K", 0)), deliver_to_postal_code=None),
    "BR-DE-24-a": taxed(means_code="48", iban=None),
    "BR-DE-24-b": taxed(means_code="48", card_number="1234"),
    "BR-DE-25-a": taxed(means_code="59", iban=None),
    "BR-DE-23-b": taxed(card_number="1234"),
    "BR-DE-25-b": taxed(means_code="59", mandate="M-1"),
    "BR-DE-30": taxed(means_code="59", debited_iban="DE02120300000000202051"),
    "BR-DE-31": taxed(means_code="59", creditor_id="DE98ZZZ09999999999"),
    "PEPPOL-EN16931-R005": taxed(tax_currency="EUR", tax_total_in_tax_currency=D(1)),
    "PEPPOL-EN16931-R042": with_line(taxed(), discount_percent=None),
    "PEPPOL-EN16931-R054": taxed(tax_currency="CHF"),
    "PEPPOL-EN16931-R055": taxed(tax_currency="CHF", tax_total_in_tax_currency=D(-1)),
    "PEPPOL-EN16931-R061": taxed(means_code="59"),
    "PEPPOL-EN16931-R110": with_line(taxed(service_from="2027-04-16"), service_from="2027-04-15"),
    "PEPPOL-EN16931-R111": with_line(taxed(service_to="2027-04-16"), service_to="2027-04-17"),
    "PEPPOL-EN16931-R121": with_line(taxed(), price_quantity=D(0)),
}
PEPPOL = einvoices.document(2, "peppol")
ONLY_PEPPOL = {
    "PEPPOL-EN16931-R002": with_buyer(replace(PEPPOL, notes=("a", "b")), country="FR"),
    "PEPPOL-EN16931-R003": replace(PEPPOL, buyer_reference=None, order_reference=None),
    "PEPPOL-EN16931-R004": taxed(),
    "PEPPOL-EN16931-R007": replace(PEPPOL, process="billing"),
    "PEPPOL-COMMON-R040": with_buyer(PEPPOL, address="4012345000001", address_scheme="0088"),
    "PEPPOL-EN16931-P0107": with_tax(sound(("G", 0)), reason_code="VATEX-EU-AE"),
    "DE-R-015": with_buyer(
        replace(PEPPOL, buyer_reference=None, order_reference="PO-17"), country="DE"
    ),
    "DE-R-023-1": with_buyer(replace(PEPPOL, means_code="58", iban=None), country="DE"),
}


@pytest.mark.parametrize("rule", OTHERS)
def test_other_rules_of_the_norm_and_of_xrechnung_are_known(rule):
    assert rule in refusals(OTHERS[rule])


@pytest.mark.parametrize("rule", ONLY_PEPPOL)
def test_rules_of_peppol_are_known(rule):
    assert rule in refusals(ONLY_PEPPOL[rule], "peppol")


# PEPPOL-EN16931-CL008, the list of Peppol's rules of November 2026
PEPPOL_SCHEMES = """
    0002 0007 0009 0060 0088 0096 0097 0106 0130 0135 0142 0151 0158 0183 0184 0188 0190 0191 0192 0195 0196 0198 0199
    0200 0201 0204 0208 0209 0210 0211 0216 0218 0221 0225 0230 0235 0240 0242 0244 0245 0246 0248 9910 9913 9914 9915
    9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941
    9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959""".split()


@pytest.mark.parametrize(
    ("change", "term", "who"), [(with_seller, "BT-34", "seller"), (with_buyer, "BT-49", "buyer")]
)
def test_peppol_delivers_to_the_schemes_of_its_own_list_alone(change, term, who):
    every = {*codes.ADDRESS_SCHEMES, *PEPPOL_SCHEMES, "9999"}
    found = {
        scheme: [
            fault
            for fault in rules.check(change(PEPPOL, address="1", address_scheme=scheme), "peppol")
            if fault.rule == "PEPPOL-EN16931-CL008"
        ]
        for scheme in every
    }
    assert {scheme for scheme, faults in found.items() if not faults} == set(PEPPOL_SCHEMES)
    (fault,) = found["EM"]
    assert (
        (fault.term, fault.is_warning) == (term, False)
        and who in fault.detail
        and "'EM'" in fault.detail
    )
    assert "EM" not in found["EM"][0].detail.partition("Use ")[2]
    mail = change(taxed(), address="a@b.example", address_scheme="EM")
    assert rules.check(mail, "xrechnung") == rules.check(mail, "en16931") == []


# Numbers that the registers publish: scheme -> (rule, right numbers).
REGISTERED = {
    "0208": ("R043", ["0428759497", "0202239951", "0403170701"]),
    "0192": ("R041", ["995525828", "974760673"]),
    "0007": ("R049", ["5560360793", "2021005448"]),
    "0151": ("R050", ["51824753556", "53004085616"]),
    "0088": ("R040", ["4012345000009", "7300010000001"]),
    "0184": ("R042", ["DK13585628", "13585628"]),
    "0198": ("R053", ["DK13585628"]),
    "0096": ("R052", ["1234567890"]),
    "0106": ("R054", ["27361997"]),
    "0190": ("R055", ["00000001003214345000"]),
    "9944": ("R056-1", ["NL004495445B01"]),
}
WITH_CHECK_DIGITS = ("0208", "0192", "0007", "0151", "0088")


def wrong_numbers(scheme, number):
    """Return texts that resemble a number, but are none."""
    places = range(len(number)) if scheme in WITH_CHECK_DIGITS else ()
    changed = [
        number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
        for place in places
    ]
    return [
        *changed,
        number[1:],
        number + "0",
        number[:-1] + "X",
        number[:-1] + "\u0660",
        number + " ",
    ]


@pytest.mark.parametrize("scheme", REGISTERED)
@pytest.mark.parametrize(
    ("change", "name", "term"),
    [
        (with_seller, "address", "BT-34"),
        (with_buyer, "address", "BT-49"),
        (with_seller, "id", "BT-29"),
        (with_buyer, "id", "BT-46"),
    ],
)
def test_peppol_checks_the_numbers_of_registers(scheme, change, name, term):
    """PEPPOL-COMMON-R040 to R057."""

    def found(number):
        document = change(PEPPOL, **{name: number, f"{name}_scheme": scheme})
        return [
            (fault.rule, fault.term)
            for fault in rules.check(document, "peppol")
            if "-COMMON-" in fault.rule
        ]

    rule, numbers = REGISTERED[scheme]
    for number in numbers:
        assert found(number) == []
        for wrong in wrong_numbers(scheme, number):
            assert found(wrong) == [(f"PEPPOL-COMMON-{rule}", term)], wrong


@pytest.mark.parametrize("rule", [*REFUSED, *WARNED, *OTHERS])
def test_a_fault_names_the_term_and_the_remedy(rule):
    document = {**REFUSED, **WARNED, **OTHERS}[rule]
    for fault in rules.check(document, "xrechnung"):
        assert re.fullmatch(r"B[TG]-\d+", fault.term)
        assert re.fullmatch(r"[A-Z].*\.", fault.detail, re.DOTALL) and ". " in fault.detail, fault
        assert "None" not in fault.detail, fault


def test_a_detail_names_the_line_the_value_and_the_remedy():
    found = rules.check(REFUSED["BR-CL-23"], "en16931")
    assert found == [
        (
            "BR-CL-23",
            "BT-130",
            "Line 1 (Stand): the unit (BT-130) is 'm2', which its code list does not "
            "contain. Use a code of UN/ECE Recommendation 20, such as C62 for a piece.",
            False,
        )
    ]


def test_rules_of_one_country_do_not_concern_the_norm():
    assert (
        refusals(with_seller(taxed(buyer_reference=None), contact_phone=None), "en16931") == set()
    )
    abroad = with_buyer(
        replace(PEPPOL, buyer_reference=None, order_reference="PO-17"), country="FR"
    )
    assert refusals(abroad, "peppol") == set()


def test_amounts_of_any_length_are_compared_exactly():
    large = D("9" * 20)
    document = with_line(taxed(), quantity=large, price=large, net=D(1))
    assert "BR-CO-10" in refusals(document)


@pytest.mark.parametrize(
    ("profile", "means", "rules_"),
    [
        ("en16931", "58", ["IBAN"]),
        ("en16931", "30", ["IBAN"]),
        ("xrechnung", "58", ["BR-DE-19"]),
        ("xrechnung", "30", ["IBAN"]),
    ],
)
def test_check_digits_of_an_iban_are_checked_in_every_profile(profile, means, rules_):
    document = taxed(iban="DE03 1203 0000 0000 2020 51", means_code=means)
    assert [(fault.rule, fault.is_warning) for fault in rules.check(document, profile)] == [
        (rule, True) for rule in rules_
    ]
    for right in ("DE02 1203 0000 0000 2020 51", "12345678"):
        assert means == "58" or rules.check(taxed(iban=right, means_code=means), profile) == []


def test_faults_that_the_official_rules_let_pass():
    """A rate that does not belong to the category, and a VAT total in a currency that is not named."""
    assert refusals(with_tax(sound(("E", 0)), rate=D("0.01")), "en16931") == {"SUM"}
    assert refusals(taxed(tax_total_in_tax_currency=D(1)), "en16931") == {"BR-53"}


def rounded_to(currency):
    """Return an invoice over Peppol whose line of 1.5 * 333 is rounded to 500.00, as in currencies
    without decimals.
    """
    line = replace(
        PEPPOL.lines[0],
        quantity=D("1.5"),
        price=D(333),
        net=D(500),
        discount=None,
        discount_base=None,
        discount_percent=None,
        discount_reason=None,
        charge=None,
        category="Z",
        rate=D(0),
    )
    tax = replace(
        PEPPOL.taxes[0],
        category="Z",
        rate=D(0),
        net=D(500),
        tax=D(0),
        reason=None,
        reason_code=None,
    )
    totals = dict.fromkeys(("line_total", "net_total", "total", "payable"), D(500))
    return replace(
        PEPPOL,
        currency=currency,
        tax_currency=None,
        tax_total_in_tax_currency=None,
        lines=(line,),
        taxes=(tax,),
        allowances=(),
        allowance_total=None,
        charges=(),
        charge_total=None,
        prepaid=None,
        tax_total=D(0),
        **totals,
    )


@pytest.mark.parametrize(
    ("currency", "profile", "expected"),
    [
        ("EUR", "peppol", [("PEPPOL-EN16931-R120", False)]),
        ("JPY", "peppol", [("PEPPOL-EN16931-R120", False)]),
        ("EUR", "xrechnung", [("PEPPOL-EN16931-R120", True)]),
        ("JPY", "xrechnung", []),
        ("EUR", "en16931", [("SUM", True)]),
        ("JPY", "en16931", []),
        ("HUF", "xrechnung", []),
        ("HUF", "peppol", [("PEPPOL-EN16931-R120", False)]),
    ],
)
def test_peppol_refuses_a_line_that_is_rounded_to_whole_units(currency, profile, expected):
    """PEPPOL-EN16931-R120 is fatal and knows no currencies without decimals; in XRechnung it is a
    warning.
    """
    found = [(fault.rule, fault.is_warning) for fault in sums.faults(rounded_to(currency), profile)]
    assert found == expected


@pytest.mark.parametrize(
    "currency, rate, tax, expected",
    [
        ("EUR", "0.49", "0.49", set()),
        ("EUR", "0.4", "10.00", {"BR-CO-17"}),
        ("EUR", "0.5", "10.00", set()),
        ("EUR", "19", "10.00", set()),
        ("HUF", "19", "84.42", set()),
        ("JPY", "19", "84", set()),
    ],
)
def test_the_norm_refuses_the_tax_of_a_rate_that_it_rounds_to_0(currency, rate, tax, expected):
    net = (D(tax) * 100 / D(rate)).quantize(D("0.01"))
    found = list(
        sums._tax(replace(sound(("S", 19)).taxes[0], rate=D(rate), net=net, tax=D(tax)), currency)
    )
    assert {fault.rule for fault in found} == expected
    assert all(fault.term == "BT-119" and f"{rate} %" in fault.detail for fault in found)


def test_an_unknown_profile_is_an_error():
    with pytest.raises(ValueError, match="must be en16931, xrechnung or peppol"):
        rules.check(taxed(), "basic")
