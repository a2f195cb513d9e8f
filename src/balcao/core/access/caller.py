"""The caller of a request: the claims of a verified token.

There are three kinds of callers:

- A *person* has a CPF.
- A *machine* uses one of the configured clients that may call without a person, and its token has none of the claims of
  a login.
- Every other caller is a *login without CPF*. It owns nothing, no scope or client list applies to it, and it is
  recorded as a person, by its subject.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from balcao.core.errors import Unauthenticated
from balcao.core.values.cpf import Cpf
from balcao.core.values.personal_data import clean_name

# Claims that identity providers put only into the token of a login, never into a client credentials token. `acr` is not
# listed, because Keycloak writes it into both kinds of tokens.
LOGIN_CLAIMS = frozenset(
    "cpf sid session_state auth_time amr nonce name given_name middle_name family_name nickname email".split()
)
# The claims with the user's name at the provider. A client's service account also has such a name.
USER_NAMES = ("preferred_username", "username", "upn")
# The roles that grant everything.
ADMINISTRATIVE = frozenset({"admin", "superadmin"})
_SERVICE_ACCOUNT = "service-account-"
# The database cannot store NUL, and a lone surrogate cannot be encoded. A claim that contains either is treated as
# absent.
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
# The types of an issuer's tokens that are meant for the client or the provider, not for us.
_NO_ACCESS_TOKENS = frozenset({"id", "refresh", "logout", "offline"})


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller whom a token identifies. All requests with the same token share this immutable object."""

    subject: str
    client: str
    cpf: Cpf | None
    name: str | None = field(repr=False)
    email: str | None = field(repr=False)
    scopes: frozenset[str]
    roles: frozenset[str]
    expires_at: float
    issuer: str = ""
    is_machine: bool = False
    issued_at: float = 0.0  # in Unix seconds
    session: str = field(default="", repr=False)
    # The key under which the caller's calls are counted. A subject is unique only within its issuer. A person has a
    # separate limit for each client, so that a misbehaving portal does not use up the limits of the others.
    key: str = field(init=False, repr=False)
    # The client to which recorded calls are attributed. A client's name is unique only within its issuer.
    client_key: tuple[str, str] | None = field(init=False, repr=False)
    # The keys under which the end of the caller's session, or of all the subject's sessions, is stored.
    session_key: bytes = field(init=False, repr=False)
    subject_key: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.issuer}\0{self.client}\0{self.subject}")
        object.__setattr__(self, "client_key", make_client_key(self.issuer, self.client))
        object.__setattr__(self, "session_key", session_key(self.issuer, self.session) if self.session else b"")
        object.__setattr__(self, "subject_key", subject_key(self.issuer, self.subject))

    @property
    def is_person(self) -> bool:
        """Whether the caller's CPF is known. A caller without a CPF is not necessarily a machine."""
        return self.cpf is not None

    @property
    def display_name(self) -> str:
        """The name that staff see as the author: the name claim or else the client, never a CPF."""
        return self.name or self.client


def make_client_key(issuer: str, client: str) -> tuple[str, str] | None:
    """Return the key of an issuer's client, or None if the token names no client."""
    return (issuer, client) if client else None


