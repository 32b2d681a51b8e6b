"""Fourth plugin: checks the plan tier, the flag and the scope of the route, in this order."""

from collections.abc import Callable, Iterable

from bottle import Route, request

from eventapi.errors import Problem, listed
from eventapi.plugins.authentication import Who
from eventapi.web.routes import Options

READS = ("GET", "HEAD", "OPTIONS")


class Access:
    name, api = "access", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler, called only if tier, flag and scope allow it."""
        options = route.config["options"]
        scope = options.scope
        flag = options.flag
        narrow = options.narrow_scopes
        further = options.further_scopes
        if options.public or scope == "none":
            return callback

        def allowed(**values):
            who = request.environ["eventapi.who"]
            if who.tier != "Business+":
                raise Problem(
                    "plan_required",
                    f"The API requires the plan tier Business+. This tenant has {who.tier}. "
                    "The administrator can change it with `eventapi tier set Business+`.",
                    needed="Business+",
                )
            require_flag(who, flag)
            if narrow and not who.scopes.isdisjoint(narrow):
                return callback(**values)
            if further:
                require_scopes(who, (scope, *further), writes=writes(route.method, options))
            elif scope not in ("any", "all", "by_entity_type"):
                # the handler checks those, once it knows the record
                require_scope(who, scope, writes=writes(route.method, options), others=narrow)
            return callback(**values)

        return allowed


def require_flag(who: Who, flag: str | None) -> None:
    """Raise 403 if the feature is disabled. None is no feature."""
    if flag in who.disabled_flags:
        raise Problem(
            "feature_disabled",
            f"The feature {flag} is disabled. The administrator can enable it "
            f"with `eventapi flag enable {flag}`.",
            flag=flag,
        )


def writes(method: str, options: Options) -> bool:
    """Return whether a request needs the scope for writing.

    A POST that changes nothing needs that for reading.
    """
    return method not in READS and not options.reads


def require_scope(who: Who, scope: str, *, writes: bool, others: tuple[str, ...] = ()) -> None:
    """Raise 403 unless the key has the scope, or `scope:read` if the request does not write.

    `others` are the narrower scopes that allow the same request. The error names them.
    """
    if _lacks(who, scope, writes):
        needed = scope if writes else f"{scope}:read"
        raise Problem(
            "insufficient_scope",
            f"The API key needs the scope {listed([needed, *others], 'or')}. Use a key that has it.",
            scope=needed,
        )


def require_scopes(who: Who, scopes: Iterable[str], *, writes: bool) -> None:
    """Raise 403 unless the key has each of the scopes.

    The error names all that are missing; `scope` is the first.
    """
    missing = [
        scope if writes else f"{scope}:read" for scope in scopes if _lacks(who, scope, writes)
    ]
    if missing:
        noun, pronoun = ("scope", "it") if len(missing) == 1 else ("scopes", "them")
        raise Problem(
            "insufficient_scope",
            f"The API key lacks the {noun} {listed(missing)}. Use a key that has {pronoun}.",
            scope=missing[0],
        )


def may_read(who: Who, scope: str) -> bool:
    """Return whether the key may read the records of a scope."""
    return not _lacks(who, scope, False)


def _lacks(who, scope, writes):
    return scope not in who.scopes and (writes or f"{scope}:read" not in who.scopes)
