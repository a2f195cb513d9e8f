"""Who is calling: the claims of a verified token.

A token with a valid CPF is a person, any other a machine (a client-credentials token).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from balcao.core.values.cpf import Cpf

_CPF_CLAIMS = ("cpf", "CPF", "preferred_username")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a verified token names; immutable and shared by every request that carries the same token."""

    subject: str
    client: str
    cpf: Cpf | None
    name: str | None = field(repr=False)
    email: str | None = field(repr=False)
    scopes: frozenset[str]
    roles: frozenset[str]
    expires_at: float
    issuer: str = ""
    # The caller's name in every counter. A subject is unique only with its issuer, and a person has one limit for each
    # client, so that one misbehaving portal does not use up what the others may.
    key: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.issuer}\0{self.client}\0{self.subject}")

    @property
    def is_person(self) -> bool:
        return self.cpf is not None

    @property
    def display_name(self) -> str:
        """Return what staff see as the author: the name claim, else the client; never a CPF."""
        return self.name or self.client


def from_claims(claims: Mapping[str, Any], role_clients: frozenset[str] = frozenset()) -> Caller:
    """Return the caller that verified claims describe.

    `role_clients` narrows which `resource_access` entries bring roles; empty means all.
    """
    return Caller(
        subject=_text(claims.get("sub")) or "",
        client=(_text(claims.get("azp")) or "").strip(),
        cpf=next(filter(None, (Cpf.parse_claim(claims.get(name)) for name in _CPF_CLAIMS)), None),
        name=_text(claims.get("name")) or _full_name(claims),
        email=_text(claims.get("email")),
        scopes=frozenset((_text(claims.get("scope")) or "").split()),
        roles=frozenset(_roles(claims, role_clients)),
        expires_at=float(claims["exp"]),
        issuer=(_text(claims.get("iss")) or "").rstrip("/"),
    )


def _text(value: object) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None


def _full_name(claims: Mapping[str, Any]) -> str | None:
    parts = [_text(claims.get("given_name")), _text(claims.get("family_name"))]
    return " ".join(part for part in parts if part) or None


def _roles(claims: Mapping[str, Any], role_clients: frozenset[str]) -> list[str]:
    sources = [claims.get("realm_access")]
    resources = claims.get("resource_access")
    if isinstance(resources, dict):
        sources += [access for client, access in resources.items() if not role_clients or client in role_clients]
    found = [source.get("roles") for source in sources if isinstance(source, dict)]
    return [role for roles in found if isinstance(roles, list) for role in roles if isinstance(role, str)]
