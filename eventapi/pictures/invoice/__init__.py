"""Invoices and credit notes as PDF: the letter, its table of items, and the totals."""
