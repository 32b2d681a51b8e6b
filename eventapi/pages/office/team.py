"""The team at the desk: who may open the office, and what each person may do there.

The rules are those of domain/access/people.py. All pages need the scope `team`.
"""

from eventapi import times
from eventapi.calls import desk
from eventapi.domain.access import (
    api_keys,
    browsers,
    invitations,
    links,
    notices,
    people,
    roles,
    sessions,
)
from eventapi.domain.access.invitations import INVITATION, LASTS, LINK
from eventapi.errors import Problem, invalid_parameter, not_found
from eventapi.languages import formats
from eventapi.pages.office import menu
from eventapi.pages.office.page import render_page as render_office_page
from eventapi.plugins import access, idempotency
from eventapi.storage.database import as_json
from eventapi.web.html import page_requests, shell
from eventapi.web.rest import base_url, etag
from eventapi.web.routes import Routes

routes = Routes(
    "desk-team",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
    shows_missing_scopes=True,
)

AREAS = (*api_keys.SCOPES, roles.TEAM)


def require_team(request):
    """Raise 403 unless the person may change the team."""
    access.require_scope(request.who, roles.TEAM, writes=True)


def render_page(db, request, name, **values):
    """Return a page of the team. `refusal` is the sentence about a form that was refused."""
    return render_office_page(
        db,
        request,
        name,
        page="team",
        can_mail=notices.can_mail(db.config),
        refusal=refusal(db, request),
        **values,
    )


# The list


@routes.get("/team")
def get_desk_team(db, request):
    """Return the list of the people of the office."""
    require_team(request)
    team = [seen(db, request, person) for person in people.all_people(db) if person["role"]]
    invited = shell.asked("invited").get("invited")
    return render_page(
        db,
        request,
        "team",
        team=sorted(team, key=place),
        invited=next((each["name"] for each in team if str(each["id"]) == invited), None),
    )


def place(person):
    """Return what the list is sorted by: those who can sign in, by role and name, then the others."""
    states = ("active", "invited", "disabled")
    return (
        states.index(person["state"]),
        roles.ORDER.index(person["role"]),
        person["name"].lower(),
    )


def seen(db, request, person):
    """Return a person with what the pages of the team show besides its row.

    `state` is active, invited or disabled, `used` the last use in the hour, `is_here` whether that
    is the hour of now, `link_ends` the end of the invitation, `may_change` whether one has all
    rights of the person.
    """
    devices = sessions.of_admin(db, person["id"])
    is_self = person["id"] == request.who.admin_id
    used = max([*(each["last_used_at"] for each in devices), person["last_seen_at"] or ""])
    state = "active" if person["last_seen_at"] else "invited"
    ends = times.after(person["invited_at"], LASTS[INVITATION]) if person["invited_at"] else None
    return {
        **person,
        "state": state if person["is_active"] else "disabled",
        "is_self": is_self,
        "is_here": is_self
        or (bool(devices) and used[: sessions.HOUR] == times.now()[: sessions.HOUR]),
        "devices": devices,
        "used": used,
        "link_ends": ends,
        "is_link_old": ends is None or ends <= times.now(),
        "may_change": not roles.lacking(request.who.scopes, person["scopes"]),
    }


# An invitation


@routes.get("/team/new")
def get_desk_invitation(db, request):
    """Return the form of an invitation, with the roles that the person can give."""
    require_team(request)
    return render_page(
        db,
        request,
        "team_new",
        offered=offered(request),
        areas=areas(request),
        role=typed(request, "role"),
        picked=request.fields.get("scope", []),
    )


def offered(request):
    """Return the roles that the person can give: those with rights that it has itself."""
    mine = request.who.scopes
    return [role for role, scopes in roles.ROLES.items() if not roles.lacking(mine, scopes)]


