"""What the soak measures: response times, and the memory, files and processor time of every
process.
"""

import os
import statistics
import threading
import time
from collections import defaultdict
from pathlib import Path

EVERY = 5  # seconds between two samples
PAGE, TICK = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


class Answers:
    """Response times and failures. `took`: (phase, activity) -> milliseconds; `failures`: lines."""

    def __init__(self):
        self.took, self.failures, self.many = defaultdict(list), [], 0

    def add(self, phase, activity, milliseconds):
        self.many += 1
        self.took[phase, activity].append(milliseconds)

    def fail(self, phase, activity, text):
        self.failures.append(f"{time.strftime('%H:%M:%S')} {phase}, {activity}: {text}")
        print(self.failures[-1], flush=True)


def quantiles(values):
    """Return the median, the 99 % quantile and the largest value; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return (
        statistics.median(ordered),
        ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))],
        ordered[-1],
    )


class Sampler(threading.Thread):
    """Samples every EVERY seconds.

    `samples`: (seconds since the start, WAL bytes, pid -> (name, bytes, files, processor seconds)).
    """

    def __init__(self, show):
        super().__init__(daemon=True)
        self.show = show
        self.samples = []
        self.over = threading.Event()
        self.began = time.monotonic()

    def run(self):
        while not self.over.wait(EVERY):
            sample = {
                pid: (name, *found)
                for pid, name in self.show.processes().items()
                if (found := usage(pid))
            }
            self.samples.append((time.monotonic() - self.began, self.show.wal, sample))

    def stop(self):
        self.over.set()
        self.join()

    def of_process(self):
        """Return (name, pid) -> [(seconds, bytes, files, processor seconds)] of each process."""
        found = defaultdict(list)
        for seconds, _, sample in self.samples:
            for pid, (name, *values) in sample.items():
                found[name, pid].append((seconds, *values))
        return found


def usage(pid):
    """Return (resident bytes, open files, processor seconds) of a process, None if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (
            int(fields[21]) * PAGE,
            len(os.listdir(f"/proc/{pid}/fd")),
            (int(fields[11]) + int(fields[12])) / TICK,
        )
    except (FileNotFoundError, ProcessLookupError):
        return None


def thirds(samples, column):
    """Return the values of a column in the second and in the last third of the samples."""
    many = len(samples) // 3
    return (
        [sample[column] for sample in samples[many : 2 * many]],
        [sample[column] for sample in samples[2 * many :]],
    )
