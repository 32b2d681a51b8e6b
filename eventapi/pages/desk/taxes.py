"""What the desk says about taxes: where a show is taxed, in the words of the organiser's state."""

from eventapi.domain.vat import places
from eventapi.languages import countries
from eventapi.pages.desk import labels
from eventapi.web.html.page_requests import PageRequest
from eventapi.web.html.schema_forms import Form

PLACE = "place_of_supply"


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


def abroad(request: PageRequest, organiser_country: str, event: dict | None) -> str | None:
    """Return the sentence about an event abroad, None if it is not, or without an event."""
    if event is None or not places.is_outside(organiser_country, event["country"]):
        return None
    texts = labels.words(request)
    country = countries.name(event["country"], request.language)
    law = places.law(organiser_country, event["country"])
    doubt = texts[f"event_abroad_{law}"] if law else ""
    return texts["event_abroad"].format(country=country, doubt=doubt).replace("  ", " ")
