"""What a browser brings along: its session, and the proof that a form came from a page of ours."""

import hmac
from collections.abc import Mapping
from http.cookies import Morsel

from balcao.identity.realm import Realm, RealmRequest
from balcao.identity.records import secret
from balcao.identity.store import Session

SESSION = "balcao_session"
CSRF = "balcao_form"


def cookie(realm: Realm, name: str, value: str) -> str:
    """Return a `Set-Cookie` that lasts until the browser closes; an empty value ends it now."""
    morsel: Morsel[str] = Morsel()
    morsel.set(name, value, value)
    morsel |= {"path": realm.path, "httponly": True, "samesite": "lax", "secure": realm.secure}
    if not value:
        morsel["max-age"] = 0
    return morsel.OutputString()


async def session(request: RealmRequest) -> Session | None:
    return await request.realm.records.session(request.cookies.get(SESSION, ""))


def csrf(request: RealmRequest) -> str:
    """The value that cookie and form share; kept while a page is open in another tab."""
    known = request.cookies.get(CSRF, "")
    return known if len(known) == len(secret()) else secret()


def sent_our_form(request: RealmRequest, form: Mapping[str, str]) -> bool:
    """Another site can make a browser send a form, but can neither read nor set this cookie."""
    kept = request.cookies.get(CSRF, "")
    return bool(kept) and hmac.compare_digest(kept.encode(), form.get("csrf", "").encode())
