"""Applications by the forms of the public pages."""
