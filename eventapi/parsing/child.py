"""The process that parses one uploaded file: its standard input.

Its standard output is JSON, one value a line.

The last line is an object: {"done": true}, {"error": text} for a ValueError, which describes the
file, or {"fault": traceback} for any other exception. Without it, the parser did not finish.
"""

import importlib
import json
import os
import resource
import sys
import traceback

OUT_OF_MEMORY = 3  # exit status


def main():
    """Run the generator `module:name` of the command line with the file and its argument: JSON in
    the file whose descriptor follows.
    """
    path, descriptor, memory, seconds = sys.argv[1:5]
    with open(int(descriptor), "rb") as given:
        argument = json.load(given)
    module, _, name = path.partition(":")
    parse = getattr(importlib.import_module(module), name)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    try:
        with open(0, "rb", closefd=False) as file:
            for value in parse(file, argument):
                _write(value)
        _write({"done": True})
    except ValueError as error:
        _write({"error": str(error)})
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception:
        _write({"fault": traceback.format_exc()[-4000:]})


def _write(value):
    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
    sys.stdout.flush()
