"""Templates and texts that the forms of all pages share: fields, groups of fields, and faults."""
