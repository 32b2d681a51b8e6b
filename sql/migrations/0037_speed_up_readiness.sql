-- Contracts of participants, in the order of the participants: whether one of them is active.
CREATE INDEX documents_contracts ON documents (entity_id, contract_status) WHERE is_contract AND entity_type = 'event_participant';

-- Open invoices, with the participant who owes them.
DROP INDEX invoices_open;
CREATE INDEX invoices_open ON invoices (currency, open_amount, contact_id, status, locked_at, due_date, event_id, event_participant_id)
  WHERE open_amount <> 0 AND locked_at IS NOT NULL;

-- Participants with a draft.
CREATE INDEX invoices_drafts ON invoices (event_participant_id) WHERE status = 'draft' AND event_participant_id IS NOT NULL;
