"""The packages, which setup.cfg cannot both find and name. Everything else is in setup.cfg."""

from setuptools import find_packages, setup

FOUND = find_packages(include=["eventapi", "eventapi.*"])
setup(packages=[*FOUND, "eventapi.conf", "eventapi.docs", "eventapi.schemas", "eventapi.sql"])
