"""The sample of an invoice, which shows the settings of the organiser on paper."""

from eventapi.domain.billing import samples
from eventapi.pages.desk import api
from eventapi.pages.desk.money import downloaded
from eventapi.pages.office.menu import PACKAGE
from eventapi.web import downloads
from eventapi.web.html import page_requests
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

PDF = "application/pdf"

routes = Routes(
    "desk-sample",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)


@routes.get("/company/sample.pdf")
def get_desk_sample(config, request):
    """Return an invoice of made-up items with the settings of now. Nothing is stored."""
    api.require(request, "settings")
    language = request.language
    name = f"{page_requests.words(PACKAGE, language)['office_sample']}.pdf"
    headers = {"Content-Type": PDF, "Content-Disposition": downloads.disposition("inline", name)}
    return downloaded(Response(body=samples.draw(config, language), headers=headers))
