-- Find the invoice that a transfer without a number pays together with the claims of its letters.
CREATE INDEX invoices_with_claims ON invoices (currency, open_amount + claims_total - claims_paid)
 WHERE claims_total > claims_paid AND open_amount > 0;
