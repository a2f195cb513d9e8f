"""Logout tokens, with which a provider ends a session (OpenID Connect Back-Channel Logout 1.0, 2.4-2.6)."""

import time
from collections.abc import Mapping
from typing import Any

from balcao.core.access.caller import TokenRefused
from balcao.core.access.sessions import SessionEnd
from balcao.core.access.tokens import LEEWAY_SECONDS, MAX_TOKEN_BYTES, TokenVerifier, parse_date
from balcao.core.errors import Invalid

EVENT = "http://schemas.openid.net/event/backchannel-logout"
# The maximum age of a logout token. Providers send these tokens immediately, so an older one may be a replay.
LONGEST_AGE_SECONDS = 600
MAX_NAME_LENGTH = 512


class LogoutTokenRefused(Invalid):
    """A logout token that is not accepted. Only the log contains the reason."""

    default_message = "O logout_token não é válido."
    default_code = "logout-token"

    def __init__(self, refused: TokenRefused) -> None:
        super().__init__()
        self.refused = refused


async def read_logout_token(tokens: TokenVerifier, token: str) -> SessionEnd:
    """Verify a logout token with the keys for access tokens, and return which session ends.

    The audience may be any client, because an issuer can end only its own sessions. Raises LogoutTokenRefused if the
    token is not valid, and KeyPending or KeysAway if the key is not available.
    """
    try:
        if len(token) > MAX_TOKEN_BYTES:
            raise TokenRefused("token-oversize")
        return _to_session_end(await tokens.read_signed(token.encode()))
    except TokenRefused as fault:
        raise LogoutTokenRefused(fault) from None


def _to_session_end(claims: Mapping[str, Any]) -> SessionEnd:
    events, now = claims.get("events"), time.time()
    if not isinstance(events, dict) or not isinstance(events.get(EVENT), dict) or "nonce" in claims:
        raise TokenRefused("token-type")
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    if not named or not all(isinstance(name, str) and name for name in named):
        raise TokenRefused("token-audience")
    issued, expires = parse_date(claims.get("iat")), parse_date(claims.get("exp"))
    if issued is None or expires is None:
        raise TokenRefused("token-times")
    if issued - LEEWAY_SECONDS > now:
        raise TokenRefused("token-not-yet-valid")
    if issued + LONGEST_AGE_SECONDS < now or expires + LEEWAY_SECONDS <= now:
        raise TokenRefused("token-expired")
    number, session, subject = (_read_name(claims, name) for name in ("jti", "sid", "sub"))
    if number is None or (session is None and subject is None):
        raise TokenRefused("token-subject")
    return SessionEnd(str(claims["iss"]).rstrip("/"), number, issued, session, subject)


def _read_name(claims: Mapping[str, Any], name: str) -> str | None:
    """Return a claim that contains a name, or None if it is absent. Raises TokenRefused if its value is not a name."""
    value = claims.get(name)
    if value is not None and not (isinstance(value, str) and value.strip() and len(value) <= MAX_NAME_LENGTH):
        raise TokenRefused("token-subject")
    return value.strip() if value is not None else None
