"""The tokens of the callers in these tests."""

from tests.support.demo_people import ANA, GILDA
from tests.support.issuer import Issuer, bearer


def citizen(issuer: Issuer, cpf: str = ANA) -> dict[str, str]:
    return bearer(issuer.person(cpf))


def staff(issuer: Issuer, role: str = "go:admin") -> dict[str, str]:
    return bearer(issuer.person(GILDA, realm_access={"roles": [role]}))


def machine(issuer: Issuer, *roles: str) -> dict[str, str]:
    return bearer(issuer.machine("painel-saude", realm_access={"roles": list(roles)}))


def expired(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person(ANA, exp=1_700_000_000))
