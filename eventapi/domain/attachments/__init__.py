"""Attachments of records: notes, tasks, documents, contracts and images."""
