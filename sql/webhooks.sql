-- Webhooks, their deliveries, and the feed. A pending delivery with next_attempt_at NULL waits for an earlier event
-- of the same record.

-- columns: fields = api_key_id name url events is_active retry_count timeout_seconds

-- name: get
SELECT w.id, {w.fields}, w.last_triggered_at, w.last_success_at, w.last_failure_at, w.failure_count, w.created_at,
  w.updated_at
  FROM webhooks w WHERE w.id = :id;

-- name: list
SELECT w.id, {w.fields}, w.last_triggered_at, w.last_success_at, w.last_failure_at, w.failure_count, w.created_at,
  w.updated_at
  FROM webhooks w
 WHERE TRUE
   AND w.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(w.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND w.is_active = :is_active                                -- when is_active
 ORDER BY {sort} {order}, w.id {order}  -- sort: id=w.id name=fold(w.name) created_at=w.id

-- name: headers
SELECT headers FROM webhooks WHERE id = :id;

-- name: active
SELECT count(*) FROM webhooks WHERE is_active = 1;

-- name: add
INSERT INTO webhooks ({fields}, headers, secret, last_event_id, created_at, updated_at)
VALUES ({:fields}, :headers, :secret, 0, :now, :stamp);

-- name: change
UPDATE webhooks SET {fields = :fields}, headers = :headers, updated_at = :stamp WHERE id = :id;

-- name: begin_here
-- The webhook receives only events after this point.
UPDATE webhooks SET last_event_id = (SELECT coalesce(max(id), 0) FROM outgoing_events), failing_since = NULL,
  failure_count = 0 WHERE id = :id;

-- name: rotate
UPDATE webhooks SET previous_secret = secret, previous_secret_ends_at = :until, secret = :secret, updated_at = :stamp
 WHERE id = :id;

-- name: remove
DELETE FROM webhooks WHERE id = :id;

-- name: switch_off
UPDATE webhooks SET is_active = 0, updated_at = :stamp WHERE id = :id;

-- name: owner
SELECT k.admin_id, a.is_active FROM webhooks w JOIN api_keys k ON k.id = w.api_key_id JOIN admins a ON a.id = k.admin_id
 WHERE w.id = :id;

-- name: delivery
SELECT d.id, d.webhook_id, d.outgoing_id, d.event_name, d.entity_type, d.entity_id, d.event_at, d.status, d.attempts,
       d.attempt_count, d.next_attempt_at, d.response_status, d.error, d.duration_ms, d.delivered_at, d.created_at,
       d.updated_at
  FROM webhook_deliveries d WHERE d.webhook_id = :webhook_id AND d.id = :id;

-- name: deliveries
SELECT d.id, d.webhook_id, d.outgoing_id, d.event_name, d.entity_type, d.entity_id, d.event_at, d.status, d.attempts,
       d.attempt_count, d.next_attempt_at, d.response_status, d.error, d.duration_ms, d.delivered_at, d.created_at,
       d.updated_at
  FROM webhook_deliveries d
 WHERE d.webhook_id = :webhook_id
   AND d.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND d.updated_at >= :updated_since                          -- when updated_since
   AND d.status = :status                                      -- when status
   AND d.event_name = :event_type                              -- when event_type
 ORDER BY {sort} {order}, d.id {order}  -- sort: id=d.id created_at=d.id

-- name: add_test
-- A delivery of an event to this webhook, whether or not the webhook has chosen this event.
INSERT INTO webhook_deliveries (webhook_id, outgoing_id, event_name, entity_type, entity_id, event_at, status,
  next_attempt_at, created_at, updated_at)
SELECT :webhook_id, o.id, o.name, o.entity_type, o.entity_id, o.created_at, 'pending', :now,
  :now, :stamp FROM outgoing_events o WHERE o.id = :outgoing_id;

-- name: delivery_of
SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND outgoing_id = :outgoing_id;

-- name: send_again
-- Send a delivery again that has succeeded or failed.
UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = :now, delivered_at = NULL,
  updated_at = :stamp
 WHERE id = :id AND status IN ('delivered', 'failed');

-- name: request_redelivery
-- Send a delivery again after the attempt that is being made.
UPDATE webhook_deliveries SET redelivery_requested = 1, updated_at = :stamp WHERE id = :id AND status = 'delivering';

-- name: hold_back
-- Let all pending deliveries of a record wait for the first open one.
UPDATE webhook_deliveries SET next_attempt_at = NULL
 WHERE webhook_id = :webhook_id AND entity_type = :entity_type AND entity_id = :entity_id AND status = 'pending'
   AND next_attempt_at IS NOT NULL
   AND outgoing_id > (SELECT outgoing_id FROM webhook_deliveries
                       WHERE webhook_id = :webhook_id AND entity_type = :entity_type AND entity_id = :entity_id
                         AND status IN ('pending', 'delivering') ORDER BY outgoing_id LIMIT 1);

-- name: send_now
-- Do not wait for the next attempt.
UPDATE webhook_deliveries SET next_attempt_at = :now, updated_at = :stamp WHERE id = :id AND status = 'pending'
  AND next_attempt_at > :now;

-- name: is_on
-- Whether the tenant can use webhooks. Events that happen in the meantime are delivered later.
SELECT (SELECT enabled FROM flags WHERE name = 'webhooks') AND (SELECT tier FROM tenant) = 'Business+';

-- name: behind
-- The oldest event up to which an active webhook has been processed, and the newest event.
SELECT (SELECT last_event_id FROM webhooks WHERE is_active = 1 ORDER BY last_event_id LIMIT 1) AS after,
       (SELECT max(id) FROM outgoing_events) AS newest;

-- name: last_delivery
SELECT coalesce(max(id), 0) FROM webhook_deliveries;

-- name: fan_out
-- Create deliveries of new events for all webhooks that have chosen them and whose key may read them.
INSERT INTO webhook_deliveries (webhook_id, outgoing_id, event_name, entity_type, entity_id, event_at, status,
  created_at, updated_at)
SELECT w.id, o.id, o.name, o.entity_type, o.entity_id, o.created_at, 'pending', :now, :stamp
  FROM outgoing_events o CROSS JOIN webhooks w
  CROSS JOIN api_keys k ON k.id = w.api_key_id
  CROSS JOIN admins a ON a.id = k.admin_id
 WHERE o.id > :after AND o.id <= :until AND w.is_active = 1 AND w.last_event_id < o.id
   AND w.id = :webhook_id                                                                                   -- when webhook_id
   AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now) AND a.is_active = 1
   AND (instr(' ' || k.scopes || ' ', ' ' || o.scope || ' ')
   OR instr(' ' || k.scopes || ' ', ' ' || o.scope || ':read '))
   AND EXISTS (SELECT 1 FROM json_each(w.events) p WHERE o.name GLOB p.value)
 ORDER BY o.id
 ON CONFLICT (webhook_id, outgoing_id) DO NOTHING;

