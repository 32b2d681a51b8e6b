"""Which problems a handler can answer with, read from its own code, so that the reference cannot fall behind it."""
import dis
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType

from eventapi.errors import CODES


@lru_cache(maxsize=None)
def codes(handler):
    """The codes of errors.CODES that the function names, or any function of this house that it calls."""
    found, seen, todo = set(), set(), [handler]
    while todo:
        function = todo.pop()
        if function not in seen:
            seen.add(function)
            for code in _codes_of(function.__code__):
                found.update(name for name in code.co_consts if isinstance(name, str) and name in CODES)
                todo += _called(code, function.__globals__)
    return frozenset(found)


def _codes_of(code):
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_of(constant)


def _called(code, names):
    """The functions of this house that the code reaches: by a global name, or by an attribute of one."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "PRECALL", "EXTENDED_ARG")]
    for step, following in zip(steps, [*steps[1:], None]):
        if step.opname == "LOAD_GLOBAL":
            attribute = following.argval if following and following.opname in ("LOAD_ATTR", "LOAD_METHOD") else None
            for thing in _meant(names.get(step.argval), attribute):
                if isinstance(thing, FunctionType) and thing.__module__.startswith("eventapi"):
                    yield thing


def _meant(thing, attribute):
    """`record` or `ledger.record`; of an object such as a table of states the method, or all where it is handed on."""
    if isinstance(thing, ModuleType):
        return [getattr(thing, attribute or "", None)]
    if type(thing).__module__.startswith("eventapi"):
        methods = vars(type(thing))
        return [methods.get(attribute)] if attribute else methods.values()
    return [thing]
