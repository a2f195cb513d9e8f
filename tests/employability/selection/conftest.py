"""Fixtures that create jobs and applications."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import httpx
import pytest

from tests.employability.hiring.conftest import Create, callers, create, expire, registry, server
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, TERMS, answer_all
from tests.support.issuer import Issuer

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
