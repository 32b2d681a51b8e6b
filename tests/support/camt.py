"""Write bank statements in camt.053, versions 02 and 08, as banks write them.

An entry is a dict: `amount` (minor units; negative is money that goes out) and `day` are required.
Optional are `bank_reference`, `party`, `iban`, `bic`, `text` (a string, or a list of <Ustrd>),
`rf`, `end_to_end_id`, `status`, `is_reversal`, `reason`, `description`, `addition`, `sent` (as `CHF 500.00`),
`is_timestamp`, and `parts` (the entries of a batch).
"""

from decimal import Decimal
from xml.sax.saxutils import escape

from eventapi import money


def document(statements, version="02"):
    """Return a file of camt.053 with these statements as bytes."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.'
        f'{version}"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2025-01-01T20:00:00+01:00</CreDtTm></GrpHdr>'
        + "\n".join(statements)
        + "</BkToCstmrStmt></Document>"
    ).encode()


def statement(account, entries, currency="EUR", opening=0, number=1, version="02", closing=None):
    """Return the <Stmt> of an account. The closing balance is computed unless it is given."""
    days = [entry["day"] for entry in entries] or ["2025-01-01"]
    booked = sum(entry["amount"] for entry in entries if entry.get("status", "BOOK") == "BOOK")
    closing = opening + booked if closing is None else closing
    kind = "IBAN" if account[:2].isalpha() else "Othr><Id"
    return (
        f"<Stmt><Id>{number}</Id><ElctrncSeqNb>{number}</ElctrncSeqNb><CreDtTm>{max(days)}T20:00:00+01:00</CreDtTm>"
        f"<Acct><Id><{kind}>{account}</{'></'.join(reversed(kind.split('><')))}></Id><Ccy>{currency}</Ccy></Acct>"
        + _balance("OPBD", opening, currency, min(days))
        + _balance("CLBD", closing, currency, max(days))
        + "\n".join(_entry(entry, currency, version) for entry in entries)
        + "</Stmt>"
    )


def _amount(units, currency):
    value = Decimal(abs(units)).scaleb(-money.decimals(currency))
    return f'<Amt Ccy="{currency}">{value}</Amt>'


def _signed(units, currency):
    return f"{_amount(units, currency)}<CdtDbtInd>{'CRDT' if units >= 0 else 'DBIT'}</CdtDbtInd>"


def _balance(code, units, currency, day):
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>{_signed(units, currency)}"
        f"<Dt><Dt>{day}</Dt></Dt></Bal>"
    )


def _element(name, value):
    return f"<{name}>{escape(value)}</{name}>" if value else ""


def _entry(entry, currency, version):
    status = entry.get("status", "BOOK")
    day = (
        f"<DtTm>{entry['day']}T09:30:00+01:00</DtTm>"
        if entry.get("is_timestamp")
        else f"<Dt>{entry['day']}</Dt>"
    )
    parts = entry.get("parts")
    details = "".join(_details(part, currency, version, bool(parts)) for part in parts or [entry])
    batch = f"<Btch><NbOfTxs>{len(parts)}</NbOfTxs></Btch>" if parts else ""
    return (
        f"<Ntry>{_signed(entry['amount'], currency)}"
        + ("<RvslInd>true</RvslInd>" if entry.get("is_reversal") else "")
        + (f"<Sts>{status}</Sts>" if version == "02" else f"<Sts><Cd>{status}</Cd></Sts>")
        + f"<BookgDt>{day}</BookgDt><ValDt><Dt>{entry['day']}</Dt></ValDt>"
        + _element("AcctSvcrRef", entry.get("bank_reference"))
        + "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>"
        + f"<NtryDtls>{batch}{details}</NtryDtls>"
        + _element("AddtlNtryInf", entry.get("description"))
        + "</Ntry>"
    )


def _details(entry, currency, version, is_part):
    """Return the <TxDtls> of an entry, or of one part of a batch."""
    role = "Dbtr" if (entry["amount"] >= 0) != bool(entry.get("is_reversal")) else "Cdtr"
    name = _element("Nm", entry.get("party"))
    name = f"<{role}>{name if version == '02' else f'<Pty>{name}</Pty>'}</{role}>" if name else ""
    account = (
        f"<{role}Acct><Id>{_element('IBAN', entry['iban'])}</Id></{role}Acct>"
        if entry.get("iban")
        else ""
    )
    bank = _element("BIC" if version == "02" else "BICFI", entry.get("bic"))
    texts = entry.get("text") or []
    texts = [texts] if isinstance(texts, str) else texts
    code = "<Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp>"
    rf = (
        f"<Strd><CdtrRefInf>{code}<Ref>{entry['rf']}</Ref></CdtrRefInf></Strd>"
        if entry.get("rf")
        else ""
    )
    remittance = "".join(_element("Ustrd", part) for part in texts) + rf
    return (
        "<TxDtls><Refs>"
        + _element("AcctSvcrRef", is_part and entry.get("bank_reference"))
        + _element("EndToEndId", entry.get("end_to_end_id", "NOTPROVIDED"))
        + "</Refs>"
        + _amounts(entry, currency, version, is_part)
        + (f"<RltdPties>{name}{account}</RltdPties>" if name or account else "")
        + (
            f"<RltdAgts><{role}Agt><FinInstnId>{bank}</FinInstnId></{role}Agt></RltdAgts>"
            if bank
            else ""
        )
        + (f"<RmtInf>{remittance}</RmtInf>" if remittance else "")
        + (f"<RtrInf><Rsn><Cd>{entry['reason']}</Cd></Rsn></RtrInf>" if entry.get("reason") else "")
        + _element("AddtlTxInf", entry.get("addition"))
        + "</TxDtls>"
    )


def _amounts(entry, currency, version, is_part):
    """Return the amount of a part of a batch, and what was sent in another currency."""
    sent = f"<InstdAmt>{_sent(entry['sent'])}</InstdAmt>" if entry.get("sent") else ""
    if is_part and version == "02":
        sent += f"<TxAmt>{_amount(entry['amount'], currency)}</TxAmt>"
    own = _signed(entry["amount"], currency) if is_part and version != "02" else ""
    return own + (f"<AmtDtls>{sent}</AmtDtls>" if sent else "")


def _sent(value):
    currency, amount = value.split()
    return f'<Amt Ccy="{currency}">{amount}</Amt>'
