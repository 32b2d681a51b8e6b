"""The pages that the links in newsletter mails open.

GET only asks, because mail scanners open every link; POST makes the change.
"""

from html import escape

from eventapi.domain.mail import words as mail_words
from eventapi.domain.newsletter import subscriptions, tokens
from eventapi.languages import choice
from eventapi.web import client
from eventapi.web.pages import page
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("newsletter-pages", root="", public=True, forms=("text/html",), lost_page=True)

STYLE = (
    "main{max-width:34rem;padding-top:12vh}"
    "button{font:inherit;padding:.7rem 1.2rem;border-radius:6px;border:1px solid var(--line)}"
)


@routes.get("/newsletter/confirm/<token>")
def get_newsletter_confirmation(db, token):
    """Return the page that asks for the confirmation of a subscription."""
    row = tokens.of_confirm_token(db, token)
    return show(db, row, "confirm", is_done=row and row["status"] == "confirmed")


@routes.post("/newsletter/confirm/<token>")
def confirm_newsletter_subscription(db, token):
    """Confirm a subscription, and store the question as evidence of the consent."""
    row = tokens.of_confirm_token(db, token)
    if row:
        question = texts_for(db, row)[1]["confirm_question"].format(**placeholders(db, row))
        subscriptions.confirm(db, row, question, client.address(), client.agent())
    return show(db, row, "confirm", is_done=True)


@routes.get("/newsletter/unsubscribe/<token>")
def get_newsletter_unsubscription(db, token):
    """Return the page that asks whether to unsubscribe."""
    row = tokens.of_unsubscribe_token(db, token)
    return show(db, row, "unsubscribe", is_done=row and row["status"] == "unsubscribed")


@routes.post("/newsletter/unsubscribe/<token>")
def unsubscribe_from_newsletter(db, token):
    """Unsubscribe, also by the one-click POST of mail programs (RFC 8058). The body is ignored."""
    row = tokens.of_unsubscribe_token(db, token)
    if row:
        subscriptions.unsubscribe(db, row, "mail", client.address(), client.agent())
    return show(db, row, "unsubscribe", is_done=True)


def show(db, row, what, is_done):
    """Return the page that asks the question or reports the result.

    All invalid tokens get the same response.
    """
    language, texts = texts_for(db, row)
    if row is None:
        return respond(language, f"<p>{escape(texts['unknown'])}</p>", 404)
    text = texts[f"{what}_done" if is_done else f"{what}_question"].format(**placeholders(db, row))
    content = f"<p>{escape(text)}</p>"
    if not is_done:
        content += f'<form method="post"><button>{escape(texts[f"{what}_button"])}</button></form>'
    return respond(language, content)


def respond(language, content, status=200):
    """Return a page as response. It must not be cached, because its URL contains a secret token."""
    title = mail_words.WORDS[language]["newsletter_title"]
    text, headers = page(
        title, f"<main><h1>{escape(title)}</h1>{content}</main>", style=STYLE, language=language
    )
    return Response(
        status=status,
        body=text.encode(),
        headers={
            **headers,
            "Cache-Control": "no-store",
            "Content-Language": language,
            "Vary": "Accept-Language",
        },
    )


def texts_for(db, row):
    """Return (language, texts) of the page for a subscriber: its language, else that of the
    browser.

    `row` is None for an invalid token.
    """
    accepted = client.languages()
    language = (
        subscriptions.language(db, row, *accepted) if row else choice.choose(db.config, *accepted)
    )
    return language, mail_words.WORDS[language]


def placeholders(db, row):
    """Return the values of the placeholders in the texts."""
    return {"sender": mail_words.sender(db.config), "email": row["email"]}
