"""The forms of the public pages: applications of exhibitors and registrations of visitors."""
