"""The command that creates and upgrades the database."""
from eventapi import db as database
from eventapi.cli.terminal import command


def register(commands):
    command(commands, "migrate", migrate, "creates or upgrades the database, after a backup")


def migrate(args, config):
    config.data_dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    old, new = database.migrate(config.database)
    print(f"{config.database}: " + (f"schema {new}" if old == new else f"schema {old} to {new}" if old else f"created, schema {new}"))
