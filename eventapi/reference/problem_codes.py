"""The problem codes that each handler can raise besides those of the plugins, as problem_codes.json
lists them.

The file is generated from the source: `python -m tests.support.problem_codes`.
"""

import json
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def by_handler() -> dict[str, list[str]]:
    """Return handler name -> codes. It is cached: copy before modifying."""
    return json.loads(
        resources.files(__package__).joinpath("problem_codes.json").read_text(encoding="utf-8")
    )


def codes(handler) -> set[str]:
    """Return the codes of a handler.

    A handler that the file does not list has none yet: a test asks to regenerate the file.
    """
    return set(by_handler().get(handler.__name__, ()))
