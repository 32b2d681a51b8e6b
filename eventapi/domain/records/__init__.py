"""Parts that all kinds of records share: the registry of kinds, references, keys, numbers, custom
fields, due dates.
"""
