"""The languages of everything that is written for people: which one is used, and how it writes
numbers and dates.

Nothing here uses the database or HTTP. The texts themselves are beside the code that uses them.
"""
