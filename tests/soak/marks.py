"""The marks of the soak: prints what was measured, and names each mark that is missed."""

import time

from tests.soak.gauges import quantiles, thirds
from tests.soak.ledger import differences, lag

READS = ("read_record", "read_list")
P99_TIMES = 10  # the 99 % quantile of reads is below so many times their median: in the whole day,
ENOUGH = 1_000  # and in each phase with at least so many reads
# bytes: journal_size_limit, and as much again while a backup or an import runs
WAL_BOUND = 128 * 2**20
GROWTH, ROOM = 1.10, 8 * 2**20  # of memory, from the second third of the day to the last
MORE_FILES = 16  # of a process in the last third than in the second
# Longest accepted seconds of the 99 % quantile, from the response to the arrival. `all` also
# carries the imports.
LAGS = {"mail": 60, "/money": 20, "/all": 120}


def judge(show, day, sampler, patience):
    """Print the tables and return a line for each mark that is missed."""
    faults = [f"failed: {line}" for line in day.answers.failures]
    faults += times(day.answers.took)
    faults += processes(sampler)
    faults += arrivals(show, day.ledger, patience)
    print(
        f"\n{day.answers.many} activities, at most {day.most_running} at the same time; "
        f"{len(day.ledger)} acknowledged writes"
    )
    faults += differences(day.ledger, show, day.activities.first_visit)[:50]
    for words in (("check",), ("audit", "verify")):
        print(f"eventapi {' '.join(words)}: {show.run(*words).strip()}")
    return faults


def times(took):
    print(
        "\nmilliseconds from the planned time to the response\nphase    activity        number    p50    p99    most"
    )
    for (phase, name), values in took.items():
        half, most, last = quantiles(values)
        print(f"{phase:8} {name:14} {len(values):7} {half:6.0f} {most:6.0f} {last:7.0f}")
    for name in READS:
        phases = {phase: values for (phase, activity), values in took.items() if activity == name}
        day = [value for values in phases.values() for value in values]
        for phase, values in {"whole day": day, **phases}.items():
            if not values or (values is not day and len(values) < ENOUGH):
                continue
            half, most, _ = quantiles(values)
            if most > P99_TIMES * half:
                yield f"{phase}, {name}: p99 {most:.0f} ms is more than {P99_TIMES} times the median {half:.1f} ms"


def processes(sampler):
    wal = max(sample[1] for sample in sampler.samples)
    print(f"\nlargest write-ahead log: {wal >> 20} MiB (bound {WAL_BOUND >> 20})")
    if wal > WAL_BOUND:
        yield f"the write-ahead log had {wal >> 20} MiB, more than {WAL_BOUND >> 20}"
    print("\nprocess          pid  MiB 2nd third  MiB last third  most  files  CPU %")
    end = sampler.samples[-1][0]
    for (name, pid), samples in sampler.of_process().items():
        if samples[-1][0] < end:
            yield f"the process {name} {pid} ended during the day"
            continue
        (second, last), (files, last_files) = thirds(samples, 1), thirds(samples, 2)
        before, after = sum(second) / len(second), sum(last) / len(last)
        cpu = 100 * (samples[-1][3] - samples[0][3]) / max(1, samples[-1][0] - samples[0][0])
        print(
            f"{name:12} {pid:7} {before / 2**20:14.1f} {after / 2**20:15.1f} "
            f"{max(sample[1] for sample in samples) / 2**20:5.0f} {max(last_files):6} {cpu:6.1f}"
        )
        if after > before * GROWTH + ROOM:
            yield f"{name} {pid} grew from {before / 2**20:.0f} to {after / 2**20:.0f} MiB"
        if max(last_files) > max(files) + MORE_FILES:
            yield f"{name} {pid} has {max(last_files)} open files, before {max(files)}"


def arrivals(show, ledger, patience):
    """Wait for the last mails and webhooks, then judge how late they came."""
    ends, places = time.monotonic() + patience, {"mail": show.mails.copy}
    for path in ("/money", "/all"):
        places[path] = lambda path=path: {
            id: at for (where, id), at in show.calls.copy().items() if where == path
        }
    while time.monotonic() < ends and any(
        lag(ledger, found(), what)[1] for what, found in places.items()
    ):
        time.sleep(1)
    print("\nseconds from the response to the arrival\n          number    p50    p99    most")
    for what, found in places.items():
        seconds, missing, twice = lag(ledger, found(), what)
        half, most, last = quantiles(seconds) or (0, 0, 0)
        print(f"{what:8} {len(seconds):7} {half:6.1f} {most:6.1f} {last:7.1f}")
        if most > LAGS[what]:
            yield f"{what}: p99 of the arrivals is {most:.0f} s, more than {LAGS[what]} s"
        if missing:
            yield f"{what}: {len(missing)} have not arrived, such as {missing[:5]}"
        if what == "mail" and twice:
            yield f"mails arrived twice: {twice[:5]}"
