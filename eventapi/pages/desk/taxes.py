"""What the desk says about taxes: where a show is taxed, in the words of the organiser's state."""

from eventapi.domain.billing import tax_terms
from eventapi.domain.people import vat_checks
from eventapi.domain.vat import places
from eventapi.languages import countries
from eventapi.pages.desk import actions, api, labels
from eventapi.web.html.page_requests import PageRequest
from eventapi.web.html.schema_forms import Form

PLACE = "place_of_supply"
# Where a person looks up a VAT id. The addresses do not contain it: this server tells nobody about a contact.
VIES = "https://ec.europa.eu/taxation_customs/vies/#/vat-validation"
BZST = "https://evatr.bff-online.de/"


def explain_place(request: PageRequest, organiser_country: str, form: Form) -> None:
    """Name the tax of the organiser's state in the options and the help of `place_of_supply`."""
    texts = labels.words(request)
    country = countries.name(organiser_country, request.language)
    tax = texts.get(f"own_tax_{organiser_country}", texts["own_tax"]).format(country=country)
    field = next(each for each in form.fields if each.name == PLACE)

    labels_of_options = dict(field.options)
    if not places.is_in_eu(organiser_country):
        labels_of_options["recipient"] = texts["outside_eu.place_of_supply=recipient"]
    field.options = [(value, label.format(tax=tax)) for value, label in labels_of_options.items()]

    region = "eu" if places.is_in_eu(organiser_country) else "outside_eu"
    help = texts.get(f"place_of_supply_{organiser_country}", texts[f"place_of_supply_{region}"])
    field.help = help.format(tax=tax, country=country)


def place_form(request: PageRequest, organiser_country: str) -> Form:
    """Return the form that asks where firms from abroad are taxed at a show."""
    form = Form(
        "event",
        "PATCH",
        labels.of(request, "events"),
        names=(PLACE,),
        spread=(PLACE,),
        language=request.language,
    )
    explain_place(request, organiser_country, form)
    return form


def is_undecided(db, request: PageRequest, participant_ids: list[int]) -> bool:
    """Return whether there are firms from abroad among participants of a show for which nobody has
    decided where they are taxed, and the person may decide it.
    """
    _, firms = tax_terms.foreign_firms(db, participant_ids)
    return firms > 0 and api.may_call(request, "update_event")


def abroad(request: PageRequest, organiser_country: str, event: dict | None) -> str | None:
    """Return the sentence about an event abroad, None if it is not, or without an event."""
    if event is None or not places.is_outside(organiser_country, event["country"]):
        return None
    texts = labels.words(request)
    country = countries.name(event["country"], request.language)
    law = places.law(organiser_country, event["country"])
    doubt = texts[f"event_abroad_{law}"] if law else ""
    return texts["event_abroad"].format(country=country, doubt=doubt).replace("  ", " ")


def vat_id_of(request: PageRequest, organiser_country: str, contact: dict) -> dict | None:
    """Return {number, check, sites, buttons} of the VAT id of a contact, None if it has none of the
    EU.

    `sites` are (name, address) of the pages that confirm it. The Federal Central Tax Office (BZSt)
    confirms VAT ids of other states to German organisers.
    """
    number = vat_checks.vat_id(contact)
    if number is None:
        return None
    sites = [("vies", VIES)]
    if organiser_country == "DE" and not number.startswith("DE"):
        sites.append(("bzst", BZST))
    buttons = actions.one(request, "create_contact_vat_check", id=contact["id"])
    return {"number": number, "check": contact["vat_check"], "sites": sites, "buttons": buttons}
