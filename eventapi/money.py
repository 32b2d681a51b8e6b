"""Money: whole minor units (cents) inside, exact JSON numbers outside; never a binary float in a sum.

A JSON number arrives as int or Decimal. It leaves as the float nearest to the decimal: below 10^12 that float is written
with exactly the decimals of the amount.
"""
from decimal import Context, Decimal

# ISO 4217, active codes by number of decimals where that is not two.
DECIMALS = {code: places for places, codes in {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}.items() for code in codes.split()}

CURRENCIES = frozenset(DECIMALS) | frozenset("""
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
    KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
    NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
    TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG""".split())

LIMIT = 10 ** 12                    # amounts stay below this, in major units
EXACT = Context(prec=64)            # more digits than the door lets in, so that nothing is rounded unseen


def decimals(currency):
    return DECIMALS.get(currency, 2)


def scaled(number, places):
    """A JSON number as whole units of 10^-places, or None when it has more decimals than that."""
    units = EXACT.scaleb(Decimal(number), places)
    return int(units) if units == units.to_integral_value() else None


def unscaled(units, places):
    """Whole units of 10^-places as a JSON number; None stays None."""
    return None if units is None else units / 10 ** places if places else units


def minor(number, currency):
    """A JSON number in minor units, or None when it has too many decimals for the currency."""
    return scaled(number, decimals(currency))


def major(units, currency):
    """Minor units as a JSON number; None stays None."""
    return unscaled(units, decimals(currency))


def majors(row, names, currency):
    """Turns these members of a row, none of them None, from minor units into JSON numbers."""
    scale = 10 ** decimals(currency)
    if scale > 1:
        for name in names:
            row[name] /= scale



def divided(numerator, denominator):
    """A fraction of whole numbers to a whole number, half away from zero, whatever their size."""
    whole = (2 * abs(numerator) + denominator) // (2 * denominator)
    return whole if numerator >= 0 else -whole
