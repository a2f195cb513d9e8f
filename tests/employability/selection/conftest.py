"""Fixtures that create jobs and applications."""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from balcao.employability import SERVICE
from balcao.settings import Settings
from tests.employability.hiring.conftest import Create, callers, create, expire, registry, server
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, TERMS, answer_all
from tests.support.fixture_types import Drain
from tests.support.issuer import Issuer
from tests.support.server import RunningServer

__all__ = ["callers", "create", "expire", "registry", "server"]

Publish = Callable[..., dict[str, Any]]
Apply = Callable[..., httpx.Response]


@pytest.fixture
def publish(create: Create) -> Publish:
    """Return a function that publishes a job in the editor's department."""
    return lambda **members: create(acao="publicar", **members)


@pytest.fixture
def apply(http: httpx.Client, issuer: Issuer) -> Apply:
    """Return a function that accepts the terms as a citizen and submits an application.

    The application answers each required question.
    """

    def send(job: dict[str, Any], cpf: str, members: Mapping[str, Any] = MappingProxyType({})) -> httpx.Response:
        body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)} | dict(members)
        http.put(f"{TERMS}/{cpf}/accept", headers=citizen(issuer, cpf))
        return http.post(BASE, json=body, headers=citizen(issuer, cpf))

    return send


@pytest.fixture
def drain(settings: Settings, database_url: str, registry: RunningServer) -> Drain:
    """Return a function that runs the service's due jobs, as the worker does.

    The e-mail jobs check in the registry whether the person accepts e-mails.
    """
    return make_drain(settings, database_url, f"{registry.url}/registry/v1")


def make_drain(settings: Settings, database_url: str, registry: str) -> Drain:
    asking = settings.model_copy(update={"registry_url_override": registry})

    async def once() -> None:
        platform = assemble(asking, database_url)
        async with app.open_services(platform, [SERVICE]):
            await Worker(platform.database, SERVICE.jobs, platform).drain()

    return lambda: asyncio.run(once())
