"""Applicants' data: copies of registry data, and the data that an erasure retains (rules: employability 3.4, 5.4)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx
import pytest

from balcao import app
from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import assemble
from balcao.core.errors import Unavailable
from balcao.employability import SERVICE
from balcao.employability.selection.people import service
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.settings import Settings
from tests.employability.hiring.callers import EDITOR, Callers
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, person
from tests.employability.selection.conftest import Apply, Publish
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.server import RunningServer

Work = Callable[[Callable[[Call], Awaitable[None]]], None]
RESUME = "/jobs/api/v1/empregabilidade/curriculo"


@pytest.fixture
def work(settings: Settings, database_url: str, registry: RunningServer) -> Work:
    """Return a function that runs a job as the worker does."""

    def run(job: Callable[[Call], Awaitable[None]], url: str | None = None) -> None:
        asking = settings.model_copy(update={"registry_url_override": url or f"{registry.url}/registry/v1"})

        async def once() -> None:
            platform = assemble(asking, database_url)
            async with app.open_services(platform, [SERVICE]):
                await job(worker_call(platform, "test"))

        asyncio.run(once())

    return run


def copies(sql: Sql, *people: str) -> list[str | None]:
    """Return the name in each person's copy of the registry data, or None if the person has no copy."""
    rows = sql("SELECT cpf, record ->> 'nome' AS nome FROM employability.candidate WHERE cpf = ANY ($1)", list(people))
    found = {row["cpf"]: row["nome"] for row in rows}
    return [found.get(cpf) for cpf in people]


def test_the_copy_is_made_when_a_person_applies_and_renewed_once_it_is_a_day_old(
    database_url: str, publish: Publish, apply: Apply, work: Work, sql: Sql, http: httpx.Client, issuer: Issuer,
    callers: Callers,
) -> None:  # fmt: skip
    job, closed = publish(), publish()
    one, fresh, old, gone, late = (person(number) for number in range(400, 405))
    load(database_url, IMPORTS[0], *({"cpf": cpf, "nome": "Nome Novo"} for cpf in (one, fresh, old, gone, late)))
    made = {cpf: apply(closed if cpf == late else job, cpf).json()["id"] for cpf in (one, fresh, old, gone, late)}
    http.delete(f"{BASE}/{made[gone]}", headers=citizen(issuer, gone)).raise_for_status()
    http.put(f"{JOBS}/{closed['id']}/discontinue", headers=callers[EDITOR]).raise_for_status()
    for cpf, age in ((fresh, "23 hours"), (old, "25 hours")):
        sql(
            "INSERT INTO employability.candidate (cpf, record, read_at)"
            ' VALUES ($1, \'{"nome": "Nome Velho"}\', now() - $2::text::interval)',
            cpf,
            age,
        )
    work(lambda call: service.refresh_candidate(call, UUID(made[one])))
    work(lambda call: service.refresh_candidate(call, UUID(made[gone])))
    assert copies(sql, one, fresh, old, gone, late) == ["Nome Novo", "Nome Velho", "Nome Velho", None, None]
    work(service.refresh_stale_people)
    assert copies(sql, one, fresh, old, gone, late) == ["Nome Novo", "Nome Velho", "Nome Novo", None, None]


def test_a_copy_waits_for_a_registry_that_is_away(
    publish: Publish, apply: Apply, work: Callable[..., None], sql: Sql
) -> None:
    cpf = person(410)
    id_ = UUID(apply(publish(), cpf).json()["id"])
    with pytest.raises(Unavailable):
        work(lambda call: service.refresh_candidate(call, id_), "http://127.0.0.1:9")
    assert copies(sql, cpf) == [None]


def test_an_erasure_withdraws_what_is_open_and_clears_the_rest(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, work: Work, sql: Sql
) -> None:
    cpf, other = person(420), person(421)
    job, young = publish(), publish(idade_maxima=1)
    headers = citizen(issuer, cpf)
    http.put(f"{RESUME}/{cpf}/experiencias", json={"resumo_profissional": "Texto."}, headers=headers)
    made = [apply(each, cpf).json()["id"] for each in (publish(), job)]
    kept = apply(job, other).json()
    sql("UPDATE employability.application SET status = 'aprovada' WHERE id = $1", made[1])
    work(lambda call: service.refresh_candidate(call, UUID(made[1])))
    assert apply(young, cpf).status_code == 400
    file = http.get(f"{RESUME}/{cpf}/exportacao", headers=headers).json()
    assert {each["status"] for each in file["candidaturas"]} == {"candidatura_enviada", "aprovada"}
    assert file["candidaturas"][0]["curriculo_snapshot"]["resumo_profissional"] == "Texto."
    assert [each["criterios_nao_atendidos"] for each in file["bloqueios"]] == [["idade_maxima"]]
    sql(
        "INSERT INTO employability.application_event (id_candidatura, evento, para, motivo)"
        " SELECT unnest($1::uuid[]), 'approve', 'aprovada', 'Mora perto da loja.'",
        [UUID(id_) for id_ in made],
    )
    for _ in range(2):
        assert http.delete(f"{RESUME}/{cpf}", headers=headers).status_code == 200
    rows: Any = sql(
        "SELECT status, nome, email, respostas, curriculo_snapshot FROM employability.application"
        " JOIN employability.application_content ON id_candidatura = id WHERE cpf = $1 ORDER BY status",
        cpf,
    )
    assert [tuple(row) for row in rows] == [(status, None, None, "[]", None) for status in ("aprovada", "retirada")]
    history = sql(
        "SELECT evento, motivo FROM employability.application_event WHERE id_candidatura = $1 ORDER BY id", made[0]
    )
    assert [tuple(row) for row in history] == [("submit", None), ("approve", None), ("withdraw", None)]
    # A refresh job that runs after the erasure does not restore the copy.
    work(lambda call: service.refresh_candidate(call, UUID(made[1])))
    work(service.refresh_stale_people)
    assert copies(sql, cpf) == [None]
    assert sql("SELECT FROM employability.application_block WHERE cpf = $1", cpf) == []
    assert http.get(f"{BASE}/{kept['id']}", headers=citizen(issuer, other)).json() == kept
