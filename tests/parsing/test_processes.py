"""The process that parses an upload: what it returns, and what its failures cost."""

import gc
import io
import os
import threading
import zlib

import pytest

from eventapi.domain.bank import archives, parsed
from eventapi.domain.einvoices import cii
from eventapi.parsing import processes
from tests.support import camt
from tests.support.einvoice_mutations import taxed
from tests.support.processes import children

pytestmark = pytest.mark.processes
PARSER = "tests.parsing.parsers:parse"
XML = {"Content-Type": "application/xml"}
BINARY = {"Content-Type": "application/octet-stream"}


def held():
    """Return the child processes of this process, which other tests may have left, and its open
    descriptors.
    """
    return children(os.getpid()), os.listdir("/proc/self/fd")


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a parser, and afterwards check that no process and no descriptor
    is left.
    """

    def run(argument, seconds=2, parser=PARSER):
        with (tmp_path / "file").open("rb") as file:
            return list(processes.run(parser, argument, file, tmp_path, seconds))

    (tmp_path / "file").write_bytes(b"0123456789abcdef")
    gc.collect()  # otherwise what another test has left could close its descriptors meanwhile
    before = held()
    yield run
    assert held() == before


def test_a_parser_reads_the_file_and_its_values_are_returned(run):
    assert run(None) == ["0123456789"]


def test_the_error_of_a_parser_is_raised(run):
    with pytest.raises(ValueError, match=r"^The file is wrong\.$"):
        run("wrong")


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("memory", "needs more than 256 MB of memory"),
        ("much memory in small pieces", "needs more than 256 MB of memory"),
        ("cpu", "takes more than 2 seconds"),
        ("hang", "takes more than 2 seconds"),
        ("killed", "takes more than 2 seconds"),
        ("exit", "ended unexpectedly"),
        ("garbage", "ended unexpectedly"),
        ("other JSON", "ended unexpectedly"),
        ("garbage without end", "ended unexpectedly"),
        ("closed and hang", "ended unexpectedly"),
        ("fault", "ended unexpectedly"),
    ],
)
def test_a_parser_that_does_not_finish_is_stopped(run, argument, reason, caplog):
    with pytest.raises(processes.Stopped) as caught:
        run(argument)
    assert str(caught.value) == reason
    assert ("a fault of the parser" in caplog.text) == (argument == "fault")


def test_a_large_file_may_be_mapped(run, tmp_path):
    with (tmp_path / "file").open("r+b") as file:
        file.truncate(1 << 30)
    assert len(run("mapped files do not count")) == 1


def test_a_parser_inherits_the_file_the_output_and_its_turn_only(run, tmp_path, monkeypatch):
    monkeypatch.setenv("EVENTAPI_CONFIG", "/etc/eventapi/eventapi.conf")
    _, descriptors = run("descriptors")
    assert [place for place in descriptors if not place.startswith("pipe:")] == [
        "/dev/null",
        str(tmp_path / "eventapi.parser-0.lock"),
        str(tmp_path / "file"),
    ]
    _, environment = run("environment")
    assert environment.keys() <= {"TMPDIR", "LC_CTYPE"}


def test_two_parsers_run_at_a_time_and_others_wait_for_a_turn(run, monkeypatch):
    monkeypatch.setattr(processes, "WAIT", 0.2)
    outcomes = []

    def attempt():
        try:
            run("hang", seconds=1)
        except (processes.Stopped, processes.Busy) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=attempt) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.__name__ for outcome in outcomes) == ["Busy", "Stopped", "Stopped"]
    assert run(None) == ["0123456789"]


# Requests


def hostile(content):
    return (
        b"%PDF-1.7\n1 0 obj\n<< /Type /EmbeddedFile /Filter /FlateDecode >>\nstream\r\n"
        + zlib.compress(content)
    )


@pytest.fixture
def document(organiser):
    contact = organiser.make("/contacts", {"company_name": "Messebau AG"})
    return organiser.make(
        "/documents", {"entity_type": "contact", "entity_id": contact["id"], "filename": "a.pdf"}
    )


def upload(organiser, document, data):
    return organiser.put(
        f"/documents/{document['id']}/content", raw=data, status=200, headers=BINARY
    ).json


@pytest.fixture
def stopping(monkeypatch):
    """Return a function that makes every parser behave in this way."""
    original = processes.run

    def stop(argument):
        monkeypatch.setattr(
            processes,
            "run",
            lambda parser, _, file, folder, seconds: original(PARSER, argument, file, folder, 1),
        )

    return stop


def test_an_e_invoice_is_recognised(organiser, document):
    found = upload(organiser, document, cii.write(taxed(number="R-1")))
    warnings = [warning["code"] for warning in found["meta"]["warnings"]]
    assert (found["data"]["e_invoice"]["number"], warnings) == ("R-1", ["own_invoice"])


@pytest.mark.parametrize("argument", ["memory", "cpu", "hang", "garbage", "killed", "wrong", None])
def test_a_document_whose_recognition_is_stopped_is_stored(organiser, document, stopping, argument):
    stopping(argument)
    found = upload(organiser, document, hostile(b"x"))
    (warning,) = found["meta"]["warnings"]
    assert warning["code"] == "recognition_stopped" and warning["detail"].startswith(
        "The file is stored"
    )
    assert found["data"]["e_invoice"] is None and found["data"]["size"] == len(hostile(b"x"))


def test_what_is_known_of_a_file_stays_if_its_recognition_is_stopped(organiser, document, stopping):
    content = cii.write(taxed(number="R-1"))
    known = upload(organiser, document, content)["data"]
    stopping("cpu")
    again = upload(organiser, document, content)
    assert again["meta"]["warnings"] and again["data"] == known


def test_a_file_that_cannot_contain_an_e_invoice_starts_no_process(
    organiser, document, monkeypatch
):
    monkeypatch.setattr(processes, "run", None)
    for content in (
        b"plain",
        b"%PDF-1.7\n" + bytes(3_000_000) + b"/EmbeddedFiles",
        b"<html></html>",
        b"PK\x03\x04",
    ):
        assert upload(organiser, document, content)["data"]["e_invoice"] is None


def test_a_mark_across_two_pieces_is_found(organiser, document):
    body = hostile(cii.write(taxed(number="R-2")))
    for size in range((1 << 20) - 40, (1 << 20) + 40, 20):
        data = b"%PDF-1.7\n" + bytes(size) + body
        assert upload(organiser, document, data)["data"]["e_invoice"]["number"] == "R-2", size
        document = organiser.make(
            "/documents",
            {name: document[name] for name in ("entity_type", "entity_id", "filename")},
        )


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("memory", "needs more than 256 MB of memory"),
        ("cpu", "takes more than 1 seconds"),
        ("hang", "takes more than 1 seconds"),
        ("garbage", "ended unexpectedly"),
        (None, "ended unexpectedly"),
    ],
)
def test_a_statement_that_exceeds_a_limit_is_refused(organiser, stopping, argument, reason):
    stopping(argument)
    refused = organiser.post("/payments/import", raw=b"<a/>", status=422, headers=XML).json
    assert refused["code"] == "validation_failed" and reason in refused["errors"][0]["detail"]


def test_uploads_that_find_no_turn_are_answered(organiser, document, settings, monkeypatch):
    monkeypatch.setattr(processes, "WAIT", 0.1)
    with processes._turn(settings.data_dir), processes._turn(settings.data_dir):
        refused = organiser.post("/payments/import", raw=b"<a/>", status=503, headers=XML)
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("unavailable", "5")
        refused = organiser.put(
            f"/documents/{document['id']}/content", raw=cii.write(taxed(number="R-1")), status=503
        )
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("unavailable", "5")
    assert (
        upload(organiser, document, cii.write(taxed(number="R-1")))["data"]["e_invoice"]["number"]
        == "R-1"
    )


def test_statements_are_the_same_as_in_one_process(tmp_path):
    part = {
        "amount": 100,
        "day": "2025-03-04",
        "party": "A",
        "text": ["für 😀", "2"],
        "rf": "RF18539007547034",
    }
    entries = [
        {**part, "iban": "DE89370400440532013000", "bank_reference": f"R{number}"}
        for number in range(50)
    ]
    entries += [
        {**part, "amount": -100, "reason": "AC01", "is_reversal": True},
        {**part, "status": "PDNG"},
        {"amount": 200, "day": "2025-03-05", "parts": [part, part], "sent": "CHF 1.10"},
    ]
    content = camt.document(
        [camt.statement("DE02120300000000202051", entries), camt.statement("1234", [])]
    )
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file:
        found = parsed.read(file, None, tmp_path)
    assert found == list(archives.read(io.BytesIO(content))) and len(found[0].entries) == 53
