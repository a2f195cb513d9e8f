"""The experiences in a resume."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.sections import service
from balcao.employability.resume.sections.records import EXPERIENCES
from balcao.employability.resume.sections.schemas import ExperienceBody
from tests.employability.people import citizen, expired, machine, staff
from tests.support.demo_people import ANA, BRUNO, GILDA
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

PATH = "/jobs/api/v1/empregabilidade/curriculo/experiencias/"
OPERATION = "employability.read_experience"
MASKED = "***.000.001-**"
MEMBERS = {
    "id": str,
    "cpf": str,
    "cargo": str,
    "empresa": str,
    "descricao_atividades": str,
    "eh_trabalho_atual": bool,
    "experiencia_comprovada_ct": bool,
    "tempo_experiencia_meses": int,
    "created_at": str,
    "updated_at": str,
}


@pytest.fixture
def path(examples: Mapping[str, Any]) -> str:
    return f"{PATH}{examples['experience_id']}"


@pytest.mark.cases("employability", "7")
def test_the_owner_reads_exactly_ten_members_of_the_right_types(
    http: httpx.Client, issuer: Issuer, path: str, events: Callable[[str], list[dict[str, Any]]]
) -> None:
    answer = http.get(PATH + path.removeprefix(PATH).upper(), headers=citizen(issuer))
    assert answer.status_code == 200
    assert {name: type(value) for name, value in answer.json().items()} == MEMBERS
    assert PATH + answer.json()["id"] == path
    assert (answer.json()["cpf"], answer.json()["tempo_experiencia_meses"]) == (ANA, 26)
    assert "no-store" in answer.headers["Cache-Control"]
    assert [event for event in events(OPERATION) if event["actor_kind"] == "owner"] == []


@pytest.mark.cases("employability", "8")
def test_who_may_not_see_it_gets_the_very_answer_of_an_unknown_id(
    http: httpx.Client, issuer: Issuer, path: str
) -> None:
    unknown = http.get(PATH + str(uuid4()), headers=citizen(issuer))
    foreign = [citizen(issuer, BRUNO), machine(issuer), staff(issuer, "go:empregabilidade:admin")]
    answers = [http.get(path, headers=caller) for caller in foreign]
    assert list(unknown.json()) == ["error"]
    for answer in (unknown, *answers):
        assert (refusal(answer), answer.content) == ((404, "section-row-unknown"), unknown.content)


@pytest.mark.parametrize("id_", ["x", "1", "zzzzzzzz-0000-0000-0000-000000000000", "0" * 32, "..."])
def test_what_is_no_uuid_is_refused(http: httpx.Client, issuer: Issuer, id_: str) -> None:
    answer = http.get(PATH + id_, headers=citizen(issuer))
    assert (refusal(answer), list(answer.json())) == ((400, "id-invalid"), ["error"])


def test_without_a_valid_token_nobody_reads(http: httpx.Client, issuer: Issuer, path: str) -> None:
    assert [http.get(path, headers=headers).status_code for headers in ({}, expired(issuer))] == [401, 401]


@pytest.mark.cases("employability", "9")
@pytest.mark.parametrize("role", ["go:admin", "admin", "superadmin"])
def test_a_holder_of_the_action_reads_with_the_cpf_masked_and_leaves_an_event(
    http: httpx.Client, issuer: Issuer, path: str, events: Callable[[str], list[dict[str, Any]]], role: str
) -> None:
    before = len(events(OPERATION))
    answer = http.get(path, headers=staff(issuer, role) | {"X-Access-Reason": "atendimento"})
    assert (answer.status_code, answer.json()["cpf"]) == (200, MASKED)
    [event] = events(OPERATION)[before:]
    assert (event["action"], event["actor_kind"], event["grant"]) == ("read", "staff", "resume:read_any")
    assert (event["subject"], event["fields"], event["reason"]) == (MASKED, ["experiencias"], "atendimento")
    assert not any(value in str(event) for value in (ANA, GILDA, answer.json()["cargo"]))


def test_a_machine_that_holds_the_action_reads_too(
    http: httpx.Client, issuer: Issuer, path: str, events: Callable[[str], list[dict[str, Any]]]
) -> None:
    assert http.get(path, headers=machine(issuer, "go:admin")).json()["cpf"] == MASKED
    assert events(OPERATION)[-1]["actor_kind"] == "client"


def test_a_foreign_read_that_cannot_be_recorded_is_not_answered(
    http: httpx.Client, issuer: Issuer, path: str, unwritable_audit: None
) -> None:
    refused = http.get(path, headers=staff(issuer))
    assert (refused.status_code, list(refused.json())) == (503, ["error"])
    assert http.get(path, headers=citizen(issuer)).status_code == 200


def test_the_claim_cpf_alone_tells_the_owner(http: httpx.Client, issuer: Issuer, path: str) -> None:
    punctuated = bearer(issuer.person("900.000.001-75"))
    other = bearer(issuer.person(BRUNO, preferred_username=ANA))
    assert [http.get(path, headers=caller).status_code for caller in (punctuated, other)] == [200, 404]


async def test_whoever_has_the_machines_shell_reads_as_operator(
    platform: Platform, examples: Mapping[str, Any]
) -> None:
    call = operator_call(platform, "test.read")
    experience = await service.read_row(call, EXPERIENCES, UUID(examples["experience_id"]))
    async with platform.database.connection() as connection:
        actors = await connection.fetch("SELECT actor_kind FROM platform.audit_event WHERE operation = 'test.read'")
    assert ([row["actor_kind"] for row in actors], experience.cpf) == (["operator"], MASKED)


async def test_texts_are_trimmed_and_bounded(platform: Platform) -> None:
    call, owner = operator_call(platform, "test.add"), Cpf(BRUNO)
    body = ExperienceBody(" Pedreiro\t", "  Obras  ", " linha 1\nlinha 2 ")
    added = await service.add_row(call, EXPERIENCES, owner, body)
    assert (added.cargo, added.empresa, added.descricao_atividades) == ("Pedreiro", "Obras", "linha 1\nlinha 2")
    for cargo, empresa, text in (("", "b", ""), ("a", "x" * 121, ""), ("a\x00", "b", ""), ("a", "b", "x" * 2001)):
        with pytest.raises(Invalid):
            await service.add_row(call, EXPERIENCES, owner, ExperienceBody(cargo, empresa, text))


async def test_a_resume_holds_fifty_experiences(platform: Platform) -> None:
    call, owner = operator_call(platform, "test.add"), Cpf("90000000337")
    for _ in range(50):
        await service.add_row(call, EXPERIENCES, owner, ExperienceBody("Cargo", "Empresa"))
    with pytest.raises(Conflict):
        await service.add_row(call, EXPERIENCES, owner, ExperienceBody("Cargo", "Empresa"))
