"""GET /events/{id}/overview: figures, what waits, what is missing, and the next dates."""


def test_an_event_that_does_not_exist_has_no_overview(organiser):
    organiser.get("/events/99/overview", status=404)
