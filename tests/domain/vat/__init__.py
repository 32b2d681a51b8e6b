"""Which tax an invoice has."""

# treatments.csv: one case a row, from the law and the rule. The usual category of
# each line is S. Places of lines: their own; inherit is none of their own. vat_id is what stands in
# tax_id:
#   fits               the number of the buyer's country: FR for MC, GB for IM, CHE for CH, an EIN
#                      (12-3456789, no VAT id by format) for US; no check of it is kept
#   checked_valid      as fits, with a check of the last days; checked_invalid: the last one says no
#   home               a number of the organiser's country, no check
#   other_state        a number of a member state that is neither the buyer's nor the organiser's
#   greek_EL           EL and 9 digits; northern_ireland_XI: XI and 9 digits
#   invalid_form       the prefix of the buyer's country and a digit too few
# An empty event_country is that of the organiser, and so is an empty buyer_country. adviser A: the
# row rests on a question that is open for an adviser. LAW DIFFERS in note: the rule says
# something else, which stands in brackets or is the missing warning.
