"""Third plugin: plan tier, flag and scope of the route, in this order."""
from bottle import request

from eventapi.errors import Problem

READS = ("GET", "HEAD", "OPTIONS")


class Access:
    name, api = "access", 2

    def __init__(self, config):
        self.config = config

    def apply(self, callback, route):
        options = route.config["options"]
        scope, flag = options.scope, options.flag
        if options.public:
            return callback

        def allowed(**values):
            who = request.environ["eventapi.who"]
            if who.tier != "Business+":
                raise Problem("plan_required", f"The API needs the plan tier Business+; this tenant has {who.tier}.",
                              needed="Business+")
            if flag in who.disabled_flags:
                raise Problem("feature_disabled", f"The feature {flag} is switched off.", flag=flag)
            if scope not in ("any", "all", "by_entity_type"):        # the handler asks as soon as it knows
                require_scope(who, scope, writes=route.method not in READS)
            return callback(**values)
        return allowed


def require_scope(who, scope, *, writes):
    """403 unless the key has the scope, or `scope:read` where nothing is written."""
    if scope not in who.scopes and (writes or f"{scope}:read" not in who.scopes):
        needed = scope if writes else f"{scope}:read"
        raise Problem("insufficient_scope", f"The key needs the scope {needed}.", scope=needed)
