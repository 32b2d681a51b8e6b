"""The WSGI entry point eventapi.wsgi:app, configured by EVENTAPI_CONFIG and the environment."""

from eventapi import config, logs
from eventapi.app import App
from eventapi.plugins.settings import start
from eventapi.storage import process_locks
from eventapi.storage.migrations import ready

settings = config.load()
logs.start(settings.log_level, settings.log_format)
ready(settings)
hold = process_locks.together(settings)  # so that no backup is restored, and no upgrade made
start(settings)
app = App(settings)
