"""The command that prints the OpenAPI document."""

import json

from eventapi.cli.terminal import command


def register(commands):
    """Declare the command."""
    parser = command(
        commands,
        "openapi",
        print_document,
        "print the OpenAPI document; its addresses begin with the option base_url",
        "eventapi openapi > openapi.json",
        "EVENTAPI_BASE_URL=https://shows.example.org eventapi openapi > openapi.json",
        "eventapi openapi --version 3.0 > openapi-3.0.json  # for OpenAPI Generator",
    )
    parser.add_argument(
        "--version",
        choices=("3.1", "3.0"),
        default="3.1",
        help="version of OpenAPI (default: 3.1); 3.0 is what the server returns at /openapi-3.0.json",
    )


def print_document(args, config):
    """Print the document as the server returns it at /openapi.json."""
    from eventapi.reference.document import document
    from eventapi.reference.older import older

    whole = document(address(config))
    if args.version == "3.0":
        whole = older(whole)
    print(json.dumps(whole, ensure_ascii=False, indent=2))


def address(config):
    """Return the address of the service: `base_url`, or else where the server listens.

    Generators of clients refuse a document without an address.
    """
    from eventapi.reference.document import UNKNOWN

    if config.base_url:
        return config.base_url
    return UNKNOWN if config.bind.startswith("unix:") else f"http://{config.bind}"
