"""The HTTP interface of the handlers: routes, responses, lists, bodies, uploads and downloads."""
