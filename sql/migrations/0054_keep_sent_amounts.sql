-- What a payer sent in another currency than that of the account, as the bank says. Without sign.
ALTER TABLE bank_transactions ADD COLUMN sent_amount INTEGER;
ALTER TABLE bank_transactions ADD COLUMN sent_currency TEXT CHECK ((sent_currency IS NULL) = (sent_amount IS NULL));
