"""In operations on people's data, staff give a reason, and no cache stores the response.

An operation is on people's data in one of these cases:

- its path has a CPF
- it is declared with `concerns_people`
- it finds a record by its id, for the person who owns it and for staff (`Rule.testing`)
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from balcao.core.access.rules import AUTHENTICATED, PUBLIC
from balcao.core.http.openapi import find_example
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.refusals import refusal
from tests.support.sandbox import ADMIN, IndependentTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

# Staff operations that neither show nor change a person's data. `CATALOGUES` lists them by action, and `IMPERSONAL` by
# the prefix of their key. Every other staff operation without a CPF in its path is declared with
# `concerns_people=True`.
CATALOGUES = {
    "avatars:write",
    "categories:write",
    "employer:create",
    "employer:delete",
    "employer:lookup",
    "employer:update",
    "job_listing:close",
    "job_listing:create",
    "job_listing:delete",
    "job_listing:pause",
    "job_listing:publish",
    "job_listing:read",
    "job_listing:submit",
    "job_listing:update",
    "job_reference:manage",
    "legacy_job:manage",
    "limits:write",
    "maintenance:write",
    "operation:read",
    "request_types:write",
    "skill:manage",
    "vehicle_catalog:write",
}
IMPERSONAL = (
    "access.",
    "agents.",
    "employability.count_candidates",
    "health_units.",
    "registry.list_campaigns",
    "registry.read_crm_reconciliation",
    "registry.read_crm_status",
    "registry.read_quarantine_stats",
    "registry.read_retention_report",
    "search.",
)
PERSONAL = [
    served
    for served in all_operations()
    if not served.public and ("{cpf}" in served.path or served.operation.concerns_people)
]
OF_STAFF = [
    served
    for served in all_operations()
    if served.operation.rule.action not in {PUBLIC, AUTHENTICATED} and "{cpf}" not in served.path
]
MISSING = (400, "access-reason-missing")


@pytest.fixture(scope="module")
def sandbox(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=free_port(),
        auth_issuer=issuer.address,
        require_access_reason=True,
        refused_rate=UNLIMITED,
    )
    with running(settings, database_url, IndependentTokens(issuer)) as opened:
        yield opened


def send(sandbox: Sandbox, served: Served, cpf: str, **headers: str) -> httpx.Response:
    """Call the operation with its example, as this person."""
    path = served.filled(**{name: str(marker.example) for name, marker in served.operation.signature.path.items()})
    body = find_example(served.operation)
    return sandbox.http.request(served.method, path, json=body, headers=bearer(sandbox.tokens.person(cpf)) | headers)


def test_every_operation_of_staff_is_known_to_concern_people_or_not() -> None:
    unknown = [
        str(served)
        for served in OF_STAFF
        if not served.operation.concerns_people
        and served.operation.rule.action not in CATALOGUES
        and not str(served).startswith(IMPERSONAL)
        and not served.operation.rule.clients
    ]
    assert unknown == []


def test_staff_say_why_wherever_peoples_data_are_shown_or_changed(sandbox: Sandbox) -> None:
    assert len(PERSONAL) > 50
    silent = {str(served): refusal(send(sandbox, served, ADMIN)) for served in PERSONAL}
    # The rule refuses a caller without the required role before that.
    assert {key: found for key, found in silent.items() if found not in {MISSING, (403, "forbidden")}} == {}
    assert sum(found == MISSING for found in silent.values()) > 50


def test_what_is_found_by_an_id_asks_for_it_once_it_is_somebody_elses(sandbox: Sandbox) -> None:
    ana, staff = (bearer(sandbox.tokens.person(cpf)) for cpf in ("90000000175", ADMIN))
    experience = f"/jobs/api/v1/empregabilidade/curriculo/experiencias/{sandbox.examples['experience_id']}"
    for path in (experience, f"/registry/v1/legal-entity/{sandbox.examples['cnpj']}"):
        assert refusal(sandbox.http.get(path, headers=staff)) == MISSING
        assert sandbox.http.get(path, headers=staff | {"X-Access-Reason": "Atendimento 7"}).status_code == 200
    assert sandbox.http.get(experience, headers=ana).status_code == 200


def test_nobody_stores_what_is_personal(sandbox: Sandbox) -> None:
    stored: dict[str, Any] = {}
    seen = set()
    for served in all_operations():
        if served.public or served.endless:
            continue
        for cpf in (ADMIN, "90000000175"):
            answer = send(sandbox, served, cpf, **{"X-Access-Reason": "Atendimento 7"})
            kept = answer.headers.get("Cache-Control")
            if answer.status_code < 400:
                seen.add(str(served))
            if answer.status_code < 400 and (served in PERSONAL or "/auth/" in served.path):
                stored |= {} if kept == "no-store, private" else {str(served): kept}
            elif answer.status_code >= 400 and (kept is None or "no-store" not in kept):
                stored[str(served)] = kept
    assert stored == {}
    assert seen >= {"registry.validate_login", "registry.list_crm_events", "registry.list_dead_letters"}
    assert len(seen) > 40
