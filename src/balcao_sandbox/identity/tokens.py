"""The tokens that the provider signs, with their claims (spec: authentication 2-5)."""

import base64
import hashlib
import time
import uuid
from collections.abc import Mapping
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError

from balcao.core.access.logout_tokens import EVENT as LOGOUT_EVENT
from balcao.core.values.ids import new_id
from balcao_sandbox.identity.demo import Client, Person, people_by_login
from balcao_sandbox.identity.realm import Realm
from balcao_sandbox.identity.store import Grant

ALGORITHM = "RS256"
LOGOUT_SECONDS = 120
_SUBJECTS = uuid.uuid5(uuid.NAMESPACE_DNS, "identity.balcao.example")


def compute_subject(person: Person) -> str:
    """Derive a person's `sub` claim, which is the same on every machine."""
    return str(uuid.uuid5(_SUBJECTS, f"person:{person.cpf}"))


def issue_for_client(realm: Realm, client: Client, scope: str) -> dict[str, Any]:
    """Return the token response for client credentials. It has exactly four members."""
    claims = {"sub": str(uuid.uuid5(_SUBJECTS, f"client:{client.client_id}")), "aud": realm.audience}
    granted = {"typ": "Bearer", "azp": client.client_id, "scope": scope, "jti": new_id()} | _list_roles([])
    granted |= {"client_id": client.client_id, "preferred_username": f"service-account-{client.client_id}"}
    return {
        "access_token": _sign(realm, claims | granted, client.machine_seconds),
        "expires_in": client.machine_seconds,
        "token_type": "Bearer",
        "scope": scope,
    }


def issue_for_person(realm: Realm, client: Client, grant: Grant, refresh_token: str) -> dict[str, Any]:
    """Return the token response for a code or a refresh token. It contains an ID token if `openid` was granted."""
    access_token = _sign(realm, _list_access_claims(realm, grant), client.access_seconds)
    response = {
        "access_token": access_token,
        "expires_in": client.access_seconds,
        "refresh_token": refresh_token,
        "refresh_expires_in": client.refresh_seconds,
        "token_type": "Bearer",
        "scope": grant.scope,
    }
    if "openid" in grant.scope.split():
        response["id_token"] = _sign(realm, _list_id_claims(grant, access_token), client.access_seconds)
    return response


def issue_logout_token(realm: Realm, session: str) -> str:
    """Issue a logout token for a session (OpenID Connect Back-Channel Logout 1.0, 2.4)."""
    claims = {"typ": "Logout", "aud": realm.audience, "jti": new_id(), "sid": session, "events": {LOGOUT_EVENT: {}}}
    return _sign(realm, claims, LOGOUT_SECONDS)


def read_claims(realm: Realm, token: str) -> Mapping[str, Any] | None:
    """Return the claims of a token that this provider signed, even if it has expired.

    Return None for any other token.
    """
    try:
        claims = jwt.decode(token, realm.keys.all, algorithms=[ALGORITHM]).claims
    except (JoseError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return claims if claims.get("iss") == realm.issuer else None


async def find_grant(realm: Realm, token: str) -> Grant | None:
    """Return the grant to which a person's access token belongs.

    Return None if the token has expired or was revoked.
    """
    claims = read_claims(realm, token)
    if claims is None or claims.get("aud") != realm.audience or claims["exp"] <= time.time():
        return None
    return await realm.records.read_grant(str(claims["jti"]).partition(":")[0])


def list_profile_claims(person: Person) -> dict[str, Any]:
    """Return the claims for the scope `profile`."""
    return {
        "cpf": person.cpf,
        "preferred_username": person.cpf,
        "name": person.name,
        "given_name": person.given_name,
        "family_name": person.family_name,
    }


def list_email_claims(person: Person) -> dict[str, Any]:
    """Return the claims for the scope `email`."""
    return {"email": person.email, "email_verified": True}


def list_user_info(grant: Grant) -> dict[str, Any]:
    """Return the claims that the granted scopes allow."""
    person, scopes = people_by_login()[grant.session.username], grant.scope.split()
    claims = {"sub": compute_subject(person)}
    claims |= list_profile_claims(person) if "profile" in scopes else {}
    return claims | (list_email_claims(person) if "email" in scopes else {})


def _list_access_claims(realm: Realm, grant: Grant) -> dict[str, Any]:
    """Return the claims for an access token.

    They include name and e-mail address regardless of the scopes, because the synchronisation at login reads them from
    this token (spec: GET /auth/validate).
    """
    person = people_by_login()[grant.session.username]
    claims = {"sub": compute_subject(person), "aud": realm.audience, "azp": grant.client, "scope": grant.scope}
    claims["typ"] = "Bearer"
    session = {"jti": f"{grant.id}:{new_id()}", "sid": grant.session.id}
    return claims | session | _list_roles(person.token_roles) | list_profile_claims(person) | list_email_claims(person)


def _list_id_claims(grant: Grant, access_token: str) -> dict[str, Any]:
    claims: dict[str, Any] = {"typ": "ID", "aud": grant.client, "azp": grant.client, "sid": grant.session.id}
    claims["jti"] = new_id()
    claims |= {"auth_time": int(grant.session.started_at), "at_hash": _compute_half_hash(access_token)}
    return claims | list_user_info(grant) | ({"nonce": grant.nonce} if grant.nonce is not None else {})


def _list_roles(names: list[str]) -> dict[str, Any]:
    return {"realm_access": {"roles": list(names)}, "resource_access": {}}


def _compute_half_hash(token: str) -> str:
    """Compute the `at_hash` claim (OpenID Connect Core 3.1.3.6)."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()[:16]).rstrip(b"=").decode()


def _sign(realm: Realm, claims: Mapping[str, Any], lasting: int) -> str:
    now = int(time.time())
    key = realm.keys.signing
    times = {"iss": realm.issuer, "iat": now, "exp": now + lasting}
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid}, times | dict(claims), key)
