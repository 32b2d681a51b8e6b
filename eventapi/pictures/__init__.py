"""Drawings as SVG and PDF: hall plans, badges, charts, invoices and documents.

Nothing here uses the database or HTTP.
"""
