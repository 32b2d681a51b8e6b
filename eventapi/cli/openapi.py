"""The command that prints the OpenAPI document."""

import json

from eventapi.cli.terminal import command


def register(commands):
    """Declare the command."""
    command(
        commands,
        "openapi",
        print_document,
        "print the OpenAPI document; its addresses begin with the option base_url",
        "eventapi openapi > openapi.json",
        "EVENTAPI_BASE_URL=https://shows.example.org eventapi openapi > openapi.json",
    )


def print_document(args, config):
    """Print the document as the server returns it at /openapi.json."""
    from eventapi.reference import document as openapi

    print(json.dumps(openapi.document(address(config)), ensure_ascii=False, indent=2))


def address(config):
    """Return the address of the service: `base_url`, or else where the server listens.

    Generators of clients refuse a document without an address.
    """
    from eventapi.reference.document import UNKNOWN

    if config.base_url:
        return config.base_url
    return UNKNOWN if config.bind.startswith("unix:") else f"http://{config.bind}"
