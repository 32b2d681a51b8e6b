"""The API reference at /docs: HTML generated from the OpenAPI document, one style sheet and one
script.

`openapi` is the whole document as a dict, and `operation` an operation object of it.
"""
