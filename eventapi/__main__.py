"""python -m eventapi: run the eventapi command."""
import sys

from eventapi.cli import main

sys.exit(main())
