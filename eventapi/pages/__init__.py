"""The pages outside of the API: reference, guides, errors, health, metrics, feeds and newsletter
links.
"""