def areas(request):
    """Return (area, scopes) of the ticks for single rights.

    The scopes are those for reading and for writing; None in place of one that the person cannot
    give.
    """
    rows = []
    for area in AREAS:
        scopes = [
            scope
            if scope in roles.OF_PEOPLE and not roles.lacking(request.who.scopes, [scope])
            else None
            for scope in (f"{area}:read", area)
        ]
        if any(scopes):
            rows.append((area, scopes))
    return rows


def typed(request, name, stored=""):
    """Return the text of a field of the form that was sent, else the stored one."""
    return request.fields.get(name, [stored])[0]


@routes.post("/team/new", shows=get_desk_invitation)
def invite_desk_person(db, request):
    """Make an account, and mail its link. Without a mail server, show the link once."""
    require_team(request)
    role, scopes = typed_rights(request)
    id = people.invite(db, typed(request, "name"), typed(request, "email"), role, scopes)
    return hand_over(db, request, id)


def typed_rights(request):
    """Return the role of the form, and its scopes if the role is that of single rights."""
    role = typed(request, "role")
    if not role:
        raise invalid_parameter("role", "required", "choose a role")
    return role, request.fields.get("scope", []) if role == roles.CUSTOM else None


def hand_over(db, request, id):
    """Mail a person the link, and return the redirection to the list.

    Without a mail server, return the page with the address of the link. It is there only once: the
    same form sent again leads to the page of the person.
    """
    if notices.can_mail(db.config):
        invitations.invite_by_mail(db, id)
        return page_requests.see_other(request, f"team?invited={id}")
    person = people.existing(db, id)
    lasts = LASTS[LINK if person["last_seen_at"] else INVITATION]
    people.record_invitation(db, id, "shown")
    secret = people.make_secret(db, id, way="shown", lasts=lasts)
    idempotency.keep_form(desk.running(), page_requests.see_other(request, f"team/{id}"))
    return render_page(
        db,
        request,
        "team_link",
        person=person,
        url=links.address(base_url(), secret),
        ends=times.after(db.now, lasts),
    )


# One person


@routes.get("/team/<id>")
def get_desk_person(db, request, id):
    """Return a person: name, address and rights, the ways to sign in, and its devices."""
    require_team(request)
    person = seen(db, request, person_of(db, id))
    is_stale = request.problem is not None and request.problem.status == 412
    return render_page(
        db,
        request,
        "team_person",
        title=person["name"],
        person=person,
        tag=tag_of(person) if is_stale else typed(request, "tag", tag_of(person)),
        stored=person if is_stale else None,
        offered=offered(request),
        areas=areas(request),
        role=typed(request, "role", person["role"]),
        device=lambda session: browsers.named(session["agent"]),
        picked=request.fields.get("scope", []) if request.fields else ticks(person),
    )


def person_of(db, id):
    """Return a person with an account. Raise 404 without one."""
    person = people.get(db, id)
    if person is None or person["role"] is None:
        raise not_found("page", shell.address())
    return person


def tag_of(person):
    """Return the entity tag of what the form of a person changes."""
    names = ("name", "email", "role", "scopes", "is_active")
    return etag(as_json({name: person[name] for name in names}))


def ticks(person):
    """Return the ticks of the scopes of a person: writing is ticked beside reading."""
    return [
        *person["scopes"],
        *(f"{scope}:read" for scope in person["scopes"] if f"{scope}:read" in roles.OF_PEOPLE),
    ]


@routes.post("/team/<id>", shows=get_desk_person)
def save_desk_person(db, request, id):
    """Change name, address and rights of a person, if they are as the page has shown them."""
    require_team(request)
    person = person_of(db, id)
    if typed(request, "tag") != tag_of(person):
        raise Problem(
            "precondition_failed",
            f"{person['name']} has been changed since the page was opened. Open it again.",
        )
    role, scopes = typed_rights(request)
    people.rename(db, id, typed(request, "name"))
    people.change_email(db, id, typed(request, "email"))
    people.change_rights(db, id, role, scopes)
    return after(db, request, id, "saved")


