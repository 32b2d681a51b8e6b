"""The pages of exhibitors."""
