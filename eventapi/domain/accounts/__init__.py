"""The accounts of participants: what they owe is billed, and what was cancelled is credited."""
