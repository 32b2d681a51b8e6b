"""Formulas: the small language in which the price of a booth may be written. Parsed to a tree, never run as code.

    IF({booth_size} >= 20 AND {open_sides} > 2, MAX({booth_size} * 180, 4000), {booth_size} * 195 + {days} * 25) * (1 - 5%)

A tree is made of tuples: ("number", value), ("variable", name), ("chain", first, ((operator, position, operand), …)),
("minus" | "not" | "percent", operand) and ("call", function, position, arguments). Values are exact fractions; what is true
is 1, what is false 0. Of IF, AND and OR only what decides is evaluated.
"""
import re
from fractions import Fraction
from functools import lru_cache

from eventapi import money

VARIABLES = {
    "booth_size": "area in m²", "booth_width": "front in metres", "booth_depth": "depth in metres", "open_sides": "of the booth's type",
    "days": "days of the event", "quantity": "1 for a booth", "category_price": "fee of the participant's category",
}
FIELD = re.compile(r"field:[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
FUNCTIONS = {"IF": (3, 3), "MIN": (1, 100), "MAX": (1, 100), "ROUND": (1, 2)}
LEVELS = (("OR",), ("AND",), ("=", "<>", "<", "<=", ">", ">="), ("+", "-"), ("*", "/"))      # the loosest first
COMPARISON = 2
LONGEST, DEEPEST, BITS = 2000, 40, 512
TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|\{(?P<variable>[^{}]*)\}|(?P<name>[A-Za-z_]+)|"
                   r"(?P<symbol><=|>=|<>|[-+*/()%,=<>])|(?P<end>\Z)|(?P<strange>.))", re.DOTALL)


class FormulaError(Exception):
    """What is wrong with a formula, in words, and at which character, counted from 1."""

    def __init__(self, said, position):
        super().__init__(f"{said}, at character {position}")


