"""The provider's cookies: the browser's session, and the secret that proves that a form came from one of our pages."""

import hmac
from collections.abc import Mapping

from balcao.core.http.cookies import format_cookie
from balcao_sandbox.identity.realm import Realm, RealmRequest
from balcao_sandbox.identity.records import make_secret
from balcao_sandbox.identity.store import Session

SESSION = "balcao_session"
CSRF = "balcao_form"


def format_realm_cookie(realm: Realm, name: str, value: str) -> str:
    """Return a `Set-Cookie` header for a session cookie. An empty value deletes the cookie."""
    return format_cookie(name, value, secure=realm.is_secure, path=realm.path)


async def find_session(request: RealmRequest) -> Session | None:
    """Return the active session that the browser's cookie identifies, or None."""
    return await request.realm.records.use_session(request.cookies.get(SESSION, ""))


def choose_form_secret(request: RealmRequest) -> str:
    """Return the secret that the cookie and the form share.

    An existing secret is reused, because a page may still be open in another tab.
    """
    known = request.cookies.get(CSRF, "")
    return known if len(known) == len(make_secret()) else make_secret()


def is_our_form(request: RealmRequest, form: Mapping[str, str]) -> bool:
    """Return whether the form came from one of our pages.

    Another site can make a browser submit a form, but it can neither read nor set this cookie.
    """
    expected = request.cookies.get(CSRF, "")
    return bool(expected) and hmac.compare_digest(expected.encode(), form.get("csrf", "").encode())
