"""What an exhibitor does on its own page: to-dos, choosing a booth, badges for the booth, binding
steps.
"""
