"""The rules, one package per subject: plain functions of a database connection. They know no HTTP."""
