"""HTTP calls to other services, made as the platform's own client."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from balcao.core.client_credentials import ClientCredentials, Token
from balcao.core.errors import Unavailable
from balcao.settings import Settings

_DISCOVERY = "/.well-known/openid-configuration"
RETRY_AFTER_SECONDS = 5


class ServiceClient:
    """A client for another service at its base address. The process has one instance, and so one token.

    It requests the token at the endpoint that OIDC discovery names, and replaces it before it expires.
    """

    def __init__(self, http: httpx.AsyncClient, base_url: str, settings: Settings) -> None:
        self._http = http
        self._base_url = base_url
        self._issuer = settings.issuers[0]
        self._credentials = ClientCredentials(
            self._request_token, settings.client_id, settings.client_secret.get_secret_value()
        )

    async def get(self, path: str, *, seconds: float, request_id: str) -> Mapping[str, Any] | None:
        """Send a GET request to a path under the base address. Return the JSON object, or None for a 404.

        Raises Unavailable if no other response arrives within `seconds`, or if no address is configured.
        """
        return await self._call("GET", path, None, httpx.codes.NOT_FOUND, seconds, request_id)

    async def post(self, path: str, body: Any, *, seconds: float, request_id: str) -> Mapping[str, Any] | None:
        """POST the body.

        Return the JSON object in the response, or None for a 422. Raises Unavailable as `get` does.
        """
        return await self._call("POST", path, body, httpx.codes.UNPROCESSABLE_ENTITY, seconds, request_id)

    async def _call(
        self, method: str, path: str, body: Any, empty: int, seconds: float, request_id: str
    ) -> Mapping[str, Any] | None:
        """Return the JSON object of a response, or None for the status `empty`."""
        try:
            async with asyncio.timeout(seconds):
                response = await self._send_with_token(method, path, body, request_id)
                return None if response.status_code == empty else _to_object(response.raise_for_status())
        except (TimeoutError, httpx.HTTPError, ValueError):
            raise _unavailable() from None

    async def _send_with_token(self, method: str, path: str, body: Any, request_id: str) -> httpx.Response:
        if not self._base_url:
            raise _unavailable()
        token = await self._credentials.get()
        response = await self._send(method, path, body, token, request_id)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            # The issuer's keys were replaced, or the token was revoked. Retry once with a new token.
            self._credentials.discard(token)
            response = await self._send(method, path, body, await self._credentials.get(), request_id)
        return response

    async def _send(self, method: str, path: str, body: Any, token: Token, request_id: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token.value}", "X-Request-ID": request_id}
        return await self._http.request(method, f"{self._base_url}{path}", json=body, headers=headers)

    async def _request_token(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        discovered = await self._http.get(f"{self._issuer}{_DISCOVERY}")
        endpoint = _to_object(discovered.raise_for_status()).get("token_endpoint")
        response = await self._http.post(str(endpoint), data=form)
        return _to_object(response.raise_for_status())


def _to_object(response: httpx.Response) -> Mapping[str, Any]:
    """Return the body of a response. Raises ValueError if it is not a JSON object."""
    content = response.json()
    if not isinstance(content, dict):
        raise ValueError("no JSON object")
    return content


def _unavailable() -> Unavailable:
    text = "Um serviço de que esta operação precisa não respondeu. Tente de novo em instantes."
    return Unavailable(text, code="service-away", retry_after=RETRY_AFTER_SECONDS)
