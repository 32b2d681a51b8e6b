"""The soak: a day of a big show, compressed into two hours. See __main__.py."""
