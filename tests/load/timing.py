"""Measure two databases in turns, so that other work of the machine slows down both.

Each round asks the small and the big database, first after a commit elsewhere (the totals are counted again), then
once more. The result of each is the smallest of at most ROUNDS rounds. A slow request gets fewer, but at least LEAST,
and one that takes seconds gets one.
"""
import time

ROUNDS, LEAST = 9, 3
BUDGET, LIMIT = 1.0, 5.0                    # seconds after which LEAST rounds are enough, and after which one is


def enough(rounds, began):
    """Return whether another round is not worth its time."""
    took = time.perf_counter() - began
    return rounds >= ROUNDS or (rounds >= LEAST and took > BUDGET) or (rounds > 0 and took > LIMIT)


def read_in_turns(clients, requests):
    """Return [{"first", "again"}] in milliseconds: one per client, in order. `requests`: (path, options) per client."""
    pairs, found = list(zip(clients, requests, strict=True)), [{"first": [], "again": []} for _ in clients]
    began = time.perf_counter()
    for client, (path, options) in pairs:
        client("GET", path, **options)                                # reads the pages of the file
    while not enough(len(found[0]["first"]), began):
        for (client, (path, options)), times in zip(pairs, found, strict=True):
            client.commit_elsewhere()
            for name in ("first", "again"):
                client("GET", path, **options)
                times[name].append(client.took)
    return [{name: min(values) for name, values in times.items()} for times in found]
