"""Billing: invoices, credit notes, payments, and what a participant owes."""
