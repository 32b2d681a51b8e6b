"""python -m eventapi: the same as the eventapi command."""
import sys

from eventapi.cli import main

sys.exit(main())
