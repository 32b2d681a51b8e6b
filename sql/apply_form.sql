-- What the form of exhibitors asks, and the sizes of booths that it offers.

-- name: has_sizes
-- A row if a booth type has a usual size.
SELECT 1 FROM booth_types WHERE usual_width IS NOT NULL AND usual_depth IS NOT NULL LIMIT 1;

-- name: forms
-- What the forms of these events ask and show. `sizes`: the booth types that have a usual size, in the order of a form,
-- with the number of booths that are free on active plans. Lengths are in millimetres.
SELECT e.id, p.apply_form, ifnull(p.price_display, 'gross') AS price_display, ifnull(p.show_prices, 0) AS show_prices,
       ifnull(p.show_plan, 0) AS show_plan, ifnull(p.booth_types, '[]') AS booth_types,
       (SELECT json_group_array(json_object('id', t.id, 'booth_type_key', t.booth_type_key,
          'booth_type_name', t.booth_type_name, 'description', t.description, 'usual_width', t.usual_width,
          'usual_depth', t.usual_depth, 'price_model', t.price_model, 'price', t.price,
          'tax_rate', CASE WHEN t.exemption_reason IS NULL THEN t.tax_rate ELSE 0 END,
          'available', (SELECT count(*) FROM booths b JOIN plans n ON n.id = b.plan_id
            WHERE b.event_id = e.id AND b.booth_type_id = t.id AND b.status = 'available' AND n.is_active = 1)))
          FROM (SELECT * FROM booth_types WHERE usual_width IS NOT NULL AND usual_depth IS NOT NULL
                 ORDER BY sort_order, fold(booth_type_name), id) t) AS sizes,
       (SELECT json_group_array(json_object('field_key', field_key, 'is_required', is_required))
          FROM (SELECT field_key, is_required FROM custom_field_definitions
                 WHERE entity_type = 'application' AND applicant_visibility = 'editable' AND is_active
                 ORDER BY display_order, id)) AS questions
  FROM events e LEFT JOIN event_pages p ON p.event_id = e.id
 WHERE e.id IN (SELECT value FROM json_each(:event_ids));
