"""Plans of halls, written to the database without the API."""


def add_plan(db, event_key, name, area=None):
    """Insert an empty plan of 60 × 40 m and return its id.

    A letter at the end of `area` prefixes the booth numbers.
    """
    with db.write():
        return db.connection.execute(
            """
            INSERT INTO plans (event_id, plan_key, plan_name, area_name, width, height, grid_size, scale_factor,
              is_active, sort_order, created_at, updated_at)
            SELECT id, ?, ?, ?, 60000, 40000, 1, 1000, 1, 0, ?, ? FROM events WHERE event_key = ?""",
            (name, name, area, db.now, db.now, event_key),
        ).lastrowid
