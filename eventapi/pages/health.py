"""GET /healthz: a health check for load balancers and monitoring."""

import logging

from eventapi.domain.upkeep import housekeeping
from eventapi.errors import Problem
from eventapi.storage import disk
from eventapi.storage.database import as_json
from eventapi.storage.errors import Damaged, StorageError, damage, mark_damaged
from eventapi.storage.migrations import SchemaError, check_schema_version
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("health", root="", public=True)
log = logging.getLogger("eventapi.health")


@routes.get("/healthz", response="health")
def get_health(config, connections):
    """Report the age of the worker's last heartbeat, and the disk.

    Only a missing or damaged database fails the check.

    A full disk does not: reads go on, and a load balancer must not remove the only server.
    """
    try:
        if not config.database.exists():
            raise SchemaError("the file does not exist")
        if reason := damage(config.database):
            raise StorageError(f"it is damaged: {reason}")
        db = connections.reader()
        check_schema_version(db.connection)
        age = housekeeping.worker_age(db)
    except (StorageError, SchemaError) as error:
        if isinstance(error, Damaged):
            mark_damaged(config.database, str(error))
        log.error("the database cannot be read: %s", error)
        raise Problem(
            "unhealthy",
            "The database cannot be read. The log of the server has the details.",
            headers={"Retry-After": "5"},
        ) from error
    health = {
        "status": "ok",
        "database": "ok",
        "worker_age_seconds": age,
        "disk": disk.room(config).state,
    }
    return Response(
        body=as_json(health).encode(),
        headers={"Content-Type": "application/json", "Cache-Control": "no-store"},
    )
