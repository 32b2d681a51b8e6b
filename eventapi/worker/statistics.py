"""Statistics of the query planner, once a day, so that it knows how much the tables hold."""
from eventapi.storage import maintenance

EVERY = 24 * 3600
ON_CHANGE = False


def run(db, stopping):
    """Gather the statistics of all tables, in short transactions."""
    maintenance.analyze(db)
