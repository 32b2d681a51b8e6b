"""The accounts of bookings: those of the options, and the debtor account of each customer.

Nothing is guessed. An account that is not known is noted as missing, and the export is refused at
its end.
"""

import re

from eventapi import money
from eventapi.errors import Problem, listed
from eventapi.validation.identifiers.bookkeeping import SMALL, Account, revenue_name

SHOWN = 10  # records that the sentence of the problem names
MOST = 1000  # records in `records`


class Missing:
    """What is missing.

    `options` are texts such as `datev_revenue: S7`, `records` dicts with kind, number, detail.
    """

    def __init__(self):
        self.options, self.records = {}, {}

    def __bool__(self):
        return bool(self.options or self.records)

    def option(self, name, value=""):
        """Note that an option is not set, or that it lacks `value`."""
        self.options[f"{name}: {value}" if value else name] = True

    def record(self, kind, number, detail):
        """Note what is wrong with a record.

        `kind`: customer, invoice or option. Each record is noted once.
        """
        self.records.setdefault((kind, number), detail)


def refuse_incomplete(missing):
    """Raise 409 `datev_incomplete` if anything is missing."""
    if not missing:
        return
    sentences = ["The file cannot be written."]
    if missing.options:
        sentences.append(
            f"Set the options {listed(missing.options)} in the settings{form_of(missing)}; "
            "ask your tax adviser for the values."
        )
    found = [
        {"kind": kind, "number": number, "detail": detail}
        for (kind, number), detail in missing.records.items()
    ]
    sentences += [
        f"{part['kind'].capitalize()} {part['number']}: {part['detail']}" for part in found[:SHOWN]
    ]
    if len(found) > SHOWN:
        sentences.append(f"`records` lists {len(found) - SHOWN} more.")
    raise Problem(
        "datev_incomplete", " ".join(sentences), missing=list(missing.options), records=found[:MOST]
    )


def form_of(missing):
    """Return how the first option that lacks one of its values is written, or ""."""
    parts = (option.partition(": ") for option in missing.options)
    return next((f", such as `{name} = {value}=VALUE`" for name, _, value in parts if value), "")


UNKNOWN = Account("")
BANK = "bank"  # gateway_key of payments that were read from a bank statement
# without *, which marks a number that was rewritten
DOCUMENT = re.compile(r"[A-Za-z0-9$&%+/-]{1,36}")
DOCUMENT_LENGTH = 36


