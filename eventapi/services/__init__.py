"""Rules that concern more than one resource: plain functions of a database. They know no HTTP."""
