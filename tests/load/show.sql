-- A large show, for tests/load/reports.py: 150,000 visitors, 4,500 exhibitors, half as many invoices as payments, of two currencies, in random
-- order of their dates. Numbers multiplied by a prime are the chance in it, so that each run has the same.

INSERT INTO events (event_key, title, country, date_from, date_from_at, date_to, date_to_at, over_at, timezone, is_visible, created_at, updated_at)
  VALUES ('show', 'Show', 'DE', '2026-09-01', '2026-08-31T22:00:00Z', '2026-09-04', '2026-09-04T21:59:59Z', '2026-09-04T21:59:59Z', 'Europe/Berlin', 1,
          '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
INSERT INTO categories (category_key, title, is_visible, applicant_visibility, account_access_enabled, base_price, sort_order, created_at, updated_at)
  VALUES ('gold', 'Gold', 1, 'selectable', 1, 90000, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :exhibitors + :visitors)
INSERT INTO contacts (customer_number, company_name, country, rating, account_access_enabled, created_at, updated_at)
SELECT printf('C-%06d', i), 'Company ' || i, 'DE', 3, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;
INSERT INTO participants (event_id, contact_id, role, status, category_id, badge_number, created_at, updated_at)
SELECT 1, id, CASE WHEN id > :exhibitors THEN CASE id % 300 WHEN 0 THEN 'speaker' WHEN 1 THEN 'press' WHEN 2 THEN 'staff' ELSE 'visitor' END
                   WHEN id % 9 = 0 THEN 'co_exhibitor' WHEN id % 100 = 1 THEN 'sponsor' ELSE 'exhibitor' END,
       CASE WHEN id * 7919 % 53 = 0 THEN 'cancelled' WHEN id * 7919 % 53 < 6 THEN 'registered' ELSE 'confirmed' END,
       CASE WHEN id <= :exhibitors AND id % 3 = 0 THEN 1 END, printf('EA%010d', id),
       strftime('%Y-%m-%dT%H:%M:%SZ', 1767222000 + id * 7919 % 20000000, 'unixepoch'), '2026-01-01T00:00:00Z' FROM contacts;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2 * :exhibitors)
INSERT INTO applications (status, company_name, country, rating, late, created_at, updated_at)
SELECT CASE i % 9 WHEN 0 THEN 'new' WHEN 1 THEN 'in_review' WHEN 2 THEN 'info_requested' WHEN 3 THEN 'waitlisted' WHEN 4 THEN 'rejected'
                  WHEN 5 THEN 'withdrawn' ELSE 'approved' END, 'Company ' || i, 'DE', 3, 0,
       strftime('%Y-%m-%dT%H:%M:%SZ', 1767222000 + i * 7919 % 20000000, 'unixepoch'), '2026-01-01T00:00:00Z' FROM n;
