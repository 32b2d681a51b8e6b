"""Amounts of money: integers in minor units (cents) inside, JSON numbers in major units outside.

Sums are never computed with floats. A JSON number is parsed as int or Decimal. In responses it is
the float nearest to the amount; below 10^12, JSON shows this float with exactly the decimals of the
amount.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

# Active ISO 4217 codes with a number of decimals other than two.
DECIMALS = {
    code: places
    for places, codes in {
        0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
        3: "BHD IQD JOD KWD LYD OMR TND",
        4: "CLF UYW",
    }.items()
    for code in codes.split()
}

CURRENCIES = frozenset(DECIMALS) | frozenset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
    KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
    NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
    TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG""".split()
)

RATE_PLACES = 10  # decimals of an exchange rate
LIMIT = 10**12  # amounts stay below this, in major units
EXACT = Context(prec=64)  # more digits than the validation accepts, so that nothing is rounded


def decimals(currency):
    """Return the number of decimals of a currency."""
    return DECIMALS.get(currency, 2)


def scaled(number, places):
    """Return a JSON number as an integer in units of 10^-places, or None if it has more decimals."""
    units = EXACT.scaleb(Decimal(number), places)
    return int(units) if units == units.to_integral_value() else None


def at_least(number, places):
    """Return the lowest integer in units of 10^-places that is at least a JSON number.

    For the lower bound of a filter, such as `min_amount`.
    """
    return int(EXACT.scaleb(Decimal(number), places).to_integral_value(ROUND_CEILING))


def at_most(number, places):
    """Return the highest integer in units of 10^-places that is at most a JSON number."""
    return int(EXACT.scaleb(Decimal(number), places).to_integral_value(ROUND_FLOOR))


def unscaled(units, places):
    """Return an integer in units of 10^-places as a JSON number. None stays None."""
    if units is None or not places:
        return units
    return units / 10**places


def minor(number, currency):
    """Convert a JSON number to minor units.

    Return None if it has too many decimals for the currency.
    """
    return scaled(number, decimals(currency))


def major(units, currency):
    """Convert minor units to a JSON number. None stays None."""
    return unscaled(units, decimals(currency))


def in_major_units(row, names):
    """Return a row with these amounts as JSON numbers, as far as it has them.

    Its currency is the column `currency`.
    """
    return {**row, **{name: major(row[name], row["currency"]) for name in names if name in row}}


def convert_to_major(row, names, currency):
    """Convert these columns of a row from minor units to JSON numbers, in place.

    None of them may be None.
    """
    scale = 10 ** decimals(currency)
    if scale > 1:
        for name in names:
            row[name] /= scale


def by_currency(rows, names, own):
    """Return sums by currency as one object: those in the currency `own`, and in `others` those in
    each other currency, in major units.

    `rows` have `currency` and the fields `names`, in minor units; they are changed in place.
    """
    found = {"currency": own, **dict.fromkeys(names, 0), "others": []}
    for row in rows:
        convert_to_major(row, names, row["currency"])
        if row["currency"] == own:
            found |= row
        else:
            found["others"].append(row)
    return found


def converted(units, currency, rate, other):
    """Convert minor units to those of another currency, rounded half away from zero.

    `rate`: the price of one unit of `currency` in units of 10^-RATE_PLACES of the other one.
    """
    return divided(units * rate, 10 ** (RATE_PLACES + decimals(currency) - decimals(other)))


def usual_rate(config, currency):
    """Return the rate of the option `exchange_rates` in units of 10^-RATE_PLACES, or None if there
    is none.
    """
    rate = config.exchange_rates.get(currency) if currency != config.currency else None
    return rate and scaled(rate, RATE_PLACES)


def divided(numerator, denominator):
    """Divide integers of any size and round to an integer, half away from zero.

    The denominator is positive.
    """
    whole = (2 * abs(numerator) + denominator) // (2 * denominator)
    return whole if numerator >= 0 else -whole


def tax(units, rate):
    """Return the tax on a net amount in minor units, rounded half away from zero.

    `rate` is in hundredths of a percent: 1900 is 19 %.
    """
    return divided(units * rate, 10000)
