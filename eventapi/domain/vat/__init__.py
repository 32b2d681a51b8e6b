"""Which tax an invoice has: where a supply is taxed, and by whom."""
