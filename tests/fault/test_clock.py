"""The clock of the machine jumps back and forward while clients write records of all kinds."""

import time

import pytest

from tests.fault.faulty import Faults, needs_compiler
from tests.fault.ledger import Ledger, differences
from tests.fault.load import KINDS, OPTIONS, Load, Show
from tests.fault.test_rounds import is_sound
from tests.support import processes

pytestmark = [pytest.mark.processes, needs_compiler]

HOUR = 3600
# A check-out is refused while the clock says that it is before the check-in.
WRITTEN = [kind for kind in KINDS if kind != "scan"]
JUMPS = (-HOUR, HOUR, 0, -5 * HOUR, 3, -3, 0)  # seconds that the clock is ahead


def test_no_write_is_lost_or_refused_when_the_clock_jumps(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    show, faults, ledger = Show(data), Faults(tmp_path), Ledger()
    with processes.Server(
        data, "--workers", "2", "--with-worker", **OPTIONS, **faults.options
    ) as server:
        for ahead in JUMPS:
            load = Load(show, server.port, ledger=ledger, only=WRITTEN)
            time.sleep(0.3)
            faults.set(f"clock {ahead} 100 *")
            time.sleep(0.7)
            load.finish()
            assert load.faults == [], ahead
            assert differences(ledger, data) == [], ahead
            assert processes.get(f"{server.url}/healthz")[0] == 200
        # 503: a slow machine, or too many uploads at the same time
        assert set(ledger.statuses) <= {200, 201, 202, 204, 404, 409, 422, 503}, ledger.counts()
    print(ledger.counts())
    is_sound(show)
