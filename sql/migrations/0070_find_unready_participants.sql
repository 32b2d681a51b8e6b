-- The participants that are not ready, for lists of an event with thousands of visitors: `readiness` is looked up for those
-- with booths only. Visitors and other guests are not ready if they are not confirmed, lack a required submission, or have an
-- open contract. CROSS JOIN keeps the order: few types of submissions and few documents concern guests.
CREATE VIEW unready_participants AS
SELECT id, event_id FROM participants WHERE status IN ('registered', 'cancelled')
 UNION ALL
SELECT p.id, p.event_id FROM participants p JOIN readiness f ON f.id = p.id
 WHERE p.status = 'confirmed' AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND NOT f.is_ready
 UNION ALL
SELECT p.id, p.event_id FROM open_contracts o CROSS JOIN participants p ON p.id = o.event_participant_id
 WHERE p.status = 'confirmed' AND p.role IN ('speaker', 'visitor', 'press', 'staff')
 UNION ALL
SELECT p.id, p.event_id FROM submission_types t CROSS JOIN participants p ON p.event_id = t.event_id
 WHERE t.is_required AND t.is_active AND instr(t.roles, '"' || p.role || '"')
   AND p.status = 'confirmed' AND p.role IN ('speaker', 'visitor', 'press', 'staff')
   AND EXISTS (SELECT 1 FROM required_submissions q WHERE q.event_participant_id = p.id AND NOT q.is_done);
