"""Formulas: a small language for the prices of booths.

The parser makes a tree of the text; nothing is run as code.

    IF({booth_size} >= 20 AND {open_sides} > 2,
       MAX({booth_size} * 180, 4000),
       {booth_size} * 195 + {days} * 25) * (1 - 5%)

A tree is made of tuples: ("number", value), ("variable", name), ("chain", first, ((operator,
position, operand), …)), ("minus" | "not" | "percent", operand) and ("call", function, position,
arguments).

Values are exact fractions; true is 1 and false is 0. IF evaluates only the chosen argument; AND and
OR stop at the first operand that decides the result.
"""

import re
from fractions import Fraction
from functools import lru_cache

from eventapi import money

VARIABLES = {
    "booth_size": "area in m²",
    "booth_width": "front in metres",
    "booth_depth": "depth in metres",
    "open_sides": "open sides of the booth's type",
    "days": "days of the event",
    "quantity": "1 for a booth",
    "category_price": "fee of the participant's category",
}
FIELD = re.compile(r"field:[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
FUNCTIONS = {"IF": (3, 3), "MIN": (1, 100), "MAX": (1, 100), "ROUND": (1, 2)}
# the weakest binding first
LEVELS = (
    ("OR",),
    ("AND",),
    ("=", "<>", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/"),
)
COMPARISON = 2
MAX_LENGTH = 2000  # characters
MAX_DEPTH = 40  # levels of nesting
MAX_BITS = 512  # of a numerator or denominator; keeps the evaluation fast
TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|\{(?P<variable>[^{}]*)\}|(?P<name>[A-Za-z_]+)|"
    r"(?P<symbol><=|>=|<>|[-+*/()%,=<>])|(?P<end>\Z)|(?P<other>.))",
    re.DOTALL,
)


class FormulaError(Exception):
    """A formula is invalid or cannot be evaluated. The text ends with the position, counted from 1."""

    def __init__(self, text, position):
        super().__init__(f"{text}, at character {position}")


class Missing(Exception):
    """A formula depends on a variable whose value is unknown."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


def evaluate(expression, values):
    """Return the value of a formula as an int or a Fraction.

    `values` is {variable: int or Fraction} without the unknown variables. Raise FormulaError if the
    formula is invalid or has no value, for example after a division by zero; Missing if it depends
    on an unknown variable.
    """
    return _value(parse(expression), values)


# Parsing


@lru_cache(maxsize=256)
def parse(expression):
    """Return the tree of a formula, with constant parts already evaluated.

    Raise FormulaError if it is invalid.
    """
    if len(expression) > MAX_LENGTH:
        raise FormulaError(f"must have at most {MAX_LENGTH} characters", MAX_LENGTH + 1)
    return _Parser(expression).whole()


def variables(tree):
    """Return the set of the names of the variables in a tree."""
    if tree[0] == "variable":
        return {tree[1]}
    return set().union(*(variables(part) for part in _operands(tree)))


def _operands(tree):
    """Return the trees that a tree consists of."""
    if tree[0] == "chain":
        return (tree[1], *(operand for *_, operand in tree[2]))
    if tree[0] == "call":
        return tree[3]
    if tree[0] in UNARY:
        return tree[1:]
    return ()


class _Parser:
    """A recursive descent parser with one method for each rule of the grammar.

    `kind`, `token` and `position` describe the next token, which no method has consumed yet.
    """

    def __init__(self, text):
        self.text, self.depth, self.end = text, 0, 0
        self.advance()

    def advance(self):
        """Read the next token."""
        found = TOKEN.match(self.text, self.end)
        self.kind, self.end = found.lastgroup, found.end()
        self.token, self.position = found[self.kind], found.start(self.kind) + 1
        if self.kind == "name":
            self.token = self.token.upper()

    def whole(self):
        """Return the tree of the whole text."""
        tree = self.level(0)
        if self.kind != "end":
            self.expected("an operator or the end")
        return tree

    def expected(self, description):
        """Raise FormulaError: the next token is not what the grammar expects here."""
        seen = "the end" if self.kind == "end" else self.token[:40] or "{}"
        raise FormulaError(f"expected {description}, found {seen}", self.position)

    def take(self, *tokens):
        """Consume and return the next token if it is one of `tokens`. Otherwise return None."""
        token = self.token
        if self.kind not in ("name", "symbol") or token not in tokens:
            return None
        self.advance()
        return token

    def deeper(self, read, *values):
        """Return `read(*values)`, one level deeper. Raise FormulaError beyond MAX_DEPTH levels."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"must not be nested more than {MAX_DEPTH} deep", self.position)
        tree = read(*values)
        self.depth -= 1
        return tree

    def level(self, number):
        """Parse a chain of operators of one level of LEVELS. Comparisons do not chain."""
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
        """Parse a primary with an optional minus before it and an optional percent sign after it."""
        if self.take("-"):
            return _folded(("minus", self.deeper(self.factor)))
        tree = self.primary()
        return _folded(("percent", tree)) if self.take("%") else tree

    def primary(self):
        """Parse a number, a variable, a function call or an expression in parentheses."""
        kind, token, position = self.kind, self.token, self.position
        if kind not in ("number", "variable", "name") and token != "(":
            self.expected("a number, a variable such as {booth_size}, a function or (")
        self.advance()
        if kind == "number":
            return "number", _bounded(Fraction(token), position)
        if kind == "variable":
            return "variable", _variable(token.strip(), position)
        if kind == "name":
            return self.call(token, position)
        return self.deeper(self.parenthesised)

    def parenthesised(self):
        """Parse the rest of an expression in parentheses, after the opening one."""
        tree = self.level(0)
        self.close()
        return tree

    def close(self):
        if not self.take(")"):
            self.expected(")")

    def call(self, name, position):
        """Parse the arguments of the function `name`."""
        if name not in FUNCTIONS:
            raise FormulaError(
                f"{name[:40]} is not a function; the functions are {', '.join(FUNCTIONS)}", position
            )
        if not self.take("("):
            self.expected(f"( after {name}")
        arguments = [self.deeper(self.level, 0)]
        while self.take(","):
            arguments.append(self.deeper(self.level, 0))
        self.close()
        least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise FormulaError(
                f"{name} requires {wanted} arguments, and has {len(arguments)}", position
            )
        return _folded(("call", name, position, tuple(arguments)))


def _variable(name, position):
    """Return the name of a variable as VARIABLES has it. Raise FormulaError if it is unknown."""
    if FIELD.fullmatch(name):
        return name
    if name.lower() not in VARIABLES:
        known = ", ".join(f"{{{variable}}}" for variable in VARIABLES)
        raise FormulaError(
            f"{{{name[:40]}}} is not a variable; the variables are {known} and {{field:KEY}}",
            position,
        )
    return name.lower()


def _folded(tree):
    """Return the tree, or its value if it is constant.

    A division by zero in a constant part is therefore found when the formula is created.
    """
    if all(part[0] == "number" for part in _operands(tree)):
        return "number", _value(tree, {})
    return tree


# Evaluating


def _value(tree, values):
    """Return the value of a tree. Raise FormulaError or Missing."""
    return EVALUATED[tree[0]](tree, values)


def _known(tree, values):
    if tree[1] not in values:
        raise Missing(tree[1])
    return values[tree[1]]


def _chain(tree, values):
    value = _value(tree[1], values)
    for operator, position, operand in tree[2]:
        if operator in DECIDED_BY:
            if bool(value) != DECIDED_BY[operator]:
                value = _value(operand, values)
            value = int(bool(value))
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
    if name == "MIN":
        return min(found)
    if name == "MAX":
        return max(found)
    places = found[1] if len(found) > 1 else 0
    if places not in range(-9, 10):
        raise FormulaError("ROUND requires a whole number of decimals from -9 to 9", position)
    return rounded(found[0], int(places))


def rounded(value, places):
    """Return the value rounded to `places` decimals, half away from zero."""
    scale = Fraction(10) ** places
    scaled = Fraction(value) * scale
    return money.divided(scaled.numerator, scaled.denominator) / scale


def _bounded(value, position):
    """Return the value as a Fraction.

    Raise FormulaError if it has too many digits, because they are slow.
    """
    value = Fraction(value)
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise FormulaError("the numbers have too many digits", position)
    return value


DECIDED_BY = {"OR": True, "AND": False}  # the truth value of an operand that decides the result
OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: Fraction(a) / b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
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
