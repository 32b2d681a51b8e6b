-- The mail queue and its history.
-- columns: to_send = id kind entity_type entity_id admin_id recipient subject base_url language text details attempts message_id

-- name: get
SELECT id, kind, entity_type, entity_id, recipient, subject, base_url, state, attempts, next_at, message_id, error,
  created_at, updated_at
  FROM mails WHERE id = :id;

-- name: last
SELECT coalesce(max(id), 0) FROM mails;

-- name: first_after
SELECT id, kind, entity_type, entity_id, recipient, language, text, details, subject, base_url, admin_id
  FROM mails WHERE id > :id AND kind != :but ORDER BY id LIMIT 1;

-- name: in_state
SELECT id, kind, recipient, subject, state, attempts, next_at, error, updated_at
  FROM mails WHERE state = :state ORDER BY id;

-- name: add
INSERT INTO mails (kind, priority, turn, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text,
  details, state, next_at, message_id, created_at, updated_at)
VALUES (:kind, :priority, :turn, :entity_type, :entity_id, :admin_id, :recipient, :subject, :base_url, :language, :text,
  :details, 'queued', :next_at, :message_id, :now, :now);

-- name: withdraw
-- Remove a mail that has not been sent yet.
DELETE FROM mails WHERE entity_type = :entity_type AND entity_id = :entity_id AND kind = :kind AND state = 'queued';

-- name: redirect
UPDATE mails SET recipient = :recipient
 WHERE entity_type = :entity_type AND entity_id = :entity_id AND state IN ('queued', 'failed')
   AND kind <> 'link_notice';

-- name: drop_redirected
DELETE FROM mails WHERE entity_type = :entity_type AND entity_id = :entity_id AND state IN ('queued', 'failed')
  AND kind <> 'link_notice';

-- name: turn_into
UPDATE mails SET kind = :other_kind, subject = :subject
 WHERE entity_type = :entity_type AND entity_id = :entity_id AND state = 'queued' AND kind = :kind;

-- name: waiting
SELECT id FROM mails WHERE entity_type = :entity_type AND entity_id = :entity_id AND kind = :kind
  AND state IN ('queued', 'sending') LIMIT 1;

-- name: due
-- The mail that leaves next. `places` has all pairs of priority and turn in order. For each, the index has the mail that is
-- due first at its beginning, so that mails with a later time cost nothing.
SELECT {m.to_send}
  FROM json_each(:places) p CROSS JOIN mails m ON m.id = (
    SELECT n.id FROM mails n WHERE n.state = 'queued' AND n.priority = p.value ->> 0 AND n.turn = p.value ->> 1
      AND n.next_at <= :now
     ORDER BY n.next_at, n.id LIMIT 1)
 ORDER BY p.key LIMIT 1;

-- name: longest_due
-- The mail that has been due longest, whatever its priority.
SELECT {m.to_send} FROM mails m INDEXED BY mails_due WHERE m.state = 'queued' AND m.next_at <= :now
 ORDER BY m.next_at, m.id LIMIT 1;

-- name: bring_forward
-- Retry at once what is scheduled later than any wait allows: the clock was ahead at that time.
UPDATE mails SET next_at = :now WHERE state = 'queued' AND next_at > :latest;

-- name: recent_attempt
-- Time of the attempt that `others` later ones followed. Attempts in the future, made while the clock was wrong, are
-- ignored.
SELECT taken_at FROM mails WHERE taken_at <= :now ORDER BY taken_at DESC LIMIT 1 OFFSET :others;

-- name: take
-- Mark a mail as being sent. `lease` identifies the attempt.
UPDATE mails SET state = 'sending', attempts = attempts + 1, next_at = NULL, lease = :lease, taken_at = :now,
  updated_at = :now
 WHERE id = :id;

-- name: settle
-- Store the result of the attempt with this lease. Another attempt comes after the first attempts of other mails.
UPDATE mails SET state = :state, next_at = :next_at, error = :error, lease = NULL, updated_at = :now,
       priority = iif(:state = 'queued', max(priority, 1), priority), turn = iif(:state = 'queued', :last_turn, turn)
 WHERE id = :id AND lease = :lease;

-- name: is_any_sending
SELECT 1 FROM mails WHERE state = 'sending' LIMIT 1;

-- name: cut_off
-- Mails whose sending was interrupted. They may have been sent, so they are not sent again.
UPDATE mails SET state = 'uncertain', error = :error, updated_at = :now WHERE state = 'sending';

-- name: send_again
UPDATE mails SET state = 'queued', next_at = :now, attempts = 0, error = NULL, lease = NULL, updated_at = :now
 WHERE id = :id AND state IN ('failed', 'uncertain');

-- name: forget
-- The last test mail that was sent is kept: it proves that mails leave.
DELETE FROM mails WHERE id IN
  (SELECT id FROM mails WHERE updated_at <= :before AND state IN ('sent', 'failed', 'uncertain')
      AND id IS NOT (SELECT max(t.id) FROM mails t
                      WHERE t.entity_type = 'admin' AND t.kind = 'mail_test' AND t.state = 'sent')
    ORDER BY updated_at LIMIT :size);

-- name: states
SELECT state, count(*) AS count FROM mails GROUP BY state;

-- name: oldest
-- Creation time of the first mail that is due.
SELECT created_at FROM mails WHERE state = 'queued' AND next_at <= :now ORDER BY next_at, id LIMIT 1;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_confirmations
DELETE FROM mails WHERE entity_type = 'application_draft'
  AND recipient = (SELECT c.email FROM contacts c WHERE c.id = :id);

-- name: drop_of_records
DELETE FROM mails WHERE id IN (SELECT r.id FROM json_each(:pairs) p CROSS JOIN mails r ON r.entity_type = p.value ->> 0
  AND r.entity_id = p.value ->> 1);
