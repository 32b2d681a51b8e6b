-- The confirmed guests that are not ready: they lack a required submission, or have an open contract. Lists of an event with
-- thousands of visitors look the readiness of those up who have booths, and find the guests here. CROSS JOIN keeps the order:
-- few contracts and few types of submissions concern guests.
DROP VIEW unready_participants;

CREATE VIEW unready_guests AS
SELECT p.id, p.event_id FROM documents d INDEXED BY documents_contracts CROSS JOIN participants p ON p.id = d.entity_id
 WHERE d.entity_type = 'event_participant' AND d.is_contract
   AND p.status = 'confirmed' AND p.role IN ('speaker', 'visitor', 'press', 'staff')
   AND NOT EXISTS (SELECT 1 FROM documents a INDEXED BY documents_contracts
                    WHERE a.entity_type = 'event_participant' AND a.is_contract AND a.entity_id = d.entity_id
                      AND a.contract_status = 'active')
 UNION ALL
SELECT p.id, p.event_id FROM submission_types t CROSS JOIN participants p ON p.event_id = t.event_id
 WHERE t.is_required AND t.is_active AND p.role IN (SELECT value FROM json_each(t.roles))
   AND p.status = 'confirmed' AND p.role IN ('speaker', 'visitor', 'press', 'staff')
   AND EXISTS (SELECT 1 FROM required_submissions q WHERE q.event_participant_id = p.id AND NOT q.is_done);
