"""The badge numbers of participants: the number of the badge, and its aliases, which are valid or replaced.

An alias is the number of a participant that a merge of contacts removed, or a number that was replaced.
"""
from eventapi.domain.entrance import badges
from eventapi.storage.statements import statements

sql = statements("badge_numbers")


def holder(db, number):
    """Return `{id, replaced_at}` with the id of the participant that has or had this number, or None.

    `replaced_at` is None for a valid number.
    """
    return db.one(sql.holder, badge_number=number)


def free(db):
    """Return a new number that no badge has or had."""
    number = badges.draw()
    while holder(db, number):
        number = badges.draw()
    return number


def replace(db, participant_id):
    """Give a participant a new number, and mark its number and all its aliases as replaced."""
    db.run(sql.retire_aliases, id=participant_id, now=db.now)
    db.run(sql.retire, id=participant_id, now=db.now)
    db.run(sql.renumber, id=participant_id, badge_number=free(db), now=db.now)