def find_client(claims: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the client's key from verified claims, even if other claims are invalid."""
    return make_client_key((_text(claims.get("iss")) or "").rstrip("/"), _text(claims.get("azp")) or "")


def session_key(issuer: str, session: str) -> bytes:
    """Return the key under which an ended session (`sid`) of an issuer is stored."""
    return hashlib.sha256(f"sid\0{issuer}\0{session}".encode()).digest()


def subject_key(issuer: str, subject: str) -> bytes:
    """Return the key under which the ended sessions of an issuer's subject are stored."""
    return hashlib.sha256(f"sub\0{issuer}\0{subject}".encode()).digest()


class TokenRefused(Unauthenticated):
    """A token that is not accepted. `reason` is logged and never sent to the caller.

    `is_genuine`: a trusted issuer signed the token, but for another audience, purpose or time.
    """

    default_code = "token-invalid"

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason
        self.is_genuine = False
        # The issuer and client of a genuine token. None if the token names no client.
        self.client_key: tuple[str, str] | None = None


class TokenMissing(TokenRefused):
    """The request has no `Authorization` header, or the header contains no bearer token of an acceptable length."""

    default_code = Unauthenticated.default_code


@dataclass(frozen=True)
class ClaimPolicy:
    """How this installation reads claims (`BALCAO_CPF_CLAIM` and related settings).

    - `machine_clients`: the clients that may be machines. In the sandbox, clients whose id starts with `test_clients`
      may be machines too.
    - `role_clients`: the clients whose `resource_access` roles count. None means every client.
    - `admin_from_token`: if false, administrative roles are granted only by the catalogue, never by a claim
      (rules: access 4.4).
    """

    cpf_claim: str = "cpf"
    cpf_from_username: bool = False
    machine_clients: frozenset[str] = frozenset()
    test_clients: str = ""
    role_clients: frozenset[str] | None = None
    admin_from_token: bool = True


NO_MACHINES = ClaimPolicy()


def from_claims(claims: Mapping[str, Any], policy: ClaimPolicy = NO_MACHINES) -> Caller:
    """Return the caller whom these verified claims describe.

    Raises TokenRefused if the token is not an access token, has no subject or contains a malformed CPF.
    """
    if (_text(claims.get("typ")) or "").lower() in _NO_ACCESS_TOKENS:
        raise TokenRefused("token-type")
    subject = _text(claims.get("sub"))
    if subject is None:
        raise TokenRefused("token-subject")
    client = _text(claims.get("azp")) or ""
    cpf = _cpf(claims, policy)
    return Caller(
        subject=subject,
        client=client,
        cpf=cpf,
        name=_name(claims),
        email=_text(claims.get("email")),
        scopes=frozenset((_text(claims.get("scope")) or "").split()),
        roles=_roles(claims, policy),
        expires_at=float(claims["exp"]),
        issuer=(_text(claims.get("iss")) or "").rstrip("/"),
        is_machine=cpf is None and _is_machine(claims, client, policy),
        issued_at=float(claims.get("iat", 0)),
        session=_text(claims.get("sid")) or _text(claims.get("session_state")) or "",
    )


def _cpf(claims: Mapping[str, Any], policy: ClaimPolicy) -> Cpf | None:
    """Return the CPF, or None. Raises TokenRefused for an invalid claim, because that is a fault of the provider."""
    if policy.cpf_claim in claims:
        cpf = Cpf.parse_claim(claims[policy.cpf_claim])
        if cpf is None:
            raise TokenRefused("token-cpf")
        return cpf
    # Users may choose any user name when they register, so a user name is not read as a CPF by default.
    return Cpf.parse_claim(claims.get("preferred_username")) if policy.cpf_from_username else None


def _is_machine(claims: Mapping[str, Any], client: str, policy: ClaimPolicy) -> bool:
    is_test_client = bool(policy.test_clients) and client.startswith(policy.test_clients)
    if not (client in policy.machine_clients or is_test_client) or not LOGIN_CLAIMS.isdisjoint(claims):
        return False
    # Keycloak writes user names in lower case, including those that it derives from a client's id.
    own = f"{_SERVICE_ACCOUNT}{client}".lower()
    return all(str(claims[name]).lower() == own for name in USER_NAMES if claims.get(name) is not None)


def _text(value: object) -> str | None:
    return (value.strip() or None) if _is_readable(value) else None


def _is_readable(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _UNREADABLE.search(value) is None


def _name(claims: Mapping[str, Any]) -> str | None:
    """Return the name for audit trails. The name is untrusted input, so it is truncated and cleaned."""
    parts = [_text(claims.get("given_name")), _text(claims.get("family_name"))]
    return clean_name(_text(claims.get("name")) or " ".join(part for part in parts if part))


def _roles(claims: Mapping[str, Any], policy: ClaimPolicy) -> frozenset[str]:
    role_clients = policy.role_clients
    sources = [claims.get("realm_access")]
    resources = claims.get("resource_access")
    if isinstance(resources, dict):
        sources += [access for client, access in resources.items() if role_clients is None or client in role_clients]
    found = [source.get("roles") for source in sources if isinstance(source, dict)]
    names = frozenset(role for roles in found if isinstance(roles, list) for role in roles if _is_readable(role))
    return names if policy.admin_from_token else names - ADMINISTRATIVE