class Missing(Exception):
    """A formula needs a value that is not known."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


def evaluate(expression, values):
    """The value of a formula as a fraction. `values`: variable -> whole number or fraction, without those that are not known.

    Raises FormulaError where there is none, and Missing where it depends on a variable that has no value.
    """
    return _value(parse(expression), values)


# Reading

@lru_cache(maxsize=256)
def parse(expression):
    """The tree of a formula, its constant parts worked out; FormulaError says where it cannot be read."""
    if len(expression) > LONGEST:
        raise FormulaError(f"must have at most {LONGEST} characters", LONGEST + 1)
    return _Parser(expression).whole()


def variables(tree):
    """The names of the variables in a tree."""
    if tree[0] == "variable":
        return {tree[1]}
    return set().union(*(variables(part) for part in _operands(tree)))


def _operands(tree):
    if tree[0] == "chain":
        return (tree[1], *(operand for *_, operand in tree[2]))
    return tree[3] if tree[0] == "call" else tree[1:] if tree[0] in UNARY else ()


class _Parser:
    """Reads by recursive descent, one method for each kind of part."""

    def __init__(self, text):
        self.text, self.depth, self.end = text, 0, 0
        self.advance()

    def advance(self):
        found = TOKEN.match(self.text, self.end)
        self.kind, self.end = found.lastgroup, found.end()
        self.token, self.position = found[self.kind], found.start(self.kind) + 1
        if self.kind == "name":
            self.token = self.token.upper()

    def whole(self):
        tree = self.level(0)
        if self.kind != "end":
            self.expected("an operator or the end")
        return tree

    def expected(self, what):
        seen = "the end" if self.kind == "end" else self.token[:40] or "{}"
        raise FormulaError(f"expected {what}, found {seen}", self.position)

    def take(self, *tokens):
        """The token when it is one of these, and then the next is looked at; else None."""
        token = self.token
        if self.kind not in ("name", "symbol") or token not in tokens:
            return None
        self.advance()
        return token

    def deeper(self, read, *values):
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(f"must not be nested more than {DEEPEST} deep", self.position)
        tree = read(*values)
        self.depth -= 1
        return tree

    def level(self, number):
        """A chain of the operators of one level; comparisons do not chain."""
        if number == len(LEVELS):
            return self.factor()
        if number == COMPARISON and self.take("NOT"):
            return _folded(("not", self.deeper(self.level, number)))
        first, rest = self.level(number + 1), []
        while not (number == COMPARISON and rest):
            position, operator = self.position, self.take(*LEVELS[number])
            if not operator:
                break
            rest.append((operator, position, self.level(number + 1)))
        return _folded(("chain", first, tuple(rest))) if rest else first

    def factor(self):
        if self.take("-"):
            return _folded(("minus", self.deeper(self.factor)))
        tree = self.primary()
        return _folded(("percent", tree)) if self.take("%") else tree

    def primary(self):
        kind, token, position = self.kind, self.token, self.position
        if kind not in ("number", "variable", "name") and token != "(":
            self.expected("a number, a variable such as {booth_size}, a function or (")
        self.advance()
        if kind == "number":
            return "number", _bounded(Fraction(token), position)
        if kind == "variable":
            return "variable", _variable(token.strip(), position)
        return self.call(token, position) if kind == "name" else self.deeper(self.bracketed)

    def bracketed(self):
        tree = self.level(0)
        self.close()
        return tree

    def close(self):
        if not self.take(")"):
            self.expected(")")

    def call(self, name, position):
        if name not in FUNCTIONS:
            raise FormulaError(f"{name[:40]} is no function; there are {', '.join(FUNCTIONS)}", position)
        if not self.take("("):
            self.expected(f"( after {name}")
        arguments = [self.deeper(self.level, 0)]
        while self.take(","):
            arguments.append(self.deeper(self.level, 0))
        self.close()
        least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise FormulaError(f"{name} takes {wanted} values and has {len(arguments)}", position)
        return _folded(("call", name, position, tuple(arguments)))


def _variable(name, position):
    if FIELD.fullmatch(name):
        return name
    if name.lower() not in VARIABLES:
        known = ", ".join(f"{{{variable}}}" for variable in VARIABLES)
        raise FormulaError(f"{{{name[:40]}}} is no variable; there are {known} and {{field:KEY}}", position)
    return name.lower()


def _folded(tree):
    """The tree, or its value when nothing in it varies: so a constant division by zero shows when the formula is written."""
    if all(part[0] == "number" for part in _operands(tree)):
        return "number", _value(tree, {})
    return tree


# Evaluating

def _value(tree, values):
    return EVALUATED[tree[0]](tree, values)


def _known(tree, values):
    if tree[1] not in values:
        raise Missing(tree[1])
    return values[tree[1]]


def _chain(tree, values):
    value = _value(tree[1], values)
    for operator, position, operand in tree[2]:
        if operator in DECIDED_BY:
            value = int(bool(value)) if bool(value) == DECIDED_BY[operator] else int(bool(_value(operand, values)))
            continue
        other = _value(operand, values)
        if operator == "/" and not other:
            raise FormulaError("division by zero", position)
        value = _bounded(OPERATIONS[operator](value, other), position)
    return value


def _call(tree, values):
    _, name, position, arguments = tree
    if name == "IF":
        return _value(arguments[1] if _value(arguments[0], values) else arguments[2], values)
    found = [_value(argument, values) for argument in arguments]
    if name != "ROUND":
        return min(found) if name == "MIN" else max(found)
    places = found[1] if len(found) > 1 else 0
    if places not in range(-9, 10):
        raise FormulaError("ROUND takes a whole number of decimals from -9 to 9", position)
    return rounded(found[0], int(places))


def rounded(value, places):
    """To so many decimals, half away from zero."""
    scale = Fraction(10) ** places
    scaled = Fraction(value) * scale
    return money.divided(scaled.numerator, scaled.denominator) / scale


def _bounded(value, position):
    """No formula may keep the house busy: numbers of so many digits are no prices."""
    value = Fraction(value)
    if value.numerator.bit_length() > BITS or value.denominator.bit_length() > BITS:
        raise FormulaError("the numbers get too long", position)
    return value


DECIDED_BY = {"OR": True, "AND": False}         # the first operand that is so decides
OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: Fraction(a) / b,
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}
UNARY = ("minus", "not", "percent")
EVALUATED = {
    "number": lambda tree, values: tree[1],
    "variable": _known,
    "minus": lambda tree, values: -_value(tree[1], values),
    "not": lambda tree, values: int(not _value(tree[1], values)),
    "percent": lambda tree, values: Fraction(_value(tree[1], values)) / 100,
    "chain": _chain,
    "call": _call,
}
