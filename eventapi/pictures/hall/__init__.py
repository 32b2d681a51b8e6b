"""The picture of a hall plan: sheet, booths, fixtures and their texts."""
