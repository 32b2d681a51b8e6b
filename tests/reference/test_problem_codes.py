"""eventapi/reference/problem_codes.json is up to date, and right for handlers that were checked by
hand.
"""

import json

import pytest

from eventapi.reference import problem_codes
from tests.support.problem_codes import COMMAND, FILE, generate

# handler -> codes, as a reader of the source finds them
READ = {
    "list_events": set(),
    "get_event": {"not_found"},
    "get_health": {"unhealthy"},
    "update_note": {"anonymized", "insufficient_scope", "not_found", "precondition_failed"},
    "get_participant_badge": {"not_found", "not_installed", "participant_cancelled"},
    "create_payment": {"anonymized", "duplicate", "invoice_not_payable", "period_closed"},
    "create_booth_reservation": {
        "anonymized",
        "booth_unavailable",
        "duplicate",
        "participant_cancelled",
        "validation_failed",
    },
    "submit_service_order": {
        "anonymized",
        "deadline_passed",
        "invalid_transition",
        "not_found",
        "out_of_stock",
        "participant_cancelled",
    },
}


def test_the_file_is_up_to_date():
    written, now = json.loads(FILE.read_text(encoding="utf-8")), json.loads(generate())
    changed = sorted(
        name for name in written.keys() | now.keys() if written.get(name) != now.get(name)
    )
    assert not changed, (
        f"the problem codes of {', '.join(changed)} have changed: run 'make reference' (or {COMMAND})"
    )


@pytest.mark.parametrize("handler", READ)
def test_the_codes_of_a_handler_are_those_in_its_source(handler):
    assert set(problem_codes.by_handler()[handler]) - {"validation_failed"} == READ[handler] - {
        "validation_failed"
    }
