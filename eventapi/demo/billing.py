"""Invoices, payments, refunds, reminders and dunning letters of the demo data."""

from xml.sax.saxutils import escape

from eventapi import money, times

# key, name, fee in hundredths of a percent and in minor units
GATEWAYS = (
    ("bank", "Banküberweisung", 0, 0),
    ("card", "Kreditkarte", 140, 25),
    ("wallet", "Online-Bezahldienst", 190, 35),
)
EU = ("AT", "PL", "CZ", "HU", "NL", "FR", "GR")
# How an exhibitor pays an invoice, by the last digit of its number.
PAYERS = (
    "transfer",
    "transfer",
    "card",
    "transfer",
    "wallet",
    "parts",
    "half",
    "late",
    "failed",
    "pending",
)
TEXT = {"de": "Vielen Dank, dass Sie dabei sind!", "en": "Thank you for exhibiting with us."}


def dunning_levels(agenda):
    """Create two dunning levels. The interest needs the option base_rates."""
    statutory = "business" if agenda.db.config.base_rates else "none"
    for name, days, fee, interest in (
        ("Mahnung", 14, 5, "none"),
        ("Letzte Mahnung", 28, 10, statutory),
    ):
        agenda.api(
            "POST",
            "/invoices/dunning-levels",
            {
                "name": name,
                "days": days,
                "deadline_days": 7,
                "fee": agenda.price(fee),
                "interest": interest,
                "title_de": name,
                "title_en": "Final notice" if days > 14 else "Overdue notice",
            },
        )


def import_statement(agenda):
    """Import a statement of yesterday: two customers pay, one of them too little; a stranger, and a
    fee of the bank.
    """
    account, currency = agenda.db.config.organiser_iban, agenda.currency
    unpaid = [
        invoice
        for status in ("overdue", "sent")
        for invoice in agenda.api(
            "GET", f"/invoices?status={status}&sort=id&order=ASC&per_page=100"
        )
        if invoice["currency"] == currency
        and invoice["open_amount"] > 0
        and not invoice["paid_amount"]
    ][:2]
    if not account or len(unpaid) < 2:
        return
    first, second = unpaid
    part = agenda.share(second["open_amount"], 50, currency)
    entries = [
        (
            first["open_amount"],
            first["buyer"]["name"],
            first["invoice_number"].lower().replace("-0000", " "),
        ),
        (part, second["buyer"]["name"], f"{second['invoice_number']} Abschlag"),
        (agenda.price(80), "Gisela Sommer", "Danke für die schöne Messe"),
        (-agenda.price(10), "", "Kontoführung"),
    ]
    agenda.api(
        "POST",
        "/payments/import?auto=exact",
        statement(account, currency, agenda.day(-1), entries),
        "application/xml",
    )


def statement(account, currency, day, entries):
    """Return a statement in camt.053 of one day.

    `entries`: (amount, party, text); a negative amount goes out.
    """
    opening, places = 25_000, money.decimals(currency)
    total = sum(round(amount, places) for amount, *_ in entries)

    def amount_of(amount):
        side = "CRDT" if amount > 0 else "DBIT"
        return f'<Amt Ccy="{currency}">{abs(amount):.{places}f}</Amt><CdtDbtInd>{side}</CdtDbtInd>'

    balances = [
        f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>{amount_of(amount)}<Dt><Dt>{day}</Dt></Dt></Bal>"
        for code, amount in (("OPBD", opening), ("CLBD", opening + total))
    ]
    found = [
        f"<Ntry>{amount_of(amount)}<Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt></BookgDt><NtryDtls><TxDtls><RltdPties>"
        f"<Dbtr><Nm>{escape(party)}</Nm></Dbtr></RltdPties><RmtInf><Ustrd>{escape(text)}</Ustrd></RmtInf></TxDtls>"
        "</NtryDtls></Ntry>"
        for amount, party, text in entries
    ]
    return (
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>'
        f"<ElctrncSeqNb>1</ElctrncSeqNb><Acct><Id><IBAN>{account}</IBAN></Id><Ccy>{currency}</Ccy></Acct>"
        f"{''.join([*balances, *found])}</Stmt></BkToCstmrStmt></Document>"
    ).encode()


