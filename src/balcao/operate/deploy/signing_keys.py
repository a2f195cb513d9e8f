"""The public keys of the identity provider, as files for a gateway that verifies tokens by itself."""

from collections.abc import Sequence

import httpx

from balcao.core.access.keys import IssuerKeys

PATIENCE = 60.0  # seconds, as a person waits for it who can end it


class KeysUnknown(Exception):
    """An issuer publishes no keys that can be read; `issuer` is its name, the cause how a call to it fails."""

    def __init__(self, issuer: str) -> None:
        super().__init__(issuer)
        self.issuer = issuer


async def fetch_signing_keys(issuers: Sequence[str]) -> dict[str, bytes]:
    """Return the signature keys that the issuers publish now, as PEM by `kid`. Raises KeysUnknown."""
    found: dict[str, bytes] = {}
    async with httpx.AsyncClient() as client:
        for issuer in issuers:
            keys = IssuerKeys(issuer, client, lambda: None, PATIENCE)
            if not await keys.refresh():
                raise KeysUnknown(issuer) from await _ask_why(client, issuer)
            found |= {kid: key.as_pem(private=False) for kid, key in keys.known.items()}
    return found


async def _ask_why(client: httpx.AsyncClient, issuer: str) -> Exception | None:
    """Return how a call to the issuer fails; None where it answers."""
    try:
        await client.get(issuer)
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        return fault
    return None
