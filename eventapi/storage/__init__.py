"""SQLite and files: connections, migrations, the write lock, group commit, named statements, stored
files, backups.
"""
