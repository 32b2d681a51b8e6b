"""Whether an answer is what /openapi.json says: the clients of the tests ask this of every answer."""
import re

from jsonschema import Draft202012Validator

from eventapi.reference import document as openapi

# What may be answered where no operation is: OPTIONS, an unknown path or method, and what comes before.
NOWHERE = (204, 400, 401, 403, 404, 405, 406, 422)
documents = {}


def check(config, method, address, answer):
    """Raises AssertionError unless status, code and body of the answer are documented."""
    if config.base_url not in documents:
        documents[config.base_url] = Document(openapi.document(config.base_url))
    documents[config.base_url].check(method, address, answer)


class Document:
    """What /openapi.json says, ready to be compared."""

    def __init__(self, whole):
        self.whole, self.validators = whole, {}
        self.paths = [(re.compile("".join(_pattern(part) for part in re.split(r"(\{\w+\})", path))), path) for path in whole["paths"]]

    def path_of(self, address):
        """The path of the document that an address is of, or None; those without parameters go first."""
        address = address.partition("?")[0]
        address = address[:-1] if len(address) > 1 and address.endswith("/") else address
        fitting = [path for pattern, path in self.paths if pattern.fullmatch(address)]
        return min(fitting, key=lambda path: path.count("{"), default=None)

    def check(self, method, address, answer):
        path, method = self.path_of(address), "get" if method == "HEAD" else method.lower()
        operation = self.whole["paths"].get(path, {}).get(method)
        if operation is None:
            assert answer.status_int in NOWHERE, f"{method} {address}: {answer.status}"
            return
        where = f"{operation['operationId']} {answer.status_int}"
        response = operation["responses"].get(str(answer.status_int))
        assert response, f"{where} is not in /openapi.json: {answer.text[:500]}"
        if "$ref" in response:
            response = self.whole["components"]["responses"][response["$ref"].rpartition("/")[2]]
            assert not answer.body or answer.json["code"] in response["x-codes"], (where, answer.json)
        if "Preference-Applied" in answer.headers:
            response = {"content": {"application/json": {"schema": {"properties": {"data": {"$ref": "#/components/schemas/Minimal"}}}}}}
            where += " minimal"
        emptied = "Idempotency-Replayed" in answer.headers          # of secrets, and of who was anonymised
        if answer.body and answer.content_type.endswith("json") and not emptied:
            error = next(self.validator(where, response, answer.content_type).iter_errors(answer.json), None)
            assert error is None, f"{where} is not what /openapi.json says: {list(error.absolute_path)}: {error.message[:500]}"

    def validator(self, where, response, kind):
        if (where, kind) not in self.validators:
            assert kind in response.get("content", {}), f"{where} answers {kind}, which is not in /openapi.json"
            schema = response["content"][kind].get("schema", {})
            self.validators[where, kind] = Draft202012Validator({**schema, "components": self.whole["components"]})
        return self.validators[where, kind]


def _pattern(part):
    if not part.startswith("{"):
        return re.escape(part)
    return r"[1-9]\d{0,17}" if part in ("{id}", "{item_id}") else "[^/]+"
