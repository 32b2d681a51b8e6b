"""Charts as a Picture: looks of series, panels, diagrams, and the sheet with title and legends."""
