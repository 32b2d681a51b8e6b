"""The way into the pages of links: opening a link, asking for a new one, signing out; and the pages
about errors.
"""
