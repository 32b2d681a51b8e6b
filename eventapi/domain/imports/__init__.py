"""Bulk imports of contacts and participants: reading files, validating records, writing them in
batches.
"""
