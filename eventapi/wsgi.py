"""What gunicorn serves: eventapi.wsgi:app, configured by EVENTAPI_CONFIG and the environment."""
from eventapi import app as house
from eventapi import config

settings = config.load()
config.start_logging(settings)
house.ready(settings)
app = house.create_app(settings)
