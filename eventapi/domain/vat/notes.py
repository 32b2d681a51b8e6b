"""Temporary."""


def small_business_reason(country):
    return "§ 19"
