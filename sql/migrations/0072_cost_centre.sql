-- The cost centre of an event, which DATEV shows with its revenue (KOST1).
ALTER TABLE events ADD COLUMN cost_centre TEXT
  CHECK (length(cost_centre) BETWEEN 1 AND 36 AND cost_centre NOT GLOB '*[^A-Za-z0-9._-]*');
