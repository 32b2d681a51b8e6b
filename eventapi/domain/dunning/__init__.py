"""Dunning: levels, which overdue invoices are due for which level, interest, letters, and their
history.
"""