-- name: release_first
-- Of each record, only the first open event may be sent.
UPDATE webhook_deliveries SET next_attempt_at = :now
 WHERE id > :after AND status = 'pending' AND next_attempt_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e
                    WHERE e.webhook_id = webhook_deliveries.webhook_id
                    AND e.entity_type = webhook_deliveries.entity_type
                      AND e.entity_id = webhook_deliveries.entity_id AND e.outgoing_id < webhook_deliveries.outgoing_id
                      AND e.status IN ('pending', 'delivering'));

-- name: release_next
-- Allow the next event of a record to be sent.
UPDATE webhook_deliveries SET next_attempt_at = :now
 WHERE id = (SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND entity_type = :entity_type
   AND entity_id = :entity_id
                AND status IN ('pending', 'delivering') ORDER BY outgoing_id LIMIT 1)
   AND status = 'pending' AND next_attempt_at IS NULL;

-- name: looked_at
-- Record up to which event the webhooks have been processed.
UPDATE webhooks SET last_event_id = :until
 WHERE is_active = 1 AND last_event_id < :until
   AND id = :webhook_id                                                                                     -- when webhook_id
;

-- name: with_work
-- Webhooks with a delivery that is due, or with an expired lease. A lease that ends too far in the future was taken
-- while the clock was wrong.
SELECT w.id FROM webhooks w
 WHERE w.is_active = 1
   AND (w.lease IS NULL OR w.lease_ends_at NOT BETWEEN :now AND strftime('%Y-%m-%dT%H:%M:%SZ', :now, '+70 seconds'))
   AND (w.lease IS NOT NULL
   OR EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending'
                                          AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now))
 ORDER BY w.id;

-- name: bring_forward
-- Retry at once what is scheduled later than any wait allows: the clock was ahead at that time.
UPDATE webhook_deliveries SET next_attempt_at = :now
 WHERE webhook_id IN (SELECT id FROM webhooks) AND status = 'pending' AND next_attempt_at > :latest;

-- name: take_lease
-- Take or extend the lease. Changes no row if another process holds it.
UPDATE webhooks SET lease = :lease,
  lease_ends_at = strftime('%Y-%m-%dT%H:%M:%SZ', :now, '+' || (timeout_seconds + 10) || ' seconds')
 WHERE id = :id AND is_active = 1
   AND (lease IS NULL OR lease = :lease
   OR lease_ends_at NOT BETWEEN :now AND strftime('%Y-%m-%dT%H:%M:%SZ', :now, '+70 seconds'));

-- name: give_lease_back
UPDATE webhooks SET lease = NULL, lease_ends_at = NULL WHERE id = :id AND lease = :lease;

-- name: cut_off
-- Deliveries whose lease ran out during the attempt. It is unknown whether they arrived, so they are sent again. That
-- attempt is also the one that a redelivery requests.
UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = :now, failures = CASE redelivery_requested
  WHEN 1 THEN 0 ELSE failures END,
  redelivery_requested = 0, updated_at = :stamp
 WHERE webhook_id = :id AND status = 'delivering';

