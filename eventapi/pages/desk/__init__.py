"""The organiser's desk: the pages with which the office works.

Every button runs a route of the API.
"""
