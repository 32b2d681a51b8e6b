-- Today and the lists of a show with thousands of exhibitors: indexes by event and by participant contain what is counted, so that
-- no row is read for it. They keep the order by id inside of an event, which pages of lists need.
DROP INDEX booth_reservations_by_event;
CREATE INDEX booth_reservations_by_event
  ON booth_reservations (event_id, id, status, event_participant_id, final_price, booth_id);
DROP INDEX booth_reservations_by_participant;
CREATE INDEX booth_reservations_by_participant
  ON booth_reservations (event_participant_id, status, final_price, booth_id);
CREATE INDEX booth_reservations_moved ON booth_reservations (event_id, event_participant_id) WHERE moved_from IS NOT NULL;
DROP INDEX service_orders_by_event;
CREATE INDEX service_orders_by_event ON service_orders (event_id, id, status, event_participant_id);
DROP INDEX invoices_by_event;
CREATE INDEX invoices_by_event ON invoices
  (event_id, id, status, due_date, invoice_type, total, overdue_from, open_amount, paid_amount, currency, event_participant_id);
DROP INDEX invoices_by_participant;
CREATE INDEX invoices_by_participant ON invoices (event_participant_id, status, invoice_type, total);
DROP INDEX invoice_items_by_order;
CREATE INDEX invoice_items_by_order ON invoice_items (service_order_id, service_order_item_id) WHERE service_order_id IS NOT NULL;
DROP INDEX invoice_items_by_reservation;
CREATE INDEX invoice_items_by_reservation ON invoice_items (booth_reservation_id, booth_id)
  WHERE booth_reservation_id IS NOT NULL;
DROP INDEX participants_by_event_and_role;
CREATE INDEX participants_by_event_and_role ON participants (event_id, role, id, status, created_at, category_id);
DROP INDEX submissions_by_event;
DROP INDEX submissions_by_event_and_status;
CREATE INDEX submissions_by_event ON submissions (event_id, id, status, created_at);
CREATE INDEX submissions_by_participant ON submissions (event_participant_id, type_id, status);
DROP INDEX links_by_event;
CREATE INDEX links_by_event ON links (event_id, id, participant_id, revoked_at, expires_at);
CREATE INDEX service_order_items_cancelled ON service_order_items (service_order_id) WHERE status = 'cancelled';
