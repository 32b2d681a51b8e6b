-- The credit that a reversal takes back: of the same amount, and from the same account or with the same end-to-end id.
-- Credits of one amount can be many, such as those of all exhibitors for the same booth.
DROP INDEX bank_transactions_by_amount;
CREATE INDEX bank_transactions_by_amount ON bank_transactions (account, amount, iban, booked_on);
CREATE INDEX bank_transactions_by_end_to_end_id ON bank_transactions (account, amount, end_to_end_id, booked_on)
  WHERE end_to_end_id IS NOT NULL;