INSERT INTO application_events (application_id, event_id) SELECT id, 1 FROM applications;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO plans (event_id, plan_key, plan_name, width, height, grid_size, scale_factor, is_active, sort_order, created_at, updated_at)
SELECT 1, 'hall-' || i, 'Hall ' || i, 200000, 100000, 1, 1000, 1, i, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;
INSERT INTO booth_types (booth_type_key, booth_type_name, open_sides, price_model, price, sort_order, created_at, updated_at)
VALUES ('row', 'Row', 1, 'per_m2', 15000, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
       ('corner', 'Corner', 2, 'per_m2', 17000, 2, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
       ('island', 'Island', 4, 'per_m2', 20000, 3, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
INSERT INTO booths (plan_id, event_id, booth_type_id, booth_number, width, depth, rotation, price, status, held_until, created_at, updated_at)
SELECT 1 + id % 12, 1, nullif(id % 4, 0), 'B' || id, 3000 + id % 5 * 1000, 3000, 0, 180000, CASE WHEN id % 20 < 15 THEN 'sold' WHEN id % 20 < 17 THEN 'reserved'
       WHEN id % 20 < 19 THEN 'available' ELSE 'blocked' END, '2099-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
  FROM contacts WHERE id <= 2 * :exhibitors / 3;
INSERT INTO booth_reservations (booth_id, event_id, event_participant_id, status, final_price, expires_at, created_at, updated_at)
SELECT id, 1, id, CASE status WHEN 'sold' THEN 'confirmed' ELSE 'pending' END, price, held_until, created_at, updated_at
  FROM booths WHERE status IN ('sold', 'reserved');

INSERT INTO services (service_key, service_name, unit, base_price, min_quantity, quantity_step, requires_specification, lead_time_days, is_active,
                      sort_order, created_at, updated_at)
SELECT 'service-' || id, 'Service ' || id, 'piece', 5000, 1, 1, 0, 0, 1, id, created_at, updated_at FROM contacts WHERE id <= 60;
INSERT INTO service_events (service_id, event_id, stock, is_active) SELECT id, 1, 100000, 1 FROM services;
INSERT INTO service_orders (order_number, event_id, event_participant_id, status, currency, subtotal, tax_total, total, submitted_at, created_at, updated_at)
SELECT 'SO-' || id, 1, 1 + id * 7919 % :exhibitors, CASE id % 20 WHEN 0 THEN 'draft' WHEN 1 THEN 'submitted' WHEN 2 THEN 'cancelled' ELSE 'confirmed' END, 'EUR',
       30000, 5700, 35700, '2026-05-01T00:00:00Z', created_at, updated_at FROM contacts WHERE id <= 2 * :exhibitors;
INSERT INTO service_order_items (service_order_id, position, service_id, service_name, unit, quantity, unit_price, net, tax_rate, status)
SELECT o.id, n.value, 1 + (o.id * n.value) % 60, 'Service', 'piece', 2, 5000, 10000, 1900, CASE o.status WHEN 'cancelled' THEN 'cancelled' ELSE 'pending' END
  FROM service_orders o, json_each('[1, 2, 3]') n;

INSERT INTO submission_types (event_id, key, title, input, allowed_extensions, needs_approval, is_required, roles, is_active, sort_order, created_at, updated_at)
VALUES (1, 'logo', 'Logo', 'url', '[]', 1, 1, '["exhibitor","sponsor"]', 1, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
       (1, 'profile', 'Profile', 'text', '[]', 0, 1, '["exhibitor","co_exhibitor"]', 1, 2, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
       (1, 'slides', 'Slides', 'url', '[]', 0, 1, '["speaker"]', 1, 3, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
INSERT INTO submissions (event_id, event_participant_id, type_id, status, revision, created_at, updated_at)
SELECT 1, p.id, t.id, CASE (p.id + t.id) * 7919 % 10 WHEN 0 THEN 'pending' WHEN 1 THEN 'rejected' WHEN 2 THEN 'submitted' ELSE 'approved' END, 1,
       p.created_at, p.updated_at
  FROM participants p CROSS JOIN submission_types t WHERE p.id <= :exhibitors AND t.id < 3 AND p.id % 7;
INSERT INTO documents (document_number, entity_type, entity_id, is_contract, contract_status, created_at, updated_at)
SELECT 'DOC-' || id, 'event_participant', id, 1, CASE id % 5 WHEN 0 THEN 'pending_signature' ELSE 'active' END, created_at, updated_at
  FROM participants WHERE id <= :exhibitors AND id % 2;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :payments / 2)
INSERT INTO invoices (invoice_number, status, contact_id, event_participant_id, event_id, currency, subtotal, tax_total, total, paid_amount, issue_date,
                      due_date, locked_at, created_at, updated_at)
SELECT 'INV-' || i, 'sent', 1, CASE WHEN i <= :exhibitors THEN i END, CASE WHEN i <= :exhibitors OR i % 4 = 0 THEN 1 END,
       CASE i % 9 WHEN 0 THEN 'CHF' ELSE 'EUR' END, 500 * i, 100 * i, 600 * i, CASE WHEN i <= :exhibitors AND i % 8 THEN 600 * i ELSE 0 END,
       date(1750000000 + i * 7919 % 60000000, 'unixepoch'), date(1752000000 + i * 7919 % 60000000, 'unixepoch'), '2026-01-01T00:00:00Z',
       '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;
INSERT INTO invoice_taxes (invoice_id, category, rate, net, tax) SELECT id, 'S', 1900, subtotal, tax_total FROM invoices;
INSERT INTO invoice_items (invoice_id, position, description, quantity, unit_price, tax_rate, tax_category, net, fee_of_participant_id)
SELECT id, 1, 'Fee', 1000, 900000, 1900, 'S', 90000, id FROM participants WHERE category_id IS NOT NULL AND id % 11;
INSERT INTO invoice_items (invoice_id, position, description, quantity, unit_price, tax_rate, tax_category, net, booth_reservation_id, booth_id)
SELECT event_participant_id, 2, 'Booth', 1000, 1800000, 1900, 'S', 180000, id, booth_id
  FROM booth_reservations WHERE status = 'confirmed' AND id % 13;
INSERT INTO invoice_items (invoice_id, position, description, quantity, unit_price, tax_rate, tax_category, net, service_order_id, service_order_item_id)
SELECT o.event_participant_id, 2 + t.id, 'Service', 1000, 100000, 1900, 'S', 10000, o.id, t.id
  FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id WHERE o.status = 'confirmed' AND o.id % 17;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :payments)
INSERT INTO payments (invoice_id, amount, currency, gateway_key, status, payment_date, payment_date_at, created_at, updated_at)
SELECT 1 + i / 2 % (:payments / 2), 100, CASE i % 9 WHEN 0 THEN 'CHF' ELSE 'EUR' END, CASE i % 3 WHEN 0 THEN 'bank' END, 'completed',
       strftime('%Y-%m-%dT%H:%M:%SZ', 1750000000 + i * 7919 % 60000000, 'unixepoch'),
       strftime('%Y-%m-%dT%H:%M:%SZ', 1750000000 + i * 7919 % 60000000, 'unixepoch'), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4 * :visitors / 3)
INSERT INTO check_ins (event_id, event_participant_id, day, check_in_type, station, checked_in_at, ends_at, latest_end_at,
                       closed_by, created_at, updated_at)
SELECT 1, 1 + i * 7919 % (:visitors + :exhibitors), '2026-09-0' || (1 + i % 4), 'scan', 'Door ' || (i % 40),
       strftime('%Y-%m-%dT%H:%M:%SZ', 1788240000 + i % 4 * 86400 + i * 7919 % 28800, 'unixepoch'), '2026-09-04T21:59:59Z',
       '2026-09-0' || (2 + i % 4) || 'T04:00:00Z', CASE i % 3 WHEN 0 THEN 'check_out' END,
       '2026-09-01T00:00:00Z', '2026-09-01T00:00:00Z' FROM n;