def after(db, request, id, done):
    """Return the redirection after a change: to the person, or to Today without the rights for it."""
    person = people.existing(db, id)
    is_out = id == request.who.admin_id and not roles.covers(person["scopes"], roles.TEAM)
    return page_requests.see_other(request, "" if is_out else f"team/{id}", done=done)


# What can be done with a person


@routes.get("/team/<id>/disable")
def get_desk_disabling(db, request, id):
    """Return the question whether a person shall be deactivated, with the names of its API keys."""
    require_team(request)
    person = seen(db, request, person_of(db, id))
    keys = [key for key in api_keys.keys(db) if key["admin_id"] == id and key["status"] == "active"]
    return render_page(db, request, "team_disable", title=person["name"], person=person, keys=keys)


@routes.post("/team/<id>/disable", shows=get_desk_disabling)
def disable_desk_person(db, request, id):
    """Deactivate a person: its sessions end, and its API keys are refused."""
    require_team(request)
    person_of(db, id)
    people.disable(db, id)
    return after(db, request, id, "person_disabled")


@routes.get("/team/<id>/enable")
@routes.get("/team/<id>/factor")
@routes.get("/team/<id>/invite")
@routes.get("/team/<id>/sessions")
def get_desk_person_part(db, request, id):
    """Lead to the page of a person, from the address of one of its buttons."""
    require_team(request)
    person_of(db, id)
    return page_requests.see_other(request, f"team/{id}")


@routes.post("/team/<id>/enable", shows=get_desk_person)
def enable_desk_person(db, request, id):
    """Let a person that was deactivated sign in again."""
    require_team(request)
    person_of(db, id)
    people.enable(db, id)
    return after(db, request, id, "person_enabled")


@routes.post("/team/<id>/invite", shows=get_desk_person)
def invite_desk_person_again(db, request, id):
    """Mail a person a new link, or show it without a mail server. Earlier links end."""
    require_team(request)
    person_of(db, id)
    if id == request.who.admin_id:
        return of_oneself(request)
    return hand_over(db, request, id)


@routes.post("/team/<id>/factor", shows=get_desk_person)
def reset_desk_factor(db, request, id):
    """Remove the second factor of a person, who has lost it. Its sessions end."""
    require_team(request)
    person_of(db, id)
    if id == request.who.admin_id:
        return of_oneself(request)
    people.reset(db, id, password=False)
    return after(db, request, id, "factor_reset")


def of_oneself(request):
    """Lead to one's own account, which asks for the old password, or a code of the second factor.

    A session that somebody has stolen must not get around them.
    """
    return page_requests.see_other(request, "account")


@routes.post("/team/<id>/sessions", shows=get_desk_person)
def sign_out_desk_person(db, request, id):
    """Sign a person out on all devices; oneself on all others."""
    require_team(request)
    person_of(db, id)
    own = request.session["id"] if id == request.who.admin_id else None
    people.end_sessions(db, id, but=own)
    return after(db, request, id, "person_signed_out")


# Refusals


def refusal(db, request):
    """Return the sentence about a form that was refused, None if it is one beside its fields."""
    problem = request.problem
    if problem is None or problem.errors:
        return None
    texts = page_requests.words(menu.PACKAGE, request.language)
    if problem.code == "insufficient_scope":
        scopes = problem.members["scope"].split(", ")
        return texts["team_lacks"].format(areas=", ".join(named(texts, each) for each in scopes))
    until = problem.members.get("until")
    if until:
        at = formats.moment(until, db.config.timezone, request.language)
        return texts["team_wait"].format(at=at)
    return page_requests.sentence(problem, texts)


def named(texts, scope):
    """Return the name of a scope: that of its area, and whether it is for reading only."""
    area, _, reads = scope.partition(":")
    name = texts.get(f"area_{area}", area)
    return texts["area_read"].format(area=name) if reads else name