class Accounts:
    """The accounts that the options name.

    `numbers` is {customer number: ids of the contacts whose invoices bear it}, over all sent
    invoices.
    """

    def __init__(self, config, missing, numbers):
        self.config, self.missing, self.length = config, missing, config.datev_account_length
        # debtors begin with 1 to 6
        self.first = 10**self.length
        self.last = 7 * 10**self.length - 1
        self.known, self.holders = {}, {}
        self._check_options()
        for number, contacts in numbers.items():
            account = self._debtor(number)[0]
            self.holders.setdefault(account, {})[number] = contacts

    def _check_options(self):
        """Note options that every file needs, and those that do not fit to each other."""
        config = self.config
        for name in ("datev_adviser", "datev_client", "datev_chart", "datev_debtor_base"):
            if getattr(config, name) in (None, ""):
                self.missing.option(name)
        base = config.datev_debtor_base
        if base and not self.first <= base <= self.last:
            self._wrong(
                "datev_debtor_base",
                f"must have {self.length + 1} digits and begin with 1 to 6, but is {base}",
            )
        if money.decimals(config.currency) > 2:
            self._wrong(
                "currency",
                f"{config.currency} has {money.decimals(config.currency)} decimals. DATEV has two.",
            )
        accounts = {
            "datev_bank": config.datev_bank,
            "datev_fees": config.datev_fees,
            "datev_claims": config.datev_claims,
            "datev_deposits": config.datev_deposits,
            "datev_exchange_gains": config.datev_exchange_gains,
            "datev_exchange_losses": config.datev_exchange_losses,
            **{f"datev_gateways: {key}": account for key, account in config.datev_gateways.items()},
            **{f"datev_revenue: {name}": account for name, account in config.datev_revenue.items()},
            **{
                f"datev_write_offs: {name}": account
                for name, account in config.datev_write_offs.items()
            },
        }
        for name, account in accounts.items():
            if account and len(account.number) != self.length:
                self._wrong(
                    name,
                    f"must have {self.length} digits, as datev_account_length says, but is "
                    f"{account.number}",
                )

    def _wrong(self, option, detail):
        self.missing.record(
            "option",
            option,
            f"{detail.rstrip('.')}. Correct it in the settings.",
        )

    def _noted(self, found, option, value=""):
        """Return an account. If it is None, note what is missing."""
        if found is None:
            self.missing.option(option, value)
        return found or UNKNOWN

    def revenue(self, category, rate, region, supplied_on):
        """Return the revenue account of a tax category and its rate in hundredths of a percent.

        With reverse charge (AE) and what is not taxed (O), an account of the region, such as AE_EU,
        counts more than that of the category. What is exempt (E) on a day of a small business has
        an account of its own. `supplied_on` is the last day of the supply.
        """
        of_all = self.config.datev_revenue
        if category == "E" and self.config.is_small_business(supplied_on):
            return self._noted(of_all.get(SMALL), "datev_revenue", SMALL)
        name = revenue_name(category, rate)
        found = of_all.get(name)
        if category in ("AE", "O"):
            name = f"{category}_{region.upper()}"
            found = of_all.get(name, found)
        return self._noted(found, "datev_revenue", "O" if category == "O" else name)

    def write_off(self, category, rate):
        """Return the account that write-offs of a tax category and its rate are booked on."""
        name = revenue_name(category, rate)
        return self._noted(self.config.datev_write_offs.get(name), "datev_write_offs", name)

    def deposits(self):
        """Return the account that deposits are booked on until money comes."""
        return self._noted(self.config.datev_deposits, "datev_deposits")

    def exchange(self, *, is_gain):
        """Return the account of exchange gains or losses."""
        name = "datev_exchange_gains" if is_gain else "datev_exchange_losses"
        return self._noted(getattr(self.config, name), name)

    def money(self, gateway_key):
        """Return the account that a payment arrives at: that of its gateway, or the bank.

        Payments of bank statements have the gateway `bank`, which needs no account of its own.
        """
        found = self.config.datev_gateways.get(gateway_key)
        if gateway_key in (None, BANK):
            return self._noted(found or self.config.datev_bank, "datev_bank")
        return self._noted(found, "datev_gateways", gateway_key)

    def debtor(self, number):
        """Return the debtor account of a customer number as text."""
        if number not in self.known:
            account, fault = self._debtor(number)
            holders = self.holders.get(account, {}) if account else {}
            if len(holders) > 1 and len(set().union(*holders.values())) > 1:
                others = ", ".join(sorted(set(holders) - {number}))
                fault = f"has the same debtor account {account} as {others}."
            if fault:
                self.missing.record(
                    "customer",
                    number,
                    f"{fault} Set its account in datev_debtors, such as "
                    f"{number}={self.last}, in the settings.",
                )
            self.known[number] = str(account or "")
        return self.known[number]

    def _debtor(self, number):
        """Return (account, fault) of a customer number; the account is None if there is none."""
        account = self.config.datev_debtors.get(number)
        digits = re.sub(r"\D", "", number or "", flags=re.ASCII)
        if account is None:
            if not digits:
                return None, "has no digits, which the debtor account would be made of."
            if self.config.datev_debtor_base is None:
                return None, None  # noted once, for the option
            account = self.config.datev_debtor_base + int(digits)
        if not self.first <= account <= self.last:
            return (
                None,
                f"would get the debtor account {account}, which is not between {self.first} and {self.last}.",
            )
        return account, None


def document(number, id):
    """Return the number of an invoice as DATEV accepts it: the key by which payments are matched to
    invoices.

    Other letters, and numbers that are too long, are replaced, and end in * and the id of the
    invoice. So two numbers never become equal.
    """
    if DOCUMENT.fullmatch(number):
        return number
    end = f"*{id}"
    return re.sub(r"[^A-Za-z0-9$&%+/-]", "-", number)[: DOCUMENT_LENGTH - len(end)] + end
