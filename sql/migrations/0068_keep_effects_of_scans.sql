-- What the first response to a scan said, so that a device whose response was lost learns the same. `effect` follows all
-- scans of the day, in the order in which they were made: of two scans of the same second, the one that arrived first may
-- be the one that `effect` counts as repeated. NULL: as effect, or the scan was refused at first.
ALTER TABLE check_in_scans ADD COLUMN first_effect TEXT CHECK (first_effect IN ('opened', 'closed', 'repeated'));
