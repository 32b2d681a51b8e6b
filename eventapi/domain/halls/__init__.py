"""Halls: plans, booths, their prices, and their reservations."""
