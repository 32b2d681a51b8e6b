"""Events, their categories, schedules and calendar feeds."""
