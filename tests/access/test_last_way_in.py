"""Without administrators whose rights come from tokens, one stored administrator must remain (rules: access 4.4)."""

import httpx
import pytest

from balcao.settings import Settings
from tests.access.callers import BASE
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.refusals import refusal

LAST, OTHER = "90000001309", "90000040479"
GROUP = f"{BASE}/groups/superadministradores"


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(auth_issuer=issuer.address, data_dir=tmp_path_factory.mktemp("data"), access_admin_from_token=False)


def enter(sql: Sql, cpf: str) -> None:
    sql(
        """
        WITH person AS (
            INSERT INTO access.person (cpf) VALUES ($1) ON CONFLICT (cpf) DO UPDATE SET cpf = $1 RETURNING id),
        joined AS (
            INSERT INTO access.membership (group_id, person_id)
            SELECT grp.id, person.id FROM access.grp, person WHERE grp.name = 'superadministradores'
            ON CONFLICT DO NOTHING RETURNING true)
        SELECT access.raise_version() FROM joined""",
        cpf,
    )


@pytest.mark.cases("access", "37")
def test_a_token_brings_no_administration_and_the_last_superadmin_cannot_leave(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    claimed = issuer.person(OTHER, realm_access={"roles": ["admin", "superadmin"]})
    assert http.get(f"{BASE}/roles", headers=bearer(claimed)).status_code == 403
    last = bearer(issuer.person(LAST))
    enter(sql, LAST)
    until_now(lambda: http.get(f"{BASE}/roles", headers=last).status_code == 200)
    role = f"{BASE}/roles/groups/superadministradores/roles/superadmin"
    for path in (f"{GROUP}/members/{LAST}", GROUP, role):
        assert refusal(http.delete(path, headers=last)) == (409, "last-way-in")
    assert http.post(f"{GROUP}/members", headers=last, json={"subject": OTHER}).status_code == 200
    assert http.delete(f"{GROUP}/members/{LAST}", headers=last).status_code == 204
    assert http.get(f"{BASE}/roles", headers=last).status_code == 403


def test_a_direct_role_is_a_way_in_too_and_the_last_one_stays(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    other = bearer(issuer.person(OTHER))
    enter(sql, OTHER)
    until_now(lambda: http.get(f"{BASE}/roles", headers=other).status_code == 200)
    roles = f"{BASE}/users/{OTHER}/roles"
    assert http.post(roles, headers=other, json={"role_name": "superadmin"}).status_code == 200
    sql("DELETE FROM access.membership")
    assert refusal(http.delete(f"{roles}/superadmin", headers=other)) == (409, "last-way-in")
    enter(sql, LAST)
    assert http.delete(f"{roles}/superadmin", headers=other).status_code == 204
