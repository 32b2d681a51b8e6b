-- Service orders are found by the words of their number: SO-2027-00012 by 2027, by 00012 and by the whole.
CREATE VIRTUAL TABLE service_orders_search USING fts5 (order_number, content = 'service_orders', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER service_orders_search_insert AFTER INSERT ON service_orders WHEN NEW.order_number IS NOT NULL BEGIN
  INSERT INTO service_orders_search (rowid, order_number) VALUES (NEW.id, NEW.order_number);
END;
CREATE TRIGGER service_orders_search_delete AFTER DELETE ON service_orders WHEN OLD.order_number IS NOT NULL BEGIN
  INSERT INTO service_orders_search (service_orders_search, rowid, order_number)
  VALUES ('delete', OLD.id, OLD.order_number);
END;
CREATE TRIGGER service_orders_search_update AFTER UPDATE OF order_number ON service_orders
WHEN NEW.order_number IS NOT OLD.order_number BEGIN
  INSERT INTO service_orders_search (service_orders_search, rowid, order_number)
  SELECT 'delete', OLD.id, OLD.order_number WHERE OLD.order_number IS NOT NULL;
  INSERT INTO service_orders_search (rowid, order_number)
  SELECT NEW.id, NEW.order_number WHERE NEW.order_number IS NOT NULL;
END;
INSERT INTO service_orders_search (service_orders_search) VALUES ('rebuild');
