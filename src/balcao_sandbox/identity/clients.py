"""Authenticates clients, and checks their redirect addresses."""

import base64
import binascii
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote_plus, urlsplit

from balcao.identity.oauth import InvalidRequest, Refused
from balcao_sandbox.identity.demo import Client
from balcao_sandbox.identity.faults import ClientRefused
from balcao_sandbox.identity.own_clients import LOOPBACK
from balcao_sandbox.identity.realm import RealmRequest


class Authenticated(NamedTuple):
    """An authenticated client. `by_secret` is False for a public client that sent only its id."""

    client: Client
    by_secret: bool


async def authenticate(request: RealmRequest, form: Mapping[str, str], flow: str) -> Authenticated:
    """Authenticate a client by the secret in the header or in the form.

    A public client needs only its id, except for client credentials.

    Raises ClientRefused if the client is unknown or its secret is wrong, and TooMany if an address tries too many wrong
    secrets. Raises InvalidRequest if a request uses two authentication methods, and Refused for a flow that the client
    may not use.
    """
    realm = request.realm
    name, secret = _read_credentials(form, request.header("authorization") or None)
    guesser = f"client-secret\0{request.address}\0{name}"
    if secret is not None:
        realm.secret_guard.refuse_shut(guesser)
    client = await realm.find_client(name)
    known = client is not None and secret is not None and client.proves(secret)
    if client is None or not (known or _needs_no_secret(client, secret, flow)):
        if secret is not None:
            await realm.secret_guard.count(guesser)
        raise ClientRefused()
    if flow not in client.flows:
        raise Refused("unauthorized_client", "Este cliente não pode usar este fluxo.")
    return Authenticated(client, known)


def _needs_no_secret(client: Client, secret: str | None, flow: str) -> bool:
    return client.public and secret is None and flow == "authorization_code"


def _read_credentials(form: Mapping[str, str], authorization: str | None) -> tuple[str, str | None]:
    if authorization is None:
        return form.get("client_id", ""), form.get("client_secret")
    name, secret = _decode_basic(authorization)
    if "client_secret" in form or form.get("client_id", name) != name:
        raise InvalidRequest("Identifique o cliente de uma só forma: no cabeçalho ou no formulário.")
    return name, secret


def _decode_basic(authorization: str) -> tuple[str, str]:
    """Decode a Basic authorization header. Both of its parts are form-encoded (RFC 6749, 2.3.1).

    Raises ClientRefused if the header is malformed.
    """
    scheme, _, encoded = authorization.partition(" ")
    try:
        name, colon, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        raise ClientRefused() from None
    if scheme.lower() != "basic" or not colon:
        raise ClientRefused()
    return unquote_plus(name), unquote_plus(secret)


def accepts_redirect(client: Client, address: str) -> bool:
    """Return whether the address is one of the client's redirect addresses.

    Clients with `loopback` may use any port and path on the loopback address (RFC 8252, 7.3).
    """
    return address in client.redirect_uris or (client.loopback and _is_loopback(address))


def _is_loopback(address: str) -> bool:
    """Return whether this is an HTTP address on the person's own machine.

    Addresses that different programs could interpret differently are rejected.
    """
    if not address.isascii() or not address.isprintable() or set(address) & set(" \\@#"):
        return False
    try:
        parts = urlsplit(address)
        return parts.scheme == "http" and parts.hostname in LOOPBACK and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
