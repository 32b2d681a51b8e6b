"""JSON Schema: load the schemas of schemas/, check bodies and queries against them, and word the
faults.
"""
