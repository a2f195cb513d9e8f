"""Fixtures of the employability service, with a registry that it calls over HTTP."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.registry.city.departments.imports import IMPORTS
from balcao.settings import Settings
from tests.employability.hiring.callers import EDITOR, HELIO, IRENE, OTHER_EDITOR, Callers
from tests.employability.hiring.job_bodies import BASE, COMPANY, OTHER, OWN, describe_job
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.server import RunningServer, free_port

Create = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    """Yield a server with both services. The registry has three departments."""
    for code, name in ((OWN, "Secretaria de Saúde"), (OTHER, "Vigilância em Saúde"), ("2100", "Administração")):
        load(database_url, IMPORTS[0], {"cd_ua": code, "sigla_ua": f"S{code}", "nome_ua": name, "nivel": 2})
    port = free_port()
    asking = settings.model_copy(update={"registry_url_override": f"http://127.0.0.1:{port}/registry/v1"})
    with RunningServer(app.build_application(asking, database_url, ["registry", SERVICE.name]), port) as running:
        yield running


@pytest.fixture(scope="module")
def registry(server: RunningServer) -> RunningServer:
    """Return the server that also runs the registry."""
    return server


@pytest.fixture
def callers(issuer: Issuer, sql: Sql, registry: RunningServer) -> Callers:
    """Return the callers. The editors are linked to their departments."""
    for cpf, department in ((HELIO, OWN), (IRENE, OWN), (OTHER_EDITOR, OTHER)):
        sql(
            "INSERT INTO registry.staff_department (id, cpf, cd_ua) VALUES (gen_random_uuid(), $1, $2)"
            " ON CONFLICT DO NOTHING",
            cpf,
            department,
        )
    sql(
        "INSERT INTO employability.company (cnpj, razao_social, nome_fantasia)"
        " VALUES ($1, 'Padaria Aurora Ltda.', 'Padaria Aurora') ON CONFLICT DO NOTHING",
        COMPANY,
    )
    return Callers(issuer)


@pytest.fixture
def create(http: httpx.Client, callers: Callers) -> Create:
    """Return a function that creates a job as an editor. `acao="publicar"` also publishes the job."""

    def make(who: str = EDITOR, acao: str | None = None, **members: Any) -> dict[str, Any]:
        answer = http.post(
            BASE, json=describe_job(**members), params={"acao": acao} if acao else None, headers=callers[who]
        )
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return make


@pytest.fixture
def expire(sql: Sql) -> Callable[[str], None]:
    """Return a function that moves a job's deadline into the past."""

    def age(id_: str) -> None:
        sql("UPDATE employability.job SET data_limite = $2 WHERE id = $1", id_, datetime.now(UTC) - timedelta(hours=1))

    return age
