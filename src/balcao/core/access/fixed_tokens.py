"""Who calls by a fixed service token, of which the configuration lists the hashes."""

from collections.abc import Iterable, Mapping

from balcao.core.access.caller import Caller, TokenRefused
from balcao.settings.fixed_tokens import FixedToken, compute_digest


class FixedCallers:
    """Who may call one operation by a fixed token; `scopes` are those of the operation's rule."""

    def __init__(self, tokens: Iterable[FixedToken], scopes: tuple[str, ...]) -> None:
        self._callers: Mapping[bytes, Caller] = {token.digest: _to_machine(token, scopes) for token in tokens}

    def find(self, authorization: bytes | None, now: float) -> Caller | None:
        """Return the caller of a header that carries one of the tokens. Raises TokenRefused for an expired one."""
        if not self._callers or authorization is None:
            return None
        scheme, _, token = authorization.partition(b" ")
        caller = self._callers.get(compute_digest(token.strip())) if scheme.lower() == b"bearer" else None
        if caller is not None and caller.expires_at <= now:
            raise TokenRefused("token-expired")
        return caller


def _to_machine(token: FixedToken, scopes: tuple[str, ...]) -> Caller:
    return Caller(
        subject=token.name,
        client=token.name,
        cpf=None,
        name=None,
        email=None,
        scopes=frozenset(scopes),
        roles=frozenset(),
        expires_at=token.expires_at,
        is_machine=True,
    )
