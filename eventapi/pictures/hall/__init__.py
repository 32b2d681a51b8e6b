"""Hall plans as a Picture: the sheet, the booths and the fixtures of the hall."""
