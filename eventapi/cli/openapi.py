"""The command that prints the OpenAPI document."""

import json

from eventapi.cli.terminal import command


def register(commands):
    """Declare the command."""
    command(
        commands,
        "openapi",
        print_document,
        "print the OpenAPI document",
        "eventapi openapi > openapi.json",
    )


def print_document(args, config):
    """Print the document as the server returns it at /openapi.json."""
    from eventapi.reference import document as openapi

    print(json.dumps(openapi.document(config.base_url), ensure_ascii=False, indent=2))
