"""Upkeep: delete expired records, check the data, restore a backup."""
