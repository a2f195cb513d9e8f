"""Every operation for every kind of caller, as the rules have it (rules: employability 2, 4.1, 4.6, case 66)."""

from collections.abc import Mapping
from typing import Any

import httpx

from balcao.core.http.operations import Operation
from balcao.employability import SERVICE
from balcao.employability.hiring.paths import sandbox_job_id
from tests.employability.hiring.callers import (
    ADMIN,
    CITIZEN,
    CURATED,
    EDITOR,
    FOREIGN,
    HELIO,
    IRENE,
    MACHINE,
    OTHER_EDITOR,
    VISITOR,
    Callers,
)
from tests.employability.hiring.conftest import callers, registry, server
from tests.employability.hiring.making import OTHER
from tests.employability.people import citizen
from tests.employability.rules_table import Who, read_rules, shape
from tests.support.fixtures import Sql
from tests.support.issuer import Issuer

__all__ = ["callers", "registry", "server"]

OWNER = "owner"
ELSEWHERE = "2100"
RULES = read_rules()
OPERATIONS = {
    (operation.method, shape(operation.path)): operation for feature in SERVICE.features for operation in feature.routes
}
# What the seeded roles hold, as rules: employability 4.6 and access 3.3 say.
_CURATED = frozenset(
    "employer:create employer:update employer:lookup job_listing:read job_listing:create job_listing:update "
    "job_listing:submit job_listing:delete job_application:read job_application:decide "
    "job_application:create_any".split()
)
_UNCURATED = _CURATED | frozenset(
    "job_listing:update_published job_listing:publish job_listing:pause job_listing:close "
    "job_listing:delete_published".split()
)
_KEPT_FROM_ADMIN = frozenset({"resume:read_any", "resume:write_any", "resume_bank:read"})
_HELD = {CURATED: _CURATED, EDITOR: _UNCURATED, FOREIGN: _UNCURATED}
# Those who may do the least come first: what a call changes is not missed by those who were to be refused.
CALLERS = (VISITOR, MACHINE, CITIZEN, FOREIGN, OWNER, CURATED, EDITOR, ADMIN)
# The people of the sandbox whose records the examples name.
OWNERS = ("90000000175", "90000000507")


def test_the_rules_have_a_row_for_every_operation_and_no_other() -> None:
    assert RULES.keys() - OPERATIONS.keys() == set()
    assert OPERATIONS.keys() - RULES.keys() == set()


def holds(caller: str, actions: frozenset[str]) -> bool:
    """Return whether the caller holds one of the actions."""
    held = actions - _KEPT_FROM_ADMIN if caller == ADMIN else _HELD.get(caller, frozenset())
    return bool(actions & held)


def expect(who: Who, caller: str, operation: Operation) -> str:
    """Return `in`, or the status with which the caller is refused."""
    has_id = "{" in operation.path
    if who.kind == "public":
        return "in"
    if caller == VISITOR:
        return "401"
    if who.kind == "authenticated" or (who.kind == "own" and caller != MACHINE):
        return "in"
    if who.kind == "own":
        return "401"
    if caller == OWNER and who.kind in {"owner", "self"}:
        return "in"
    actions = who.actions
    if "job_listing:update" in actions and DRAFT not in str(operation.signature.path["id"].example):
        actions = frozenset({"job_listing:update_published"})
    if holds(caller, actions):
        return "404" if who.scoped and caller == FOREIGN and has_id and who.kind != "self" else "in"
    return "404" if who.kind == "owner" else "403"


DRAFT = str(sandbox_job_id("V6"))
# What an example names that only some may name, and what a foreign department is refused by.
BODIES = {"employability.submit_application": {"id_vaga": str(sandbox_job_id("V2"))}}
OUT_OF_REACH = frozenset({"department-foreign", "job-unknown"})


def order(item: tuple[tuple[str, str], Operation]) -> tuple[int, int, str]:
    """Read first and delete last, a part before the whole; a section of a resume is replaced after its rows went."""
    (method, path), _ = item
    place = {"GET": 0, "POST": 1, "PUT": 2, "DELETE": 3}[method]
    if method == "PUT" and "/curriculo" in path and not path.endswith("{}"):
        place = 4
    return place, -path.count("/"), path


def test_every_operation_lets_in_whom_the_rules_let_in(
    http: httpx.Client, issuer: Issuer, callers: Callers, examples: Mapping[str, Any], sql: Sql
) -> None:
    for cpf in (HELIO, IRENE):  # reach the jobs of both departments of the sandbox
        sql("INSERT INTO registry.staff_department (id, cpf, cd_ua) VALUES (gen_random_uuid(), $1, $2)", cpf, OTHER)
    sql("UPDATE registry.staff_department SET cd_ua = $2 WHERE cpf = $1", OTHER_EDITOR, ELSEWHERE)
    sql("UPDATE employability.job SET id_orgao_parceiro = '1100' WHERE id = $1", sandbox_job_id("V6"))
    stranger = citizen(issuer, "90000001147")
    skill = http.post(
        "/jobs/api/v1/empregabilidade/curriculo/habilidades",
        json=OPERATIONS["POST", "/api/v1/empregabilidade/curriculo/habilidades"].example,
        headers=citizen(issuer, OWNERS[0]),
    )
    # The ids that no file fixes.
    made = {
        "employability.replace_availability": examples["availability_id"],
        "employability.remove_behaviour_link": str(examples["behaviour_link_id"]),
        "employability.remove_skill_link": str(skill.json()["id"]),
    }
    faults = []
    for (method, path), operation in sorted(OPERATIONS.items(), key=order):
        values = {name: str(marker.example) for name, marker in operation.signature.path.items()}
        values |= {"id": made[operation.key]} if operation.key in made else {}
        url = "/jobs" + operation.path.format(**values)
        body = BODIES.get(operation.key, operation.example)
        for caller in CALLERS:
            headers = stranger if caller == CITIZEN else {} if caller == OWNER else callers[caller]
            wanted = expect(RULES[method, path], caller, operation)
            tried = [citizen(issuer, cpf) for cpf in OWNERS] if caller == OWNER else [headers]
            answers = [http.request(method, url, json=body, headers=each) for each in tried]
            faults += judge(operation, caller, wanted, RULES[method, path], answers)
    assert faults == []


def judge(operation: Operation, caller: str, wanted: str, who: Who, answers: list[httpx.Response]) -> list[str]:
    """Return what is wrong. Who is let in may meet a 404 only where nothing hides behind one."""
    statuses = [answer.status_code for answer in answers]
    line = f"{operation.method} {operation.path} by {caller}: {statuses} instead of {wanted}: {answers[0].text[:120]}"
    if wanted != "in":
        return [] if all(str(status) == wanted for status in statuses) or caller == OWNER else [line]
    if any(status >= 500 for status in statuses):
        return [line]
    is_foreign = caller == FOREIGN and answers[0].headers.get("Error-Code") in OUT_OF_REACH
    let_in = is_foreign or any(status not in {401, 403} for status in statuses)
    is_there = caller != OWNER or who.kind == "self" or any(status not in {401, 403, 404} for status in statuses)
    return [] if let_in and is_there else [line]
