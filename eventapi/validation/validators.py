"""What is given to jsonschema: the checks of formats, and keywords that stop at values that are far
too long.
"""

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.validators import extend

from eventapi.validation.formats import CHECKS

TOLERANCE = 100  # parts beyond the limit that are still checked, so that all faults are reported


def _unless_far_too_many(keyword, kind, limit):
    """Return the check of a keyword for the parts of a value, which checks none if there are far
    too many of them.

    `limit` is the keyword that then reports the only error.
    """
    check = Draft202012Validator.VALIDATORS[keyword]

    def checked(validator, value, instance, schema):
        if (
            isinstance(instance, kind)
            and len(instance) <= schema.get(limit, len(instance)) + TOLERANCE
        ):
            yield from check(validator, value, instance, schema)

    return checked


Validator = extend(
    Draft202012Validator,
    {
        keyword: _unless_far_too_many(keyword, kind, limit)
        for kind, limit, keywords in (
            (list, "maxItems", ("items", "uniqueItems")),
            (dict, "maxProperties", ("additionalProperties", "patternProperties")),
        )
        for keyword in keywords
    },
)

CHECKER = FormatChecker(formats=())
for _name, _check in CHECKS.items():
    CHECKER.checks(_name)(
        lambda value, check=_check: not isinstance(value, str) or bool(check(value))
    )
