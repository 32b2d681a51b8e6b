"""What the tests of reach need: a show with planted records, an attacker with a browser and a
mailbox, and the walk.
"""
