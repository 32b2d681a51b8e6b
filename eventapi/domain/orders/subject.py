"""Orders: what it adds to what the service does with all records."""

from eventapi.domain.orders import ordering
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("service_orders")

ORDERS = Subject(
    name="orders",
    erases=(
        sql.blank,
        sql.blank_specifications,
    ),
    merges_participants=(ordering.hand_over,),
)
