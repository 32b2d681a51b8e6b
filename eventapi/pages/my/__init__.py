"""The exhibitor's own page: to-dos, profile, submissions, booth, orders, contract, invoices, badges
and programme.
"""