class Bills:
    """What the office does with the invoices of one exhibitor. Each method is a step of the agenda.

    number: number of the exhibitor. is_over: the edition of the show is over, so everything is paid in the end.
    """

    def __init__(self, agenda, number, company, *, is_over):
        self.agenda = agenda
        self.api = agenda.api
        self.number = number
        self.company = company
        self.is_over = is_over
        self.paid = []  # payments that were received

    def invoice(self, participant, day):
        """Bill what the participant owes on a day, and plan what follows.

        Every 23rd draft is not sent.
        """
        invoice = self.api.unless(
            "nothing_to_bill", "POST", f"/participants/{participant['id']}/invoice"
        )
        if invoice is None:
            return
        if self.number % 23 == 22 and self.number % 20 != 19 and not self.is_over:
            return
        self.agenda.at(day + 1, lambda: self.send(invoice, day + 1))

    def send(self, invoice, day):
        """Send an invoice. Buyers in the European Union pay no German VAT."""
        config = self.agenda.db.config
        if (
            self.company["country"] in EU
            and config.organiser_country == "DE"
            and config.organiser_vat_id
        ):
            self.api("PATCH", f"/invoices/{invoice['id']}", {"is_reverse_charge": True})
        sent = self.api("POST", f"/invoices/{invoice['id']}/send", {"mail": False})
        if sent["invoice_type"] == "credit_note" or not sent["open_amount"]:
            return
        # number 19 cancels the participation
        case = self.number % 29 if self.number % 20 != 19 else None
        if case == 13:
            self.agenda.at(day + 2, lambda: self.cancel(sent, day + 2))
            return
        if case == 17:
            self.agenda.at(day + 5, lambda: self.credit(sent))
        getattr(self, PAYERS[self.number % 10])(sent, day)

    def cancel(self, invoice, day):
        """Cancel an invoice with a wrong address, and bill again."""
        self.api(
            "POST",
            f"/invoices/{invoice['id']}/cancel",
            {"reason": "Falsche Rechnungsanschrift", "mail": False},
        )
        if invoice["event_participant_id"]:
            new = self.api("POST", f"/participants/{invoice['event_participant_id']}/invoice")
            self.agenda.at(day + 1, lambda: self.send_again(new, day + 1))

    def send_again(self, invoice, day):
        """Send the invoice that replaces a cancelled one. It is paid at once."""
        self.transfer(self.api("POST", f"/invoices/{invoice['id']}/send", {"mail": False}), day)

    def credit(self, invoice):
        """Credit a tenth of the first item for a complaint. Refund what was paid too much then."""
        item = invoice["items"][0]
        amount = self.agenda.share(item["net"], 10, invoice["currency"])
        self.api(
            "POST",
            f"/invoices/{invoice['id']}/credit",
            {
                "mail": False,
                "text": "Kulanz wegen einer Reklamation",
                "items": [
                    {
                        "description": "Preisnachlass",
                        "quantity": 1,
                        "unit_price": amount,
                        "tax_rate": item["tax_rate"],
                        "tax_category": item["tax_category"],
                    }
                ],
            },
        )
        too_much = -self.api("GET", f"/invoices/{invoice['id']}")["open_amount"]
        for payment in [payment for payment in self.paid if payment["invoice_id"] == invoice["id"]][
            -1:
        ]:
            if 0 < too_much <= payment["amount"]:
                self.api(
                    "POST",
                    f"/payments/{payment['id']}/refund",
                    {"amount": too_much, "notes": "Preisnachlass"},
                )

    def pay(self, invoice, percent, gateway, status="completed"):
        """Record a payment of so many percent of what is open, or nothing if nothing is open.

        Return it.
        """
        now = self.api("GET", f"/invoices/{invoice['id']}")
        amount = (
            now["open_amount"]
            if percent == 100
            else self.agenda.share(now["open_amount"], percent, invoice["currency"])
        )
        if not amount or now["open_amount"] <= 0:
            return None
        kind = {"bank": "ueberweisung", "card": "card", "wallet": "wallet"}[gateway]
        payment = self.api(
            "POST",
            "/payments",
            {
                "invoice_number": now["invoice_number"],
                "amount": amount,
                "currency": invoice["currency"],
                "gateway_key": gateway,
                "status": status,
                "transaction_id": f"{kind}-{invoice['id']:06}-{percent}-{status}",
            },
        )
        if status == "completed":
            self.paid.append(payment)
        return payment

    def transfer(self, invoice, day):
        """Pay by bank transfer within the period."""
        self.agenda.at(day + 4 + self.number % 7, lambda: self.pay(invoice, 100, "bank"))

    def card(self, invoice, day):
        """Pay by card. Every third customer gets a part back."""
        self.agenda.at(day + 1, lambda: self.pay(invoice, 100, "card"))
        if self.number % 30 == 2:
            self.agenda.at(day + 12, lambda: self.credit(invoice))

    def wallet(self, invoice, day):
        """Pay with the online service."""
        self.agenda.at(day + 2, lambda: self.pay(invoice, 100, "wallet"))

    def parts(self, invoice, day):
        """Pay in two parts."""
        self.agenda.at(day + 6, lambda: self.pay(invoice, 40, "bank"))
        self.agenda.at(day + 13, lambda: self.pay(invoice, 100, "bank"))

    def half(self, invoice, day):
        """Pay a part, and the rest only after the show is over."""
        self.agenda.at(day + 10, lambda: self.pay(invoice, 50, "bank"))
        self.late(invoice, day)

    def late(self, invoice, day):
        """Pay after a reminder and a dunning letter, and not at all before the show is over.

        A few dispute the invoice.
        """
        self.agenda.at(day + 17, lambda: self.remind(invoice))
        if self.number % 50 == 27:
            self.agenda.at(day + 20, lambda: self.dispute(invoice))
        for wait in (31, 45):
            self.agenda.at(day + wait, lambda: self.dun(invoice))
        if self.is_over:
            self.agenda.at(day + 38, lambda: self.pay(invoice, 100, "bank"))

    def failed(self, invoice, day):
        """Pay by card at the second attempt. Some customers do not try again."""
        self.agenda.at(day + 1, lambda: self.pay(invoice, 100, "card", "failed"), "11:00")
        if self.is_over or self.number % 40 != 8:
            self.agenda.at(day + 1, lambda: self.pay(invoice, 100, "card"), "11:04")

    def pending(self, invoice, day):
        """Pay with the online service, which confirms the payment two days later, except the latest
        ones.
        """

        def start():
            payment = self.pay(invoice, 100, "wallet", "pending")
            if payment and (self.is_over or self.number % 60 in (9, 49)):
                self.agenda.at(day + 5, lambda: self.complete(payment))
            elif payment and self.number % 20 == 19:
                self.agenda.at(
                    day + 9, lambda: self.api("POST", f"/payments/{payment['id']}/cancel")
                )

        self.agenda.at(day + 3, start)

    def complete(self, payment):
        """Record that the money of a pending payment has arrived."""
        self.paid.append(self.api("POST", f"/payments/{payment['id']}/complete"))

    def remind(self, invoice):
        """Record a reminder of an invoice that is due and not paid."""
        now = self.api("GET", f"/invoices/{invoice['id']}")
        if now["open_amount"] > 0 and now["due_date"] < self.agenda.db.now[:10]:
            self.api("POST", f"/invoices/{invoice['id']}/remind", {"mail": False})

    def dun(self, invoice):
        """Send the dunning letter that an invoice is due for, if there is one."""
        self.api("POST", "/invoices/dunning/send", {"invoice_ids": [invoice["id"]], "mail": False})

    def dispute(self, invoice):
        """Record that the customer disputes an invoice that is not paid."""
        if self.api("GET", f"/invoices/{invoice['id']}")["status"] in (
            "sent",
            "overdue",
            "partially_paid",
        ):
            self.api(
                "POST",
                f"/invoices/{invoice['id']}/dispute",
                {"reason": "Der Stromanschluss fiel zweimal aus."},
            )

    def give_back(self, participant, day):
        """Send the credit note of a cancelled participation, and refund what was paid."""
        note = self.api.unless(
            "nothing_to_bill", "POST", f"/participants/{participant['id']}/invoice"
        )
        if note is None:
            return
        self.agenda.at(day + 1, lambda: self.send(note, day + 1))
        for payment in self.paid:
            self.agenda.at(
                day + 4,
                lambda payment=payment: self.api(
                    "POST", f"/payments/{payment['id']}/refund", {"notes": "Teilnahme abgesagt"}
                ),
            )

    def advertise(self, currency):
        """Invoice an advertisement in the catalogue in another currency, with two tax rates.

        Some are paid.
        """
        is_known = money.usual_rate(self.agenda.db.config, currency)
        invoice = self.api(
            "POST",
            "/invoices",
            {
                "customer_number": self.company["customer_number"],
                "currency": currency,
                "exchange_rate": None if is_known else self.agenda.price(1),
                "text": TEXT["en"],
                "service_date": self.agenda.db.now[:10],
                "items": [
                    {
                        "description": "Advertisement in the catalogue, half a page",
                        "quantity": 1,
                        "unit_price": 480,
                        "discount_percent": 10,
                        "tax_category": "S" if self.agenda.db.config.tax_rate else "Z",
                    },
                    {
                        "description": "Printed catalogues",
                        "quantity": 5,
                        "unit": "pcs",
                        "unit_price": 12,
                        "tax_rate": 7,
                    },
                ],
            },
        )
        sent = self.api("POST", f"/invoices/{invoice['id']}/send", {"mail": False})
        if self.is_over or self.number % 3:
            percent = 100 if self.is_over or self.number % 2 else 50
            self.agenda.at(self.day_of_now() + 8, lambda: self.pay(sent, percent, "bank"))

    def sponsor(self, day):
        """Ask a sponsor for a deposit on its package, and deduct it from the final invoice once it
        is paid.
        """
        deposit = self._package(30, is_deposit=True)
        self.agenda.at(day + 6, lambda: self.pay(deposit, 100, "bank"))
        self.agenda.at(
            day + 8, lambda: self.transfer(self._package(100, deposit_ids=[deposit["id"]]), day + 8)
        )

    def _package(self, percent, **fields):
        """Send an invoice over a part of the sponsoring package."""
        name = "Sponsoring" if percent == 100 else f"Abschlag von {percent} % auf das Sponsoring"
        invoice = self.api(
            "POST",
            "/invoices",
            {
                "customer_number": self.company["customer_number"],
                "service_date": self.agenda.db.now[:10],
                "items": [
                    {
                        "description": name,
                        "quantity": 1,
                        "unit_price": self.agenda.price(percent * 20),
                        "tax_category": "S" if self.agenda.db.config.tax_rate else "Z",
                    }
                ],
                **fields,
            },
        )
        return self.api("POST", f"/invoices/{invoice['id']}/send", {"mail": False})

    def day_of_now(self):
        """Return the day of the running step, as days after today."""
        return times.days_between(
            self.agenda.today, times.today(self.agenda.zone, self.agenda.db.now)
        )
