"""Pages for services, queues, processes and imports. They refresh themselves while they are open in a browser."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.operation import client, platform_client
from balcao.panel.operation.declared import AREA, BASE, OPERATION, READ
from balcao.panel.operation.labels import (
    IMPORT_STATES,
    SERVICES,
    describe_replica,
    name_import,
    name_kind,
    name_process,
    name_service,
)
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks

pages = Pages(AREA, BASE)


@pages.get("", "Estado", actions=[READ, OPERATION], in_menu=True)
async def show_state(visit: Visit) -> Response[Any]:
    """Show the state of each part that the person may see. If one part fails, the page still shows the other parts."""
    services = await gather_blocks(*(client.read_readiness(visit.api, path) for path in client.SERVICES.values()))
    (state,) = await gather_blocks(platform_client.read_state(visit.api)) if visit.may(OPERATION) else (None,)
    crm, jobs = (
        await gather_blocks(client.read_crm_status(visit.api), client.list_jobs(visit.api, size=1))
        if visit.may(READ)
        else (None, None)
    )
    return _render(
        visit,
        "state",
        services=dict(zip(client.SERVICES, services, strict=True)),
        state=state,
        crm=crm,
        jobs=jobs,
        describe_replica=describe_replica,
        name_service=name_service,
    )


@pages.get("/filas", "Filas", actions=[OPERATION], in_menu=True)
async def show_queues(visit: Visit) -> Response[Any]:
    """Show the waiting jobs of each kind, and when recurring jobs run."""
    found = await platform_client.read_queues(visit.api)
    # Kinds with dead-lettered jobs come first, then kinds with waiting or running jobs, then idle kinds.
    found.data.sort(key=lambda queue: (-queue.dead, -(queue.queued + queue.running), name_kind(queue.kind)))
    return _render(visit, "queues", queues=found, name_kind=name_kind)


@pages.get("/processos", "Processos e versões", actions=[OPERATION], in_menu=True)
async def show_processes(visit: Visit) -> Response[Any]:
    """Show the processes on all machines, the replicas, and the versions with their database schemas."""
    processes, state, versions = await gather_blocks(
        platform_client.list_processes(visit.api),
        platform_client.read_state(visit.api),
        platform_client.read_versions(visit.api),
    )
    return _render(
        visit,
        "processes",
        processes=processes,
        state=state,
        versions=versions,
        every=len(SERVICES),
        name_process=name_process,
        name_service=name_service,
        describe_replica=describe_replica,
    )


@pages.get("/importacoes", "Importações", actions=[OPERATION], in_menu=True)
async def show_imports(visit: Visit) -> Response[Any]:
    """Show the progress of the most recent import of each kind."""
    found = await platform_client.list_imports(visit.api)
    return _render(visit, "imports", imports=found, states=IMPORT_STATES, name_import=name_import)


def _render(visit: Visit, name: str, **values: Any) -> Response[Any]:
    """Return the whole page. If the page's script requests it, return only the part that changes."""
    template = f"operation/{name}_now.html" if visit.is_fragment else f"operation/{name}.html"
    return visit.render(template, read_at=visit.panel.words.now(), **values)
