"""The profile: how the exhibitor is shown on the public pages of the show."""

from eventapi.domain.people import participants
from eventapi.domain.shows import directory, profiles
from eventapi.errors import Problem, invalid, invalid_at
from eventapi.pages.my import page
from eventapi.plugins.validation import body_of
from eventapi.web import downloads
from eventapi.web.html import page_requests, typed_values
from eventapi.web.routes import Routes

routes = Routes("my-profile", root="/my/<ref>", **page.PAGE)
LANGUAGES = ("de", "en")
NAMES = (
    "display_name",
    "text_de",
    "text_en",
    "products",
    "website",
    "email",
    "phone",
    "links",
)
# The schema of the profile checks these, with all others at once.
KINDS = {"website": "url", "email": "email"}
AUTOCOMPLETE = {
    "website": "url",
    "email": "email",
    "phone": "tel",
}
# place in the body of the profile -> field of the form
FIELDS = {
    "/texts/de": "/text_de",
    "/texts/en": "/text_en",
    "/products": "/products",
    "/links": "/links",
}


@routes.get("/profile")
def get_my_profile(db, request):
    """Return the form of the profile, its logo and a preview of the public entry."""
    exhibitor = page.open_page(db, request, "profile")
    profile = profiles.get(db, exhibitor.participant["id"])
    text = directory.in_language(profile["texts"], request.language)
    is_listed = profile["is_listed"] is not False
    if request.fields:  # a form without the mark does not send the field
        is_listed = "is_listed" in request.fields
    return page.render_page(
        db,
        request,
        exhibitor,
        "profile",
        profile=profile,
        is_listed=is_listed,
        **form_of(request, exhibitor, profile),
        tag=page.tag_of(by_field(profile)),
        text=text,
        website=directory.linkable(profile["website"]),
        limit=profiles.LARGEST_FILE // 1000,
        side=profiles.LARGEST_SIDE,
    )


@routes.post("/profile", schema="portal_forms.profile", shows=get_my_profile)
def change_my_profile(db, request, body):
    """Change the profile."""
    me, old = owned(db, request)
    page.refuse_changed(by_field(old), body["etag"])
    profiles.update_own(db, me, old, fields_of(db, body, old))
    return page_requests.see_other(request, "profile", done="profile")


@routes.post(
    "/profile/logo",
    schema="portal_forms.file",
    shows=get_my_profile,
    file=lambda config: profiles.LARGEST_FILE,
)
def set_my_logo(db, request, upload):
    """Set the logo."""
    me, old = owned(db, request)
    profiles.refuse_locked(old, ["logo"])
    try:
        profiles.set_logo(db, me, old, upload)
    except Problem as problem:
        if problem.status not in (415, 422):
            raise
        code = problem.errors[0]["code"] if problem.errors else "picture_kind"
        raise invalid_at("/file", code, problem.detail) from None
    return page_requests.see_other(request, "profile", done="logo")


@routes.post("/profile/logo/remove", shows=get_my_profile)
def remove_my_logo(db, request):
    """Remove the logo."""
    me, old = owned(db, request)
    profiles.refuse_locked(old, ["logo"])
    profiles.remove_logo(db, me, old)
    return page_requests.see_other(request, "profile", done="logo_removed")


@routes.get("/profile/logo/<hash>", forms=downloads.PICTURES)
def get_my_logo(db, request, hash):
    """Return the logo. Its address contains the hash of the file."""
    exhibitor = page.open_page(db, request, "profile")
    logo = profiles.get(db, exhibitor.participant["id"])["logo"]
    page.found(logo if logo and logo["sha256"][:16] == hash else None, "logo", hash)
    return page.attachment(
        downloads.stored_file(db.config, logo["sha256"], logo["content_type"], "logo")
    )


def form_of(request, exhibitor, profile):
    """Return {form, given}: the form of the texts of a profile, which may be locked, and its texts."""
    found = page.form_of(
        request,
        "portal_forms.profile",
        by_field(profile),
        names=NAMES,
        autocomplete=AUTOCOMPLETE,
    )
    for each in found["form"].fields:
        each.kind = KINDS.get(each.name, each.kind)
        each.is_locked = profile["locked"]
    name = found["form"].field("display_name")
    name.help = name.help.format(name=exhibitor.participant["company_name"] or "–")
    return found


def by_field(profile):
    """Return what other people may change meanwhile, by the names of the form."""
    texts = {f"text_{language}": profile["texts"].get(language) for language in LANGUAGES}
    return {
        **texts,
        **{name: value for name, value in profile.items() if name not in ("texts", "updated_at")},
    }


def owned(db, request):
    """Return the participant, as the API shows it, and its profile."""
    id = page.open_for_change(db, request, "profile").participant["id"]
    return participants.get(db, id), profiles.get(db, id)


def fields_of(db, body, old):
    """Return the fields of a profile that the texts of the form mean.

    Raise 422 with the fields of the form.
    """
    texts = {
        language: body[f"text_{language}"] for language in LANGUAGES if body[f"text_{language}"]
    }
    wanted = {
        "texts": texts,
        **{name: (body[name] or "").splitlines() for name in ("products", "links")},
        **{name: body[name] for name in ("display_name", "website", "email", "phone")},
    }
    for name in ("products", "links"):
        wanted[name] = [line.strip() for line in wanted[name] if line.strip()]
    wanted["website"] = wanted["website"] and typed_values.link(wanted["website"].strip())
    wanted["links"] = [typed_values.link(line) for line in wanted["links"]]
    if body["is_listed"] != (old["is_listed"] is not False):
        wanted["is_listed"] = body["is_listed"]
    try:
        return body_of("profile", "PATCH", db.config.timezone)(wanted)
    except Problem as problem:
        raise invalid(
            [{**fault, "pointer": field_of(fault["pointer"])} for fault in problem.errors]
        ) from None


def field_of(pointer):
    """Return the place in the form of a place in the body."""
    return next((field for place, field in FIELDS.items() if pointer.startswith(place)), pointer)
