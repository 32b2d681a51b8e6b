-- Schedule slots and their assignments.

-- columns: fields = slot_date start_time end_time starts_at ends_at location title description slot_type is_public capacity
--   allow_overlap sort_order

-- name: get
SELECT s.id, s.event_id, e.event_key, e.title AS event_title, {s.fields},
       (SELECT json_group_array(json_object('event_participant_id', a.event_participant_id, 'role', a.role))
          FROM (SELECT event_participant_id, role FROM schedule_assignments WHERE schedule_slot_id = s.id
          ORDER BY id) a) AS assignments,
       s.created_at, s.updated_at
  FROM schedule_slots s JOIN events e ON e.id = s.event_id
 WHERE s.id = :id;

-- name: list
SELECT s.id, s.event_id, e.event_key, e.title AS event_title, {s.fields}, s.created_at, s.updated_at
  FROM schedule_slots s
  LEFT JOIN events e ON e.id = s.event_id
 WHERE s.event_id = :event_id
   AND s.id IN (SELECT value FROM json_each(:ids))                         -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND s.slot_date = :date                                                 -- when date
   AND s.slot_date >= :from_date                                           -- when from_date
   AND s.slot_date <= :to_date                                             -- when to_date
   AND s.location_folded = :location                                       -- when location
   AND s.slot_type = :slot_type                                            -- when slot_type
   AND s.is_public = :is_public                                            -- when is_public
 ORDER BY {sort} {order} NULLS LAST, s.id {order}  -- sort: id=s.id starts_at=s.starts_at title=s.title_folded sort_order=s.sort_order created_at=s.created_at

-- name: assignments_of
SELECT a.schedule_slot_id, a.event_participant_id, a.role, p.contact_id, c.customer_number, c.company_name,
       c.first_name, c.last_name, p.role AS participant_role, p.status
  FROM schedule_assignments a JOIN participants p ON p.id = a.event_participant_id
  JOIN contacts c ON c.id = p.contact_id
 WHERE a.schedule_slot_id IN (SELECT value FROM json_each(:ids)) ORDER BY a.id;

-- name: event
SELECT id, event_key, timezone FROM events WHERE id = :id;

-- name: participants
SELECT id, event_id, status FROM participants WHERE id IN (SELECT value FROM json_each(:ids));

-- name: attendees
SELECT count(*) FROM schedule_assignments WHERE schedule_slot_id = :id AND role = 'attendee';

-- name: clash
-- Another slot at the same time with the same location, or with the same contact as speaker or host.
SELECT s.id, s.title, s.slot_date, s.start_time, s.end_time, s.starts_at, s.ends_at, s.location, 'location' AS reason,
       NULL AS event_participant_id
  FROM schedule_slots n CROSS JOIN schedule_slots s ON s.event_id = n.event_id AND s.location_folded = n.location_folded
 WHERE n.id = :id AND s.id <> n.id AND s.starts_at < n.ends_at AND s.ends_at > n.starts_at AND NOT n.allow_overlap
   AND NOT s.allow_overlap
 UNION ALL
SELECT s.id, s.title, s.slot_date, s.start_time, s.end_time, s.starts_at, s.ends_at, s.location, mine.role,
       mine.event_participant_id
  FROM schedule_slots n
  CROSS JOIN schedule_assignments mine ON mine.schedule_slot_id = n.id AND mine.role IN ('speaker', 'host')
  CROSS JOIN participants p ON p.id = mine.event_participant_id
  CROSS JOIN participants q ON q.contact_id = p.contact_id AND q.event_id = p.event_id
  CROSS JOIN schedule_assignments theirs ON theirs.event_participant_id = q.id AND theirs.role IN ('speaker', 'host')
  CROSS JOIN schedule_slots s ON s.id = theirs.schedule_slot_id
 WHERE n.id = :id AND s.id <> n.id AND s.starts_at < n.ends_at AND s.ends_at > n.starts_at AND NOT n.allow_overlap
   AND NOT s.allow_overlap
 LIMIT 1;

-- name: add
INSERT INTO schedule_slots (event_id, {fields}, location_folded, title_folded, created_at, updated_at)
VALUES (:event_id, {:fields}, :location_folded, fold(:title), :now, :stamp);

-- name: change
UPDATE schedule_slots SET event_id = :event_id, {fields = :fields}, location_folded = :location_folded,
  title_folded = fold(:title), updated_at = :stamp
 WHERE id = :id;

-- name: move
-- Set the times in UTC after the time zone of the event has changed.
UPDATE schedule_slots SET starts_at = :starts_at, ends_at = :ends_at, updated_at = :stamp WHERE id = :id;

-- name: touch
UPDATE schedule_slots SET updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM schedule_slots WHERE id = :id;

-- name: assign
INSERT INTO schedule_assignments (schedule_slot_id, event_participant_id, role)
  VALUES (:id, :event_participant_id, :role);

-- name: unassign
DELETE FROM schedule_assignments WHERE schedule_slot_id = :id;

-- name: release
DELETE FROM schedule_assignments WHERE schedule_slot_id = :id AND event_participant_id = :event_participant_id;

-- name: of_event
SELECT id FROM schedule_slots WHERE event_id = :event_id ORDER BY id;

-- name: of_participant
SELECT DISTINCT schedule_slot_id FROM schedule_assignments WHERE event_participant_id = :event_participant_id
 ORDER BY schedule_slot_id;

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: drop_second_assignments
-- Assignments that the other participant already has.
DELETE FROM schedule_assignments WHERE event_participant_id = :id AND (schedule_slot_id, role) IN (
  SELECT schedule_slot_id, role FROM schedule_assignments WHERE event_participant_id = :participant_id);

-- name: hand_over_assignments
UPDATE schedule_assignments SET event_participant_id = :participant_id WHERE event_participant_id = :id;
