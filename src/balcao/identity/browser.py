"""What a browser brings along: its session, and the proof that a form came from a page of ours."""

import hmac
from collections.abc import Mapping

from litestar.datastructures import Cookie

from balcao.identity.realm import AnyRequest, Realm, realm_of
from balcao.identity.records import secret
from balcao.identity.store import Session

SESSION = "balcao_session"
CSRF = "balcao_form"


def cookie(realm: Realm, name: str, value: str) -> Cookie:
    """Until the browser closes; an empty value ends it now."""
    return Cookie(
        key=name,
        value=value,
        path=realm.path,
        max_age=None if value else 0,
        httponly=True,
        samesite="lax",
        secure=realm.secure,
    )


async def session(request: AnyRequest) -> Session | None:
    return await realm_of(request).records.session(request.cookies.get(SESSION, ""))


def csrf(request: AnyRequest) -> str:
    """The value that cookie and form share; kept while a page is open in another tab."""
    known = request.cookies.get(CSRF, "")
    return known if len(known) == len(secret()) else secret()


def sent_our_form(request: AnyRequest, form: Mapping[str, str]) -> bool:
    """Another site can make a browser send a form, but can neither read nor set this cookie."""
    kept = request.cookies.get(CSRF, "")
    return bool(kept) and hmac.compare_digest(kept.encode(), form.get("csrf", "").encode())


def address(request: AnyRequest) -> str:
    return request.client.host if request.client else ""
