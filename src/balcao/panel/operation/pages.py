"""Pages for dead-lettered jobs and the CRM. They are a good example for new areas.

The modules `platform`, `responses` and `live` contain the other pages of this area.
"""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Area, Item, Pages, Waiting
from balcao.panel.operation import client, live, platform, responses
from balcao.panel.operation.declared import AREA as KEY
from balcao.panel.operation.declared import BASE, CRM_READ, CRM_WRITE, READ, WRITE
from balcao.panel.operation.forms import DropForm, ReconcileForm
from balcao.panel.operation.labels import KINDS, describe_failure, name_fields, name_kind
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, gather_blocks
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb
from balcao.web.words import format_count

# Retry at most this many jobs for each press of the button, because most kinds of jobs call the CRM or another system.
MOST_AT_ONCE = 100
# Buttons on a job's page post this field, so that the next job opens. Without it, the list opens again.
OPENS_NEXT = "proxima"

pages = Pages(KEY, BASE)


@pages.get("/tarefas", "Tarefas paradas", actions=[READ], in_menu=True)
async def list_jobs(visit: Visit) -> Response[Any]:
    """List the dead-lettered jobs, oldest first."""
    filters = [Filter("tipo", "Tipo", list(KINDS.items()))]
    listing = Listing(visit, ("tarefa parada", "tarefas paradas"), filters)
    kind = listing.values.get("tipo")
    found = await client.list_jobs(visit.api, kind=kind, page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render(
        "operation/jobs.html",
        listing=listing,
        kind=kind,
        name_fields=name_fields,
        name_kind=name_kind,
        describe_failure=describe_failure,
    )


@pages.get("/tarefas/{job}", "Tarefa", actions=[READ])
async def show_job(visit: Visit, job: str) -> Response[Any]:
    """Show one job with its most recent attempts."""
    return visit.render(
        "operation/job.html",
        job=await client.read_job(visit.api, job),
        crumbs=[_jobs_crumb(visit)],
        name_fields=name_fields,
        name_kind=name_kind,
        describe_failure=describe_failure,
    )


@pages.post("/tarefas/{job}/repetir", "Repetir a tarefa", actions=[WRITE])
async def retry_job(visit: Visit, job: str) -> Response[Any]:
    """Put a job back into the queue."""
    done = f"A tarefa {job} voltou à fila."
    try:
        await client.retry_job(visit.api, job)
    except Conflict as fault:  # another person has already retried the job
        done = fault.text
    if visit.posted.first(OPENS_NEXT):
        return await _open_next(visit, done, job)
    return await visit.redirect(visit.address("operation.list_jobs"), done)


@pages.post("/tarefas/repetir", "Repetir tarefas", actions=[WRITE])
async def retry_jobs(visit: Visit) -> Response[Any]:
    """Put the oldest jobs of one kind back into the queue."""
    kind = visit.posted.first("tipo")
    done = await client.retry_jobs(visit.api, kind, MOST_AT_ONCE)
    back = visit.address("operation.list_jobs", _query={"tipo": kind})
    return await visit.redirect(back, f"{format_count(done.retried, 'tarefa voltou', 'tarefas voltaram')} à fila.")


@pages.form("/tarefas/{job}/descartar", "Descartar a tarefa", actions=[WRITE])
async def drop_job(visit: Visit, job: str) -> Response[Any]:
    """Drop a job, so that it is never retried. The person must give a reason."""
    form = DropForm(visit)
    if form.is_sent and await form.submit(lambda: client.drop_job(visit.api, job, form.reason.data or "")):
        return await _open_next(visit, f"A tarefa {job} foi descartada.", job)
    return visit.render(
        "operation/drop.html",
        form=form,
        job=await client.read_job(visit.api, job),
        crumbs=[_jobs_crumb(visit)],
        name_fields=name_fields,
        name_kind=name_kind,
        status=form.status,
    )


async def _open_next(visit: Visit, done: str, decided: str) -> Response[Any]:
    """Open the oldest dead-lettered job except `decided`, or the list if no job remains.

    The next page shows the message `done`.
    """
    (found,) = await gather_blocks(client.list_jobs(visit.api, size=2))
    following = next((one for one in found.value.data if str(one.id) != decided), None) if found.value else None
    if following is None:
        return await visit.redirect(visit.address("operation.list_jobs"), done)
    address = visit.address("operation.show_job", job=following.id)
    return await visit.redirect(address, f"{done} Abaixo, a próxima tarefa parada.")


@pages.form("/crm", "CRM", actions=[READ, CRM_WRITE], in_menu=True)
async def show_crm(visit: Visit) -> Response[Any]:
    """Show the state of the data exchange with the CRM. The form starts a reconciliation."""
    form = ReconcileForm(visit)
    if form.is_sent and await form.submit(lambda: client.reconcile_since(visit.api, _to_instant(visit, form))):
        run = visit.address("operation.show_reconciliation", run=form.result.id)
        return await visit.redirect(run, "A releitura começou.")
    (status,) = await gather_blocks(client.read_crm_status(visit.api))
    return visit.render("operation/crm.html", form=form, crm=status, may_write=visit.may(CRM_WRITE), status=form.status)


@pages.get("/crm/releituras/{run}", "Releitura do CRM", actions=[CRM_READ])
async def show_reconciliation(visit: Visit, run: str) -> Response[Any]:
    """Show the progress of a reconciliation. The page's script polls the page until the reconciliation ends."""
    found = await client.read_reconciliation(visit.api, run)
    template = "operation/progress.html" if visit.is_fragment else "operation/reconciliation.html"
    crumbs = [Crumb("CRM", visit.address("operation.show_crm"))]
    return visit.render(template, run=found, crumbs=crumbs)


async def find_stopped_jobs(visit: Visit) -> Sequence[Item]:
    """Return one item for all dead-lettered jobs."""
    found = await client.list_jobs(visit.api, size=1)
    if not found.data:
        return []
    total = found.pagination.total
    oldest = found.data[0]
    return [
        Item(
            title=format_count(total, "tarefa parada", "tarefas paradas"),
            href=visit.address("operation.list_jobs"),
            text=f"à espera de uma decisão; a mais antiga: {name_kind(oldest.kind)}",
            detail="Operação",
            urgency="warning",
            action_label="Ver tarefas",
            number=total,
        )
    ]


def _jobs_crumb(visit: Visit) -> Crumb:
    return Crumb("Tarefas paradas", visit.address("operation.list_jobs"))


def _to_instant(visit: Visit, form: ReconcileForm) -> str:
    """Return the typed time with the UTC offset of the city's time zone."""
    assert form.since.data is not None
    return form.since.data.replace(tzinfo=visit.panel.words.zone).isoformat()


_EVERY = Pages(KEY, BASE, [platform.pages, pages, responses.pages, live.pages])

AREA = Area("Operação", 90, _EVERY, waiting=[Waiting([READ], find_stopped_jobs, "operation.list_jobs")])
