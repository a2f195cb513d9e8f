"""The tokens that the provider signs, and what they say (spec: authentication 2-5)."""

import base64
import hashlib
import time
import uuid
from collections.abc import Mapping
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError

from balcao.core.values.ids import new_id
from balcao.identity.demo import Client, Person, people_by_login
from balcao.identity.realm import Realm
from balcao.identity.records import REFRESH_SECONDS
from balcao.identity.store import Grant

ALGORITHM = "RS256"
ACCESS_SECONDS = 300
_SUBJECTS = uuid.uuid5(uuid.NAMESPACE_DNS, "identity.balcao.example")


def subject_of(person: Person) -> str:
    """The same on every machine."""
    return str(uuid.uuid5(_SUBJECTS, f"person:{person.cpf}"))


def for_client(realm: Realm, client: Client, scope: str) -> dict[str, Any]:
    """The answer to client credentials: exactly these four members."""
    claims = {"sub": str(uuid.uuid5(_SUBJECTS, f"client:{client.client_id}")), "aud": realm.audience}
    granted = {"typ": "Bearer", "azp": client.client_id, "scope": scope, "jti": new_id()} | _roles([])
    granted |= {"client_id": client.client_id, "preferred_username": f"service-account-{client.client_id}"}
    return {
        "access_token": _signed(realm, claims | granted),
        "expires_in": ACCESS_SECONDS,
        "token_type": "Bearer",
        "scope": scope,
    }


def for_person(realm: Realm, grant: Grant, refresh_token: str) -> dict[str, Any]:
    """The answer to a code or a refresh token; an ID token where `openid` was asked for."""
    access_token = _signed(realm, _access_claims(realm, grant))
    answer = {
        "access_token": access_token,
        "expires_in": ACCESS_SECONDS,
        "refresh_token": refresh_token,
        "refresh_expires_in": REFRESH_SECONDS,
        "token_type": "Bearer",
        "scope": grant.scope,
    }
    if "openid" in grant.scope.split():
        answer["id_token"] = _signed(realm, _id_claims(grant, access_token))
    return answer


def read(realm: Realm, token: str) -> Mapping[str, Any] | None:
    """The claims of a token of ours, expired or not; None for any other."""
    try:
        claims = jwt.decode(token, realm.keys.all, algorithms=[ALGORITHM]).claims
    except (JoseError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return claims if claims.get("iss") == realm.issuer else None


async def grant_of(realm: Realm, token: str) -> Grant | None:
    """What a living access token of a person goes back to; None when it expired or was revoked."""
    claims = read(realm, token)
    if claims is None or claims.get("aud") != realm.audience or claims["exp"] <= time.time():
        return None
    return await realm.records.read_grant(str(claims["jti"]).partition(":")[0])


def profile(person: Person) -> dict[str, Any]:
    return {
        "cpf": person.cpf,
        "preferred_username": person.cpf,
        "name": person.name,
        "given_name": person.given_name,
        "family_name": person.family_name,
    }


def email(person: Person) -> dict[str, Any]:
    return {"email": person.email, "email_verified": True}


def user_info(grant: Grant) -> dict[str, Any]:
    """What the granted scopes show of the person."""
    person, scopes = people_by_login()[grant.session.username], grant.scope.split()
    shown = {"sub": subject_of(person)}
    shown |= profile(person) if "profile" in scopes else {}
    return shown | (email(person) if "email" in scopes else {})


def _access_claims(realm: Realm, grant: Grant) -> dict[str, Any]:
    """Name and e-mail whatever the scopes: login sync takes them from here (spec: GET /auth/validate)."""
    person = people_by_login()[grant.session.username]
    claims = {"sub": subject_of(person), "aud": realm.audience, "azp": grant.client, "scope": grant.scope}
    claims["typ"] = "Bearer"
    session = {"jti": f"{grant.id}:{new_id()}", "sid": grant.session.id}
    return claims | session | _roles(person.token_roles) | profile(person) | email(person)


def _id_claims(grant: Grant, access_token: str) -> dict[str, Any]:
    claims: dict[str, Any] = {"typ": "ID", "aud": grant.client, "azp": grant.client, "sid": grant.session.id}
    claims["jti"] = new_id()
    claims |= {"auth_time": int(grant.session.started_at), "at_hash": _half_hash(access_token)}
    return claims | user_info(grant) | ({"nonce": grant.nonce} if grant.nonce is not None else {})


def _roles(names: list[str]) -> dict[str, Any]:
    return {"realm_access": {"roles": list(names)}, "resource_access": {}}


def _half_hash(token: str) -> str:
    """OpenID Connect Core 3.1.3.6."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()[:16]).rstrip(b"=").decode()


def _signed(realm: Realm, claims: Mapping[str, Any]) -> str:
    now = int(time.time())
    key = realm.keys.signing
    times = {"iss": realm.issuer, "iat": now, "exp": now + ACCESS_SECONDS}
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid}, times | dict(claims), key)
