"""The page at the door: it reads badges with the camera of a phone, with and without network."""

PACKAGE = __name__
