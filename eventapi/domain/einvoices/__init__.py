"""E-invoices: one invoice as the data model of EN 16931, its rules, and its two syntaxes CII and
UBL.
"""
