"""Privacy: what concerns all records of a person: export, erasure, merging."""
