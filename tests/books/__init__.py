"""A year of accounting: everything is issued, paid, exported and closed, and every figure is
computed a second time.
"""
