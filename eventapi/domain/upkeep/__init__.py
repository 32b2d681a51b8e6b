"""Upkeep: clearing expired records, checking the data, restoring a backup."""
