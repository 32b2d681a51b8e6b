"""What all kinds of records share: references, numbers, keys, custom fields, due dates, anonymity."""
