"""The year 2025 of the organiser, day by day: invoices, credit notes, payments by all ways,
statements, dunning.

What happens is decided here and noted in `books`. The office only learns of money from the
statements of the bank.
"""

import heapq
import random
from datetime import date, timedelta
from decimal import Decimal

from tests.books import plan
from tests.books.bank import Bank
from tests.books.truth import RATES, Bill, Books, Movement, groups_of, rounded
from tests.support import camt

INVOICES = 330
CREDITS, CANCELLATIONS = 26, 22
# How customers pay, and how often of 100 times.
WAYS = {
    "number": 24,
    "lower case": 8,
    "no zeros": 6,
    "broken": 5,
    "rf": 9,
    "together": 8,
    "batch": 9,
    "no number": 4,
    "wrong number": 3,
    "two parts": 5,
    "twice": 3,
    "returned": 3,
    "card": 6,
    "late": 4,
    "never": 6,
    "cents short": 4,
}


def day_after(day, days):
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


class Year:
    """The simulation. `log` counts what was done."""

    def __init__(self, office, seed):
        self.office, self.dice = office, random.Random(seed)
        self.books, self.bank, self.agenda, self.step = Books(), Bank(), [], 0
        self.log, self.waiting, self.no_prepaid = {}, [], False
        self.customers, self.kinds, self.settled = [], {}, "2025-01-01"

    def at(self, day, act, *arguments):
        """Plan a step. Steps after the end of the year do not happen."""
        self.step += 1
        if day <= "2025-12-31":
            heapq.heappush(self.agenda, (day, self.step, act, arguments))

    def count(self, name, number=1):
        self.log[name] = self.log.get(name, 0) + number

    def run(self, at_month_end):
        """Run the year.

        `at_month_end(month)` is called on the second day of the next month, after the imports.
        """
        for customer in plan.customers():
            made = self.office("POST", "/contacts", customer["body"], 201)
            self.customers.append(
                {**customer, **{name: made[name] for name in ("id", "customer_number")}}
            )
        self._plan_invoices()
        for month in range(1, 13):
            name = f"2025-{month:02}"
            self._until(f"{name}-16")
            self.import_file(
                camt.document([self.bank.statement("EUR", f"{name}-01", f"{name}-15")], "02")
            )
            self._until(day_after(f"{name}-28", 5)[:8] + "02" if month < 12 else "2026-01-02")
            self.import_file(self.bank.month(name, "08" if month % 2 else "02"))
            self.settle()
            self.settled = day_after(self.office.day, -2)  # what the office knows of money
            at_month_end(name)

    def _until(self, day):
        """Run all steps before a day, which is the present then."""
        while self.agenda and self.agenda[0][0] < day:
            self.office.day, _, act, arguments = heapq.heappop(self.agenda)
            act(*arguments)
        self.office.day = day

    # Invoices

    def _plan_invoices(self):
        for number in range(INVOICES):
            day = day_after("2025-01-02", number * 362 // INVOICES)
            self.at(day, self.invoice, number, self.customers[number * 7 % len(self.customers)])
        self.at("2025-12-28", self.flush)
        for number in range(4):
            self.at(f"2025-{number * 3 + 2:02}-09", self.noise)
            self.at(f"2025-{number * 3 + 2:02}-10", self.dispute)

    def invoice(self, number, customer):
        """Issue the next invoice of a customer."""
        place = self.kinds[customer["number"]] = (
            self.kinds.get(customer["number"], customer["number"]) + 1
        )
        kind, fields, items = plan.items(self.dice, customer, place)
        day, body = self.office.day, {"contact_id": customer["id"], "items": items, **fields}
        if number % 3:
            body.setdefault("buyer_reference", f"PO {4700 + number}")
        if body.pop("period", False):
            body |= {"service_date": day_after(day, -3), "service_date_to": day}
        if body.pop("ahead", False):  # a show of a later month
            body |= {"service_date": day_after(day, 30 + number % 90)}
        draft = self.office("POST", "/invoices", body, 201)
        total = sum(
            net + tax for net, tax in groups_of(items, fields.get("is_reverse_charge")).values()
        )
        prepaid = (
            [
                {
                    "amount": total // 200 / 1,
                    "payment_date": day_after(day, -1),
                    "gateway_key": "card",
                    "transaction_id": f"pre-{number}",
                }
            ]
            if number % 25 == 3 and total > 20000
            else []
        )
        if day_after(day, -1)[:7] != day[:7] or self.no_prepaid:
            prepaid = []
        sent = self.office(
            "POST",
            f"/invoices/{draft['id']}/send",
            {"mail": False, **({"payments": prepaid} if prepaid else {})},
            200,
        )
        bill = self._noted(sent, customer, items, fields.get("is_reverse_charge"), kind)
        bill.supplied = body.get("service_date_to") or body.get("service_date") or day
        bill.is_deposit, bill.items = body.get("is_deposit", False), items
        if bill.is_deposit:
            self.at(day_after(day, 50), self.final, bill, fields)
        for one in prepaid:
            self.books.move(one["payment_date"], bill, int(one["amount"] * 100), "card")
            self.count("prepaid")
        self.count(f"invoice: {kind}")
        if bill.total > 0:
            self._plan_payment(bill, number)

    def _noted(self, sent, customer, items, is_reverse_charge, kind, of=None):
        sign = 1 if of is None else -1
        groups = {
            key: (sign * net, sign * tax)
            for key, (net, tax) in groups_of(items, is_reverse_charge).items()
        }
        bill = Bill(
            sent["id"],
            sent["invoice_number"],
            customer,
            sent["currency"],
            self.office.day,
            groups,
            sent["due_date"],
            of,
            sent.get("payment_reference"),
            kind=kind,
        )
        self.books.bills.append(bill)
        if of:
            of.credits.append(bill)
        return bill

    def final(self, deposit, fields):
        """Issue the final invoice that deducts a deposit, once the office knows that it is paid."""
        if "cancelled" in deposit.kind:
            return
        if (
            self.books.open(deposit, self.office.day, self.settled) > 0
            or self.books.open(deposit) > 0
        ):
            self.at(day_after(self.office.day, 15), self.final, deposit, fields)
            return
        items = [{**item, "quantity": item["quantity"] * 2} for item in deposit.items]
        body = {
            "contact_id": deposit.customer["id"],
            "items": items,
            "deposit_ids": [deposit.id],
            **fields,
        }
        draft = self.office(
            "POST", "/invoices", {**body, "is_deposit": False, "buyer_reference": "PO 1"}, 201
        )
        sent = self.office("POST", f"/invoices/{draft['id']}/send", {"mail": False}, 200)
        bill = self._noted(
            sent,
            deposit.customer,
            [*items, *self.books.deducting(deposit)],
            fields.get("is_reverse_charge"),
            f"final of {deposit.kind}",
        )
        bill.supplied = self.office.day
        self.count(f"invoice: {bill.kind}")
        self.at(day_after(bill.day, 12), self.pay, bill, "number")
        refused = self.office.client("POST", f"/invoices/{deposit.id}/cancel", {"mail": False})
        assert refused.status_int == 409 and refused.json["code"] == "in_use", refused.text

    # Credit notes

    def credit(self, bill):
        """Credit a part of an invoice. If it is overpaid then, the office sends the money back."""
        (category, rate), (net, _) = max(bill.groups.items(), key=lambda item: item[1][0])
        if bill.credits or net < 1000:
            return
        item = {
            "description": "Preisnachlass wegen einer Reklamation",
            "quantity": 1,
            "unit": "piece",
            "unit_price": net // 700 / 1 or 1,
            "tax_rate": float(rate),
            "tax_category": category,
        }
        if category == "E":
            item |= {name: plan.EXEMPT[name] for name in ("exemption_reason", "exemption_code")}
        note = self.office(
            "POST", f"/invoices/{bill.id}/credit", {"mail": False, "items": [item]}, 201
        )
        self._noted(note, bill.customer, [item], False, "credit note", bill)
        self.count("credit note: part")
        self._give_back(bill)

    def cancel(self, bill):
        """Cancel an invoice of which nothing is paid, or which was paid by card."""
        if bill.credits or any(
            one.bill is bill and one.gateway == "bank" for one in self.books.movements
        ):
            return
        bill.kind += ", cancelled"
        for payment in self.office("GET", f"/invoices/{bill.id}?include=payments")["payments"]:
            self.office(
                "POST", f"/payments/{payment['id']}/refund", {"refunded_at": self.office.day}, 200
            )
            self.books.move(
                self.office.day, bill, -round(payment["amount"] * 100), payment["gateway_key"]
            )
            self.count("refund: card")
        self.office(
            "POST",
            f"/invoices/{bill.id}/cancel",
            {"reason": "Doppelt bestellt", "mail": False},
            200,
        )
        now = self.office("GET", f"/invoices/{bill.id}")
        note = self.office("GET", f"/invoices/{now['related_invoice_id']}")
        noted = self._noted(note, bill.customer, [], False, "cancellation", bill)
        noted.groups = {key: (-net, -tax) for key, (net, tax) in bill.groups.items()}
        self.count("credit note: cancellation")

    def _give_back(self, bill):
        """Transfer what is overpaid back, a few days later.

        Money from a card goes back to the card at once.
        """
        if self.books.open(bill) < 0:
            self.at(day_after(self.office.day, 6), self._transfer_back, bill)

    def _transfer_back(self, bill):
        amount = self.books.open(bill)
        if amount < 0 and any(
            one.bill is bill and one.gateway == "bank" for one in self.books.movements
        ):
            self.bank.book(
                bill.currency,
                self.office.day,
                amount,
                [(bill, amount)],
                party=self._name(bill),
                iban=bill.customer["iban"],
                text=f"Erstattung {bill.number}",
                way="refund",
            )
            self.books.move(self.office.day, bill, amount)
            self.count("refund: transfer")

    # Payments

    def _plan_payment(self, bill, number):
        way = self.dice.choices(list(WAYS), WAYS.values())[0]
        due = 5 + self.dice.randrange(9)
        if number % 15 == 4 and number // 15 < CANCELLATIONS:
            self.at(day_after(bill.day, 2), self.cancel, bill)
            if number % 30 == 4:
                self.at(day_after(bill.day, 9), self.pay_cancelled, bill)
            elif number % 60 == 19:
                self.at(day_after(bill.day, 1), self.card, bill)
            return
        if number % 12 == 5 and number // 12 < CREDITS:
            self.at(day_after(bill.day, self.dice.choice([1, 3, 20])), self.credit, bill)
        if way == "card":
            self.at(day_after(bill.day, 1), self.card, bill)
        elif way == "late":
            self.at(day_after(bill.day, 40 + due), self.pay, bill, "number")
        elif way == "two parts":
            self.at(day_after(bill.day, due), self.pay, bill, "number", 40)
            self.at(day_after(bill.day, due + 12), self.pay, bill, "number")
        elif bill.currency != "EUR" and number % 3:
            way = "in euros"
            self.at(day_after(bill.day, due), self.pay_in_euros, bill)
        elif way != "never":
            self.at(day_after(bill.day, due), self.pay, bill, way)
        self.at(day_after(bill.day, 60 + due), self.write_off, bill)
        self.count(f"payment: {way}")

    def pay_in_euros(self, bill):
        """Pay an invoice in another currency with euros: the bank brings more or less than the rate
        of the invoice.
        """
        amount, day = self.books.open(bill), self.office.day
        if amount <= 0:
            return
        price = RATES[bill.currency] * self.dice.choice([Decimal("0.98"), Decimal("1.03")])
        came = rounded(Decimal(amount) / 100 * price)
        sent = {"sent": f"{bill.currency} {Decimal(amount) / 100:.2f}"} if amount % 2 else {}
        self.bank.book(
            "EUR",
            day,
            came,
            [(bill, amount)],
            way="in euros",
            came=came,
            **sent,
            **self._texts(bill, "number"),
        )
        self.books.move(day, bill, amount, came=came)

    # Write-offs

    def write_off(self, bill):
        """Write off what is open of an old invoice, or the half of it, if the office knows of all
        transfers.

        Of some, the money comes after all.
        """
        day, owed = self.office.day, self.books.open(bill)
        if owed <= 0 or bill.is_deposit or self.books.open(bill, day, self.settled) != owed:
            return
        amount = self.dice.choice([owed, owed, max(1, owed // 2)])
        body = {"reason": "Insolvenz", **({} if amount == owed else {"amount": amount / 100})}
        self.office("POST", f"/invoices/{bill.id}/write-offs", body, 201)
        self.books.write_off(day, bill, amount)
        self.count("write-off")
        if self.dice.random() < 0.5:
            self.at(day_after(day, 12), self.recover, bill)

    def recover(self, bill):
        """Pay what was written off, or a third of it."""
        day, gone = self.office.day, self.books.written_off(bill)
        amount = self.dice.choice([gone, max(1, gone // 3)])
        if self.books.open(bill) != 0 or gone <= 0:
            return
        self.bank.book(
            bill.currency,
            day,
            amount,
            [(bill, amount)],
            way="recovered",
            **self._texts(bill, "number"),
        )
        self.books.move(day, bill, amount)
        self.books.write_off(day, bill, -amount, is_stated=True)
        self.count("write-off: recovered")

    # Claims of letters

    def answer(self, letters):
        """Plan what customers do about letters that claim costs and interest, which are (bill, id
        of the letter).
        """
        for bill, id in letters:
            act = self.dice.choice(
                [self.pay_claims, self.pay_claims, self.pay_claims, self.pay_later, self.withdraw]
            )
            self.at(day_after(self.office.day, 2 + self.dice.randrange(6)), act, bill, id)

    def pay_claims(self, bill, id, way=None):
        """Pay the invoice and the claims by one transfer: exactly, too little, or in full, which
        the bank takes back.

        What is not exact is divided by § 367 BGB: into costs and interest, then the invoice.
        """
        owed, claims, day = self.books.open(bill), self.books.claims_open(bill), self.office.day
        way = way or self.dice.choice(["both", "both", "too little", "a part", "returned"])
        amount = {"too little": owed + claims // 2, "a part": claims + owed // 2}.get(
            way, owed + claims
        )
        if owed <= 0 or claims <= 0:
            return
        claim = min(claims, amount)
        entry = self.bank.book(
            bill.currency,
            day,
            amount,
            [(bill, amount)],
            way=f"claims: {way}",
            claim=claim,
            **self._texts(bill, "number"),
        )
        self.books.move(day, bill, amount, claim=claim)
        self.count(f"claims: {way}")
        if way == "returned":
            self.at(day_after(day, 4), self.returned, bill, entry)
            self.at(day_after(day, 9), self.pay_claims, bill, id, "both")

    def pay_later(self, bill, id):
        """Pay the invoice alone, and the claims by another transfer or, as the office agrees, not
        at all.
        """
        owed = self.books.open(bill)
        if owed > 0:
            self.pay(bill, "number")
            after = self.dice.choice([self.pay_rest, self.withdraw])
            self.at(day_after(self.office.day, 5), after, bill, id)

    def pay_rest(self, bill, id):
        """Pay what is left of the claims.

        Of some, the office then withdraws the letter and returns the money.
        """
        claims = self.books.claims_open(bill)
        if claims > 0 and self.books.open(bill) == 0:
            self.bank.book(
                bill.currency,
                self.office.day,
                claims,
                [(bill, claims)],
                way="claims alone",
                claim=claims,
                **self._texts(bill, "number"),
            )
            self.books.move(self.office.day, bill, claims, claim=claims)
            self.count("claims: alone")
            if id % 2:
                self.at(day_after(self.office.day, 30), self.withdraw, bill, id)

    def withdraw(self, bill, id):
        """Withdraw a letter. What was paid of it is transferred back."""
        claimed = self.books.claimed(bill)
        if not claimed:
            return
        self.office(
            "POST", f"/invoices/{bill.id}/dunning/{id}/withdraw", {"reason": "Aus Kulanz"}, 200
        )
        self.books.claim(self.office.day, bill, -claimed)
        self.books.dunned.discard((bill.number, 2))
        self.count("claims: withdrawn")
        if self.books.claims_open(bill) < 0:
            self.at(day_after(self.office.day, 3), self._return_claims, bill)

    def _return_claims(self, bill):
        amount = self.books.claims_open(bill)
        if amount < 0 <= self.books.open(bill):
            self.bank.book(
                bill.currency,
                self.office.day,
                amount,
                [(bill, amount)],
                party=self._name(bill),
                iban=bill.customer["iban"],
                text=f"Erstattung {bill.number}",
                way="claims returned",
            )
            self.books.move(self.office.day, bill, amount, claim=amount)
            self.count("claims: returned")

    def _name(self, bill):
        return bill.customer["body"]["company_name"]

    def _texts(self, bill, way):
        """Return what a customer writes into a transfer."""
        year, running = bill.number.split("-")[-2:]
        texts = {
            "lower case": f"inv {year} {running}",
            "no zeros": f"Rechnung INV-{year}-{int(running)}",
            "broken": [
                f"VIELEN DANK RE INV-{year}-{running[:3]}",
                f"{running[3:]} KD {bill.customer['number']}",
            ],
            "no number": "Messe Rechnung",
            "rf": None if bill.reference else bill.number,
        }
        found = {
            "party": self._name(bill),
            "iban": bill.customer["iban"],
            "text": texts.get(way, bill.number),
        }
        return {**found, "rf": bill.reference} if way == "rf" and bill.reference else found

    def card(self, bill):
        """Pay by card: the office records it at once, and the provider pays out later."""
        amount = self.books.open(bill)
        if amount <= 0:
            return
        self.office(
            "POST",
            "/payments",
            {
                "invoice_number": bill.number,
                "amount": amount / 100,
                "currency": bill.currency,
                "gateway_key": "card",
                "payment_date": self.office.day,
                "transaction_id": f"ch_{bill.id}",
            },
            201,
        )
        self.books.move(self.office.day, bill, amount, "card")
        self.bank.book(
            "EUR",
            day_after(self.office.day, 0),
            amount,
            "payout of the card provider",
            party="Card Provider",
            text=f"PAYOUT {self.step}",
        )

    def pay(self, bill, way, percent=100):
        """Pay an invoice by transfer."""
        day, amount = self.office.day, self.books.open(bill) * percent // 100
        if amount <= 0:
            return
        if way in ("together", "batch"):
            if way == "batch":
                self.waiting.append(bill)
            self._pay_waiting(bill, way)
            return
        if way == "wrong number":
            other = next(one for one in self.books.bills if one.of is None)
            texts = {**self._texts(bill, "number"), "text": other.number}
        else:
            texts = self._texts(bill, way)
        if way == "cents short" and amount > 1000:  # the option payment_tolerance
            amount -= 3
            self.books.write_off(day, bill, 3, is_stated=True)
            self.count("write-off: tolerance")
        entry = self.bank.book(bill.currency, day, amount, [(bill, amount)], way=way, **texts)
        self.books.move(day, bill, amount)
        if way == "twice":
            self.bank.book(bill.currency, day, amount, [(bill, amount)], way="paid again", **texts)
            self.books.move(day, bill, amount)
            self._give_back(bill)
        if way == "returned":
            self.at(day_after(day, 4), self.returned, bill, entry)
            self.at(day_after(day, 15), self.pay, bill, "number")

    def _pay_waiting(self, bill, way):
        """Pay two invoices of a customer in one transfer, or three of different customers in one
        batch.
        """
        if way == "together":
            found = [
                one
                for one in self.books.bills
                if one.of is None
                and one.customer is bill.customer
                and one.currency == bill.currency
                and self.books.open(one) > 0
            ][-2:]
        else:
            found = [
                one
                for one in self.waiting
                if one.currency == bill.currency and self.books.open(one) > 0
            ]
        if len(found) == (2 if way == "together" else 3):
            self.waiting = [one for one in self.waiting if one not in found]
            shares = [(one, self.books.open(one)) for one in found]
            (self._transfer_for if way == "together" else self._batch)(shares)
        elif bill not in self.waiting:
            self.waiting.append(bill)

    def _transfer_for(self, shares):
        bill, day = shares[0][0], self.office.day
        text = "Rechnungen " + " und ".join(one.number for one, _ in shares)
        self.bank.book(
            bill.currency,
            day,
            sum(amount for _, amount in shares),
            shares,
            party=self._name(bill),
            iban=bill.customer["iban"],
            text=[text[:35], text[35:]],
            way="together",
        )
        for one, amount in shares:
            self.books.move(day, one, amount)
        self.count("payment: one for several", len(shares))

    def _batch(self, shares):
        parts = [
            self.bank.part(amount, [(bill, amount)], way="batch", **self._texts(bill, "number"))
            for bill, amount in shares
        ]
        self.bank.book(
            shares[0][0].currency,
            self.office.day,
            sum(amount for _, amount in shares),
            "batch",
            parts=parts,
        )
        for bill, amount in shares:
            self.books.move(self.office.day, bill, amount)
        self.count("payment: batch", len(shares))

    def flush(self):
        """Pay by single transfers what waits for others at the end of the year."""
        for bill in self.waiting:
            self.pay(bill, "number")
        self.waiting = []

    def returned(self, bill, entry):
        """The bank takes a transfer back."""
        same = {name: entry[name] for name in ("end_to_end_id", "party", "iban", "text")}
        self.bank.book(
            bill.currency,
            self.office.day,
            -entry["amount"],
            [(bill, -entry["amount"])],
            is_reversal=True,
            reason="AC04",
            way="returned",
            **same,
        )
        self.books.move(self.office.day, bill, -entry["amount"], claim=-entry.get("claim", 0))
        self.count("refund: returned by the bank")

    def pay_cancelled(self, bill):
        """A customer pays a cancelled invoice. The office sends the money back."""
        if not bill.credits:
            return
        self.bank.book(
            bill.currency,
            self.office.day,
            bill.total,
            "paid a cancelled invoice",
            **self._texts(bill, "number"),
        )
        self.bank.book(
            bill.currency,
            day_after(self.office.day, 3),
            -bill.total,
            "sent back",
            party=self._name(bill),
            iban=bill.customer["iban"],
            text="Ihre Zahlung zurück",
        )
        self.count("payment: of a cancelled invoice")

    def dispute(self):
        """A customer disputes an invoice, which gets no letters from then on."""
        overdue = {row["id"] for row in self.office.every("/invoices?status=overdue")}
        bill = next(
            (one for one in self.books.bills if one.id in overdue and not one.disputed), None
        )
        if bill is None:
            return
        self.office(
            "POST",
            f"/invoices/{bill.id}/dispute",
            {"reason": "Der Strom fehlte am ersten Tag."},
            200,
        )
        bill.disputed = True
        self.count("disputed")

    def noise(self):
        """Book what is no payment: fees, pending entries, dollars with the number of a EUR invoice,
        0.00.
        """
        day = self.office.day
        bill = next(
            one for one in self.books.bills if one.currency == "EUR" and self.books.open(one) > 0
        )
        self.bank.book("EUR", day, -1275, "fee of the bank", description="KONTOFUEHRUNG")
        self.bank.book("EUR", day, 71400, "pending", status="PDNG", text=bill.number)
        self.bank.book(
            "USD",
            day,
            self.books.open(bill),
            "another currency",
            text=bill.number,
            party=self._name(bill),
        )
        self.bank.book("EUR", day, 0, "nothing", text=f"ABSCHLUSS {bill.number}")
        self.count("noise", 4)

    # Statements

    def import_file(self, data):
        """Import a file and book what matches exactly. Return the result."""
        kind = "application/zip" if data[:2] == b"PK" else "application/xml"
        response = self.office.client(
            "POST", "/payments/import?auto=exact", raw=data, headers={"Content-Type": kind}
        )
        assert response.status_int in (200, 201), response.text[:1000]
        result = response.json["data"]
        for name in ("imported", "known", "booked", "proposed", "unmatched", "skipped_pending"):
            self.count(f"statements: {name}", result[name])
        return result

    def settle(self):
        """Work through the list of transactions that are not assigned, oldest first, knowing what
        they are.
        """
        rows = self.office.every("/payments/unmatched")
        for row in sorted(rows, key=lambda row: (row["booked_on"], row["amount"] < 0)):
            key = self.bank.key(
                row["account"], row["booked_on"], round(row["amount"] * 100), row["end_to_end_id"]
            )
            entry = self.bank.known[key]
            truth = entry["truth"]
            path = f"/payments/unmatched/{row['id']}"
            if isinstance(truth, str):
                self.office("POST", f"{path}/ignore", {"reason": truth}, 200)
                self.count("work list: ignored")
            else:
                shares = [
                    {
                        "invoice_number": bill.number,
                        "amount": abs(entry.get("came") or amount) / 100,
                        **({"claim_amount": entry["claim"] / 100} if entry.get("claim") else {}),
                        **({"invoice_amount": amount / 100} if entry.get("came") else {}),
                    }
                    for bill, amount in truth
                ]
                self.office("POST", f"{path}/assign", {"invoices": shares}, 200)
                self.count(f"work list: {entry['way']}")
        for row in self.office.every("/payments/unmatched?status=ignored"):
            self._offset(
                self.bank.known[
                    self.bank.key(
                        row["account"],
                        row["booked_on"],
                        round(row["amount"] * 100),
                        row["end_to_end_id"],
                    )
                ]
            )

    def _offset(self, entry):
        """Forget a transfer that the bank took back before it was assigned: it is no payment, and
        neither is the debit.
        """
        if not isinstance(entry["truth"], str):
            bill, amount = entry["truth"][0]
            self.books.movements.remove(
                Movement(entry["day"], bill, amount, "bank", claim=entry.get("claim", 0))
            )
            entry["truth"] = "taken back"
            self.count("work list: taken back by the bank")
