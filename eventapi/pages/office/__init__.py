"""Pages about the office itself: signing in, one's account, the team, and the organiser's own data.

They continue the desk: its layout, pieces and words.
"""
