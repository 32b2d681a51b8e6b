"""Commands for backup and restore."""


def register(commands):
    pass
