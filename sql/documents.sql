-- Documents.

-- columns: shown = d.id, d.document_number, d.title, d.entity_type, d.entity_id, d.category_id,
--   k.key AS category_key, k.name AS category_name, d.template_id, t.key AS template_key, d.language, d.metadata,
--   d.content, d.missing, d.filename, d.content_type, d.size, d.sha256, d.width, d.height, d.e_invoice,
--   d.is_contract, d.contract_status, d.esign_status, d.signature_sha256, d.requested_at, d.requested_by,
--   d.signer_name, d.signed_at, d.signed_by, d.terminated_at, d.terminated_by, d.created_at, d.updated_at
-- columns: new = document_number title entity_type entity_id category_id template_id language metadata content
--   missing filename sha256 content_type size width height is_contract contract_status
-- columns: signing = contract_status esign_status sha256 content_type size signature_sha256 requested_at requested_by
--   signer_name signed_at signed_by terminated_at terminated_by

-- name: get
SELECT {shown}
  FROM documents d
  LEFT JOIN document_categories k ON k.id = d.category_id
  LEFT JOIN document_templates t ON t.id = d.template_id
 WHERE d.id = :id;

-- name: list
SELECT {shown}
  FROM documents d
  LEFT JOIN document_categories k ON k.id = d.category_id
  LEFT JOIN document_templates t ON t.id = d.template_id
 WHERE TRUE
   AND d.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(d.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND d.entity_type = :entity_type                                 -- when entity_type
   AND d.entity_id = :entity_id                                     -- when entity_id
   AND d.category_id = :category_id                                 -- when category_id
   AND d.template_id = :template_id                                 -- when template_id
   AND d.is_contract = :is_contract                                 -- when is_contract
   AND d.is_e_invoice = :is_e_invoice                               -- when is_e_invoice
   AND d.contract_status = :contract_status                         -- when contract_status
   AND d.esign_status = :esign_status                               -- when esign_status
 ORDER BY {sort} {order} NULLS LAST, d.id {order}  -- sort: id=d.id document_number=d.document_number created_at=d.id updated_at=d.updated_at contract_status=d.contract_status esign_status=d.esign_status

-- name: of_entity
SELECT id FROM documents WHERE entity_type = :entity_type AND entity_id = :entity_id ORDER BY id;

-- name: template
SELECT id, name, category_id, body, is_contract FROM document_templates WHERE id = :id;

-- name: default_template
SELECT default_template_id FROM document_categories WHERE id = :id;

-- name: live_contract
-- A contract of a template that a participant has been sent, and that waits or is active.
SELECT id, document_number, contract_status FROM documents
 WHERE entity_type = 'event_participant' AND entity_id = :participant_id AND template_id = :template_id
   AND contract_status IN ('pending_signature', 'active')
 ORDER BY id LIMIT 1;

-- name: waiting_contract
-- The last contract of a participant that waits for its signature.
SELECT id, title, document_number FROM documents
 WHERE entity_type = 'event_participant' AND entity_id = :participant_id AND contract_status = 'pending_signature'
 ORDER BY id DESC LIMIT 1;

-- name: invoice_lines_of
SELECT i.id, i.currency, l.position, l.description, l.quantity, l.unit, l.unit_price, l.tax_rate, l.net
  FROM invoices i JOIN invoice_items l ON l.invoice_id = i.id
 WHERE i.id IN (SELECT value FROM json_each(:ids)) ORDER BY i.id, l.position;

-- name: order_lines_of
-- Items of service orders that are not cancelled.
SELECT o.id, o.currency, l.position, l.service_name AS description, l.quantity, l.unit, l.unit_price, l.tax_rate, l.net
  FROM service_orders o JOIN service_order_items l ON l.service_order_id = o.id
 WHERE o.id IN (SELECT value FROM json_each(:ids)) AND l.status <> 'cancelled' ORDER BY o.id, l.position;

-- name: users
-- What refers to the document, as nouns for the error text.
SELECT 'submissions' AS noun FROM submissions WHERE document_id = :id
 UNION SELECT 'an event whose picture it is' FROM events WHERE image_document_id = :id
 UNION SELECT 'a profile whose logo it is' FROM profiles WHERE logo_document_id = :id;

-- name: handed_in
-- Status of a submission that shows the document and may no longer change.
SELECT status FROM submissions WHERE document_id = :id
  AND status NOT IN ('pending', 'revision_requested', 'rejected') LIMIT 1;

-- name: add
INSERT INTO documents ({new}, created_at, updated_at) VALUES ({:new}, :now, :stamp);

-- name: change
UPDATE documents SET title = :title, category_id = :category_id, language = :language, metadata = :metadata,
  content = :content, filename = :filename, updated_at = :stamp
 WHERE id = :id;

-- name: hold
-- Set the stored file.
UPDATE documents SET sha256 = :sha256, content_type = :content_type, size = :size, width = :width, height = :height,
  e_invoice = :e_invoice, updated_at = :stamp
 WHERE id = :id;

-- name: of_supplier
-- The last e-invoices of a supplier in other documents than :id, newest first.
SELECT id, e_invoice ->> '$.number' AS number,
  e_invoice ->> '$.iban' AS iban FROM documents INDEXED BY documents_by_supplier
 WHERE coalesce(e_invoice ->> '$.seller.vat_id', e_invoice ->> '$.seller.name') = :supplier AND e_invoice IS NOT NULL
   AND id <> :id
 ORDER BY id DESC LIMIT 1000;

-- name: move
UPDATE documents SET {signing = :signing}, updated_at = :stamp WHERE id = :id;

-- name: hand_over
UPDATE documents SET entity_id = :entity_id, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM documents WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_of_records
-- Signed contracts stay until their retention period has ended.
DELETE FROM documents WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'document')
   AND coalesce(contract_status, 'draft') NOT IN ('active', 'terminated');

-- name: blank
UPDATE documents SET metadata = NULL, e_invoice = NULL, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'document')
   AND (metadata IS NOT NULL OR e_invoice IS NOT NULL);
