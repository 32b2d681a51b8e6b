"""The WSGI entry point eventapi.wsgi:app, configured by EVENTAPI_CONFIG and the environment."""
from eventapi import config
from eventapi.app import create_app, ready
from eventapi.storage import process_locks

settings = config.load()
config.start_logging(settings)
ready(settings)
hold = process_locks.together(settings)          # locks the data directory, so that no backup is restored meanwhile
app = create_app(settings)
