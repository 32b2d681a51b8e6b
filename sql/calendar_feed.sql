-- Entries of the calendar feed, and the subscriptions to it.

-- name: identity
-- A random name of this database, from which the UIDs of entries are made.
SELECT name FROM calendar_identity WHERE id = 1;

-- name: entries
SELECT c.id, c.kind, c.record_id, c.title, c.description, c.location, c.first_at, c.last_at, c.timezone, c.is_cancelled,
       c.sequence, c.speakers, c.created_at, c.updated_at
  FROM calendar_entries c
 WHERE (c.is_cancelled = 0 OR c.updated_at > :cancelled_since)
   AND +c.kind IN (SELECT value FROM json_each(:kinds))
   AND c.event_id = :event_id                          -- when event_id
   AND c.is_visible = :visible                         -- when visible
   AND c.last_at >= :from                              -- when from
   AND c.first_at <= :to                               -- when to
 ORDER BY +c.first_at, c.id;

-- name: speakers
-- Names of these participants.
SELECT p.id, c.first_name, c.last_name, c.company_name
  FROM participants p JOIN contacts c ON c.id = p.contact_id WHERE p.id IN (SELECT value FROM json_each(:ids));

-- name: delete_old_calendar_entries
DELETE FROM calendar_entries WHERE id IN
  (SELECT id FROM calendar_entries WHERE is_cancelled = 1 AND updated_at <= :before ORDER BY updated_at LIMIT :size);

-- name: get
SELECT s.id, s.name, s.event_id, e.event_key, s.kinds, s.visible, s.is_active, s.created_at, s.updated_at
  FROM calendar_subscriptions s LEFT JOIN events e ON e.id = s.event_id
 WHERE s.id = :id;

-- name: list
SELECT s.id, s.name, s.event_id, e.event_key, s.kinds, s.visible, s.is_active, s.created_at, s.updated_at
  FROM calendar_subscriptions s
  LEFT JOIN events e ON e.id = s.event_id
 WHERE TRUE
   AND s.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND s.event_id = :event_id                                  -- when event_id
   AND s.is_active = :is_active                                -- when is_active
 ORDER BY {sort} {order}, s.id {order}  -- sort: id=s.id name=s.name_folded created_at=s.id

-- name: subscribed
-- The active subscription with this token.
SELECT name, event_id, kinds, visible FROM calendar_subscriptions WHERE token_hash = :token_hash AND is_active = 1;

-- name: of_event
SELECT id FROM calendar_subscriptions WHERE event_id = :event_id ORDER BY id;

-- name: add
INSERT INTO calendar_subscriptions (name, event_id, kinds, visible, is_active, token_hash, name_folded, created_at,
  updated_at)
VALUES (:name, :event_id, :kinds, :visible, :is_active, :token_hash, fold(:name), :now, :stamp);

-- name: change
UPDATE calendar_subscriptions SET name = :name, name_folded = fold(:name), event_id = :event_id, kinds = :kinds,
  visible = :visible, is_active = :is_active, updated_at = :stamp
 WHERE id = :id;

-- name: rotate
UPDATE calendar_subscriptions SET token_hash = :token_hash, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM calendar_subscriptions WHERE id = :id;
