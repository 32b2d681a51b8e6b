"""The e-invoices of our own invoices: their content, what they lack, and the stored original."""