-- name: due
-- The next delivery that is due, with the message and the secrets. is_allowed: the key is valid and may still read
-- the event.
SELECT d.id, d.webhook_id, d.outgoing_id, d.event_name, d.entity_type, d.entity_id, d.event_at, d.failures, o.data,
       o.id IS NOT NULL AS is_kept,
       coalesce(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now) AND a.is_active = 1
         AND (instr(' ' || k.scopes || ' ', ' ' || o.scope || ' ')
         OR instr(' ' || k.scopes || ' ', ' ' || o.scope || ':read ')), 0) AS is_allowed,
       w.url, w.headers, w.timeout_seconds, w.retry_count, w.secret,
       CASE WHEN w.previous_secret_ends_at > :now THEN w.previous_secret END AS previous_secret
  FROM webhook_deliveries d CROSS JOIN webhooks w ON w.id = d.webhook_id
  CROSS JOIN api_keys k ON k.id = w.api_key_id
  CROSS JOIN admins a ON a.id = k.admin_id
  LEFT JOIN outgoing_events o ON o.id = d.outgoing_id
 WHERE d.webhook_id = :id AND d.status = 'pending' AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now
 ORDER BY d.next_attempt_at, d.outgoing_id LIMIT 1;

-- name: delivering
UPDATE webhook_deliveries SET status = 'delivering', updated_at = :stamp WHERE id = :id;

-- name: holds_lease
-- A row if this process still holds the lease for the delivery.
SELECT w.failing_since, d.attempts, d.redelivery_requested FROM webhooks w
  JOIN webhook_deliveries d ON d.webhook_id = w.id
 WHERE w.id = :id AND w.lease = :lease AND d.id = :delivery_id AND d.status = 'delivering';

-- name: attempted
UPDATE webhook_deliveries SET status = :status, attempts = :attempts, attempt_count = attempt_count + 1,
  failures = :failures, redelivery_requested = 0, next_attempt_at = :next_attempt_at,
  response_status = :response_status, error = :error, duration_ms = :duration_ms, delivered_at = CASE :status
    WHEN 'delivered' THEN :now END, updated_at = :stamp
 WHERE id = :id;

-- name: succeeded
UPDATE webhooks SET last_triggered_at = :now, last_success_at = :now, failing_since = NULL, failure_count = 0
 WHERE id = :id;

-- name: failed
UPDATE webhooks SET last_triggered_at = :now, last_failure_at = :now, failing_since = coalesce(failing_since, :now),
  failure_count = failure_count + 1
 WHERE id = :id;

-- name: waiting
SELECT count(*) AS deliveries, min(outgoing_id) AS first_event FROM webhooks w
  JOIN webhook_deliveries d ON d.webhook_id = w.id
 WHERE w.is_active = 1 AND d.status IN ('pending', 'delivering');

-- name: event_at
-- Time of an event, or of the next one if it has been deleted.
SELECT created_at FROM outgoing_events WHERE id >= :id ORDER BY id LIMIT 1;

-- name: states
SELECT coalesce(sum(is_active), 0) AS active, coalesce(sum(1 - is_active), 0) AS inactive,
       coalesce(sum(is_active AND failing_since IS NOT NULL), 0) AS failing FROM webhooks;

-- name: stuck
-- Deliveries that should have been sent long ago. For `eventapi check`.
SELECT d.webhook_id, count(*) AS deliveries, min(d.event_at) AS oldest FROM webhooks w
  JOIN webhook_deliveries d ON d.webhook_id = w.id
 WHERE w.is_active = 1 AND d.status IN ('pending', 'delivering') AND d.updated_at < :before
   AND (d.status = 'delivering' OR d.next_attempt_at < :before
        OR d.next_attempt_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM webhook_deliveries e WHERE e.webhook_id = d.webhook_id AND e.entity_type = d.entity_type
               AND e.entity_id = d.entity_id
                AND e.outgoing_id < d.outgoing_id AND e.status IN ('pending', 'delivering')))
 GROUP BY d.webhook_id;

-- name: forget_deliveries
-- Ids are in order of time, so that no index on the time is needed.
DELETE FROM webhook_deliveries WHERE id IN
  (SELECT id FROM (SELECT id, created_at FROM webhook_deliveries ORDER BY id LIMIT :size) WHERE created_at <= :before);

-- name: feed
SELECT o.id, o.name, o.data, o.created_at FROM outgoing_events o
 WHERE o.id > :after AND o.id <= :until AND o.scope IN (SELECT value FROM json_each(:scopes))
 ORDER BY o.id LIMIT :size;

-- name: kept
-- First and last event that are kept, and the last id given out.
SELECT (SELECT min(id) FROM outgoing_events) AS oldest, (SELECT max(id) FROM outgoing_events) AS newest,
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outgoing_events'), 0) AS given;

-- name: event
SELECT id, created_at FROM outgoing_events WHERE id = :id;
