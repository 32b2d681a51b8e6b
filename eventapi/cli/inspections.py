"""Commands that look for damage: check and audit verify."""


def register(commands):
    pass
