"""Routes as data: method, path, handler, and the words that the plugins read."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Route:
    """One route. `words` are the plugins' : scope, flag, schema, query, forms, singular, answer …"""
    method: str
    path: str
    handler: object
    words: dict = field(default_factory=dict)


class Routes:
    """The routes of one resource, below /api/v1 unless `root` says otherwise."""

    def __init__(self, name, singular=None, *, root="/api/v1", **words):
        self.name, self.root, self.routes = name, root, []
        self.words = {"resource": name, "singular": singular or name.rstrip("s"), **words}

    def _add(self, methods, path, words):
        words = {**self.words, **words}
        if not (words.get("scope") or words.get("public")):
            raise ValueError(f"{path} names no scope=: who may call it?")

        def decorate(handler):
            for method in methods:
                self.routes.append(Route(method, self.root + path, handler, words))
            return handler
        return decorate

    def list(self, path, **words):
        """GET that answers a list: takes the common parameters of every list."""
        return self._add(("GET",), path, {"listing": True, **words})

    def get(self, path, **words):
        return self._add(("GET",), path, words)

    def post(self, path, **words):
        return self._add(("POST",), path, words)

    def update(self, path, **words):
        """PUT and PATCH, which differ in what they require only."""
        return self._add(("PUT", "PATCH"), path, words)

    def put(self, path, **words):
        return self._add(("PUT",), path, words)

    def patch(self, path, **words):
        return self._add(("PATCH",), path, words)

    def delete(self, path, **words):
        return self._add(("DELETE",), path, words)
