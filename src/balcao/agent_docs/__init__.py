"""The agent docs service, which publishes the OpenAPI description of the agents service."""

import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec

from balcao.agent_docs.description.api import FEATURE as DESCRIPTION
from balcao.agent_docs.description.document import build_document, build_server_url
from balcao.agent_docs.description.published import Published
from balcao.agent_docs.description.schemas import DescribedService, Root
from balcao.core.context.platform import Platform
from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service

_OWN = Service(
    name="agent_docs",
    prefix="/agent-docs",
    title="Balcão: descrição da API de agentes",
    package=__name__,
    features=[DESCRIPTION],
    dialects={"": DETAIL},
    description="A descrição da API de agentes, gerada das operações que de fato são servidas.",
    tags={"descrição": "O documento OpenAPI da API de agentes e o caminho até ele."},
)


def describe_service(agents: Service) -> Service:
    """Return the agent docs service, which describes `agents`.

    The agents service is passed as an argument, so that this package does not import it.
    """

    @asynccontextmanager
    async def lifespan(platform: Platform) -> AsyncIterator[None]:
        base_url = platform.settings.public_url.rstrip("/")
        platform.parts[Published] = Published(
            msgspec.json.encode(build_root(agents)),
            msgspec.json.encode(build_root(agents, _OWN.prefix.removeprefix("/") + "/")),
            lambda: build_document(agents, _OWN, base_url),
        )
        yield

    return dataclasses.replace(_OWN, lifespan=lifespan, ready=ready)


def build_root(agents: Service, folder: str = "") -> Root:
    """Return the body of the root page. `folder` is the prefix of its relative links."""
    return Root(
        name=_OWN.name,
        message="Descrição da API de agentes: leia o documento OpenAPI no endereço de `description`.",
        version=_OWN.version,
        description=f"{folder}swagger.json",
        health=f"{folder}readiness",
        services=[DescribedService(agents.name, folder + build_server_url("", _OWN, agents))],
    )


async def ready(platform: Platform) -> Mapping[str, bool]:
    """Return whether the document is available. The first call generates it."""
    return {"description": await platform.part(Published).find_document() is not None}
