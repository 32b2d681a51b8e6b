"""Run one target of the fuzzer: python -m tests.fuzz.run TARGET SECONDS (`make fuzz` runs all of
them).

atheris, which is guided by the branches that an input reaches, changes inputs until one fails. The
failing input is stored as .fuzz/found/TARGET-..., and `python -m tests.fuzz.run TARGET 0 FILE` runs
it again. Inputs that reach new branches are kept in .fuzz/corpus/TARGET for the next run.
"""

import hashlib
import sys
import tempfile
import time
from pathlib import Path

import atheris

atheris.enabled_hooks.add("str")  # comparisons of text guide the fuzzer too
with atheris.instrument_imports(include=["eventapi"]):
    from eventapi.domain.webhooks import addresses
    from tests.fuzz.seeds import seeds, words
    from tests.fuzz.targets import TARGETS
    from tests.fuzz.world import World

HERE = Path(__file__).resolve().parents[2] / ".fuzz"
LONGEST = 1.0  # seconds of CPU for one input
REPEATED = 64  # one input of so many is also run repeated up to the longest length


def main(name, seconds, *files):
    """Run the target for so many seconds, or for the given files."""
    target, longest = TARGETS[name]
    corpus, found = HERE / "corpus" / name, HERE / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds(name):
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    (HERE / "words").write_text("".join(f'"{word}"\n' for word in words()), encoding="ascii")
    addresses.lookup = lambda host, port: []  # no input may ask the DNS
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        world = World(Path(folder))

        def one(data):
            run(target, world, data)
            if data and data[0] + len(data) % 7 < 256 // REPEATED:
                run(target, world, data * (longest // len(data)))

        arguments = files or (
            f"-max_total_time={seconds}",
            f"-max_len={longest}",
            f"-dict={HERE / 'words'}",
            "-print_final_stats=1",
            "-timeout=60",
            "-rss_limit_mb=3000",
            str(corpus),
        )
        atheris.Setup([sys.argv[0], f"-artifact_prefix={found}/{name}-", *arguments], one)
        atheris.Fuzz()


def run(target, world, data):
    """Run the target on one input. Raise AssertionError if it takes too long."""
    started = time.process_time()
    target(world, data)
    took = time.process_time() - started
    assert took < LONGEST, f"{len(data)} bytes took {took:.1f} s"


def memory():
    """Return a folder in memory, or None if there is none."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


if __name__ == "__main__":
    main(sys.argv[1], *sys.argv[2:])
