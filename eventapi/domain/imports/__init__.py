"""Bulk imports of contacts and participants."""
