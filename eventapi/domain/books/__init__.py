"""Books: the ledger of the customers, and months that are closed."""
