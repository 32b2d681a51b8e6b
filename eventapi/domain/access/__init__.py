"""Access: API keys, admins, feature flags and the plan tier."""
