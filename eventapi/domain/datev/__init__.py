"""DATEV: the bookings of a period and the debtors as files that accountants import (EXTF)."""
