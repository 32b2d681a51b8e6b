-- What the form of exhibitors asks, in its order; NULL: what a new event asks. How prices are shown; NULL: nobody has
-- looked at them since forms show them with tax.
ALTER TABLE event_pages ADD COLUMN apply_form TEXT CHECK (apply_form IS NULL OR json_valid(apply_form));
ALTER TABLE event_pages ADD COLUMN price_display TEXT CHECK (price_display IN ('gross', 'net'));

ALTER TABLE applications ADD COLUMN booth_type_id INTEGER REFERENCES booth_types (id);
ALTER TABLE applications ADD COLUMN is_business INTEGER CHECK (is_business IN (0, 1));
CREATE INDEX applications_booth_type ON applications (booth_type_id) WHERE booth_type_id IS NOT NULL;

-- Millimetres.
ALTER TABLE booth_types ADD COLUMN usual_width INTEGER;
ALTER TABLE booth_types ADD COLUMN usual_depth INTEGER;

ALTER TABLE custom_field_definitions ADD COLUMN field_labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE custom_field_definitions ADD COLUMN field_help TEXT NOT NULL DEFAULT '{}';

ALTER TABLE submission_types ADD COLUMN max_length INTEGER;

-- The forms that exist ask what they have asked: all of it, with the questions of the organiser before the message.
UPDATE event_pages SET apply_form = (
  SELECT json_group_array(json_object('field', field, 'ask', ask)) FROM (
    SELECT field, ask FROM (
      SELECT 0 AS part, key AS place, value ->> 0 AS field, value ->> 1 AS ask FROM json_each(
        '[["company_name", "optional"], ["person", "optional"], ["phone", "optional"], ["address", "optional"],
          ["website", "optional"], ["tax_id", "optional"], ["categories", "required"], ["requested_area", "optional"]]')
      UNION ALL
      SELECT 1, row_number() OVER (ORDER BY display_order, id), 'custom.' || field_key,
             iif(is_required, 'required', 'optional')
        FROM custom_field_definitions
       WHERE entity_type = 'application' AND applicant_visibility = 'editable' AND is_active
      UNION ALL
      SELECT 2, 0, 'message', 'optional')
    ORDER BY part, place));
UPDATE event_pages SET price_display = 'gross' WHERE show_prices = 0;
