"""Parsing of uploaded files in processes of their own, so that a hostile file costs one upload and
not the service.
"""
