"""Submissions: the values and files that participants submit, their types, and their review."""
