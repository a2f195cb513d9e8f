"""Fetch the identity provider's public keys for a gateway that verifies tokens itself."""

from collections.abc import Sequence

import httpx

from balcao.core.access.keys import IssuerKeys

PATIENCE = 60.0  # seconds; the operator waits and can interrupt the command


class KeysUnknown(Exception):
    """No keys could be read from an issuer. If a call to it failed, the exception of the call is the cause."""

    def __init__(self, issuer: str) -> None:
        super().__init__(issuer)
        self.issuer = issuer


async def fetch_signing_keys(issuers: Sequence[str]) -> dict[str, bytes]:
    """Return the signing keys that the issuers publish now, as PEM by `kid`.

    Raises KeysUnknown if an issuer publishes no readable keys.
    """
    found: dict[str, bytes] = {}
    async with httpx.AsyncClient() as client:
        for issuer in issuers:
            keys = IssuerKeys(issuer, client, lambda: None, PATIENCE)
            if not await keys.refresh():
                raise KeysUnknown(issuer) from await _find_call_failure(client, issuer)
            found |= {kid: key.as_pem(private=False) for kid, key in keys.known.items()}
    return found


async def _find_call_failure(client: httpx.AsyncClient, issuer: str) -> Exception | None:
    """Call the issuer again. Return the exception of the call, or None if there is none."""
    try:
        await client.get(issuer)
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        return fault
    return None
