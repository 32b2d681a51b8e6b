"""The applicant's page: the state of an application, the question of the office, files, and the
badge of a visitor.
"""
