"""Receivables: what customers owe and are owed, over all of their invoices."""
