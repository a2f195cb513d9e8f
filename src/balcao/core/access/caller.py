"""Who is calling: the claims of a verified token.

Three kinds, never guessed. A *person* has a CPF. A *machine* is proven: its client is one of those that call without a
person, and its token shows no mark of anybody's login. Every other caller is a *login without CPF*: it owns nothing,
no scope and no list of clients speaks for it, and it is recorded as a person, by its subject.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from balcao.core.errors import Unauthenticated
from balcao.core.values.cpf import Cpf
from balcao.core.values.personal_data import clean_name

# What an identity provider puts into a token of somebody who logged in, and never into one of client credentials. Not
# `acr`, which Keycloak writes into those, too.
MARKS_OF_A_LOGIN = frozenset(
    "cpf sid session_state auth_time amr nonce name given_name middle_name family_name nickname email".split()
)
# The user's name at the provider, under which a client's own account is known as well.
USER_NAMES = ("preferred_username", "username", "upn")
# The roles that grant everything.
ADMINISTRATIVE = frozenset({"admin", "superadmin"})
_SERVICE_ACCOUNT = "service-account-"
# No database stores NUL, nothing encodes half of a surrogate pair: a claim with one is read as absent.
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
# Tokens of the same issuer that are for the client or for the provider, not for us.
_NO_ACCESS_TOKENS = frozenset({"id", "refresh", "logout", "offline"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Immutable and shared by every request that carries the same token."""

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
    # The caller's name in every counter. A subject is unique only with its issuer, and a person has one limit for each
    # client, so that one misbehaving portal does not use up what the others may.
    key: str = field(init=False, repr=False)
    # Whose calls its own are counted among, as a name of a client is unique only with its issuer.
    client_key: tuple[str, str] | None = field(init=False, repr=False)
    # Under these it is known that the caller's session has ended.
    session_key: bytes = field(init=False, repr=False)
    subject_key: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.issuer}\0{self.client}\0{self.subject}")
        object.__setattr__(self, "client_key", make_client_key(self.issuer, self.client))
        object.__setattr__(self, "session_key", session_key(self.issuer, self.session) if self.session else b"")
        object.__setattr__(self, "subject_key", subject_key(self.issuer, self.subject))

    @property
    def is_person(self) -> bool:
        """Whether it is somebody whose CPF is known; False does not make it a machine."""
        return self.cpf is not None

    @property
    def display_name(self) -> str:
        """How staff see who did it: the name claim, else the client; never a CPF."""
        return self.name or self.client


def make_client_key(issuer: str, client: str) -> tuple[str, str] | None:
    """Return what stands for a client of an issuer; None for a token that names no client."""
    return (issuer, client) if client else None


def find_client(claims: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what stands for the client of verified claims, whatever else is wrong with them."""
    return make_client_key((_text(claims.get("iss")) or "").rstrip("/"), _text(claims.get("azp")) or "")


def session_key(issuer: str, session: str) -> bytes:
    """Return what stands for a session (`sid`) of an issuer where ended ones are kept."""
    return hashlib.sha256(f"sid\0{issuer}\0{session}".encode()).digest()


def subject_key(issuer: str, subject: str) -> bytes:
    """Return what stands for a subject of an issuer where ended sessions are kept."""
    return hashlib.sha256(f"sub\0{issuer}\0{subject}".encode()).digest()


class TokenRefused(Unauthenticated):
    """A token that opens nothing; `reason` is for the log alone, the caller learns no more than that.

    `is_genuine`: an issuer of ours signed it, for somebody else, some other use or another time.
    """

    default_code = "token-invalid"

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason
        self.is_genuine = False
        # The issuer and the client of a genuine one; none where it names no client.
        self.client_key: tuple[str, str] | None = None


class TokenMissing(TokenRefused):
    """Nothing that could be a token."""

    default_code = Unauthenticated.default_code


@dataclass(frozen=True)
class ClaimPolicy:
    """How this installation reads claims, as `BALCAO_CPF_CLAIM` and the settings beside it say.

    `machine_clients` are the clients that may be machines, and in the sandbox those whose id begins with
    `test_clients`; `role_clients` those whose `resource_access` roles count,
    None is every client. Without `admin_from_token` administration is stored, never claimed (rules: access 4.4).
    """

    cpf_claim: str = "cpf"
    cpf_from_username: bool = False
    machine_clients: frozenset[str] = frozenset()
    test_clients: str = ""
    role_clients: frozenset[str] | None = None
    admin_from_token: bool = True


NO_MACHINES = ClaimPolicy()


def from_claims(claims: Mapping[str, Any], policy: ClaimPolicy = NO_MACHINES) -> Caller:
    """Return the caller that verified claims describe.

    Raises TokenRefused for a token that is no access token, names no subject or carries a malformed CPF.
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
    """Return the CPF; a claim that is there but holds none is a fault of the provider's, never a caller without CPF."""
    if policy.cpf_claim in claims:
        cpf = Cpf.parse_claim(claims[policy.cpf_claim])
        if cpf is None:
            raise TokenRefused("token-cpf")
        return cpf
    # Who registers may choose any user name, so by default none is read as a CPF.
    return Cpf.parse_claim(claims.get("preferred_username")) if policy.cpf_from_username else None


def _is_machine(claims: Mapping[str, Any], client: str, policy: ClaimPolicy) -> bool:
    is_test_client = bool(policy.test_clients) and client.startswith(policy.test_clients)
    if not (client in policy.machine_clients or is_test_client) or not MARKS_OF_A_LOGIN.isdisjoint(claims):
        return False
    # Keycloak writes user names in lower case, also those that it makes of a client's id.
    own = f"{_SERVICE_ACCOUNT}{client}".lower()
    return all(str(claims[name]).lower() == own for name in USER_NAMES if claims.get(name) is not None)


def _text(value: object) -> str | None:
    return (value.strip() or None) if _is_readable(value) else None


def _is_readable(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _UNREADABLE.search(value) is None


def _name(claims: Mapping[str, Any]) -> str | None:
    """Return the name as trails keep it: the maker of the token has chosen it, so it is cut and cleaned."""
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
