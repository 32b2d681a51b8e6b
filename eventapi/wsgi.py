"""What gunicorn serves: eventapi.wsgi:app, configured by EVENTAPI_CONFIG and the environment."""
from eventapi import app as house
from eventapi import config
from eventapi.storage import process_locks

settings = config.load()
config.start_logging(settings)
house.ready(settings)
hold = process_locks.together(settings)          # no restore beneath us
app = house.create_app(settings)
