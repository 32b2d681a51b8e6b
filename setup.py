"""The packages, which setup.cfg cannot both find and name, and CHANGELOG.md, which lies outside of
them. Everything else is in setup.cfg.
"""

import os

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

FOUND = find_packages(include=["eventapi", "eventapi.*"])


class BuildWithChangelog(build_py):
    """Puts CHANGELOG.md beside the documentation, because the server shows it."""

    def run(self):
        super().run()
        if not getattr(self, "editable_mode", False):  # then, nothing is built
            docs = os.path.join(self.build_lib, "eventapi", "docs")
            self.copy_file("CHANGELOG.md", os.path.join(docs, "CHANGELOG.md"))


setup(
    packages=[*FOUND, "eventapi.conf", "eventapi.docs", "eventapi.schemas", "eventapi.sql"],
    cmdclass={"build_py": BuildWithChangelog},
)
