"""Pages for jobs: the list, one job's page, changes of state, and copies."""

import re
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.core.values.ids import new_id
from balcao.panel.declaration import Item, Pages
from balcao.panel.jobs import candidates_client, client, reference
from balcao.panel.jobs.forms import ReasonForm, describe_member
from balcao.panel.jobs.labels import (
    ACCESSIBILITY,
    EVENTS,
    JOB_STATES,
    QUESTION_KINDS,
    STATE_CHANGES_BY_SLUG,
    StateChange,
    format_money,
    list_state_changes,
)
from balcao.panel.visit import Visit
from balcao.web.api import Block, Conflict, NotFound, Outdated, Read, ValidationFailed, gather_blocks
from balcao.web.faults import PageFault, make_not_found
from balcao.web.lists import Filter, Listing, Tab
from balcao.web.visit import Crumb
from balcao.web.words import format_count

READ, CREATE, EDIT = "job_listing:read", "job_listing:create", "job_listing:update"
EDIT_PUBLISHED, PUBLISH = "job_listing:update_published", "job_listing:publish"
DELETE, DELETE_PUBLISHED = "job_listing:delete", "job_listing:delete_published"
READ_CANDIDATES = "job_application:read"
DRAFTS = frozenset({"em_edicao", "em_aprovacao"})
PUBLISHED_IN = {"hoje": "hoje", "ultima_semana": "últimos 7 dias", "ultimo_mes": "últimos 30 dias"}
# Matches a member's name in an error text from the service.
_MISSING = re.compile(r"`([\w.\[\]]+)`")

pages = Pages("jobs", "/vagas")


@pages.get("", "Vagas", actions=[READ], in_menu=True)
async def list_jobs(visit: Visit) -> Response[Any]:
    """List the jobs within the person's reach, and count the jobs in each state."""
    names = await reference.list_department_names(visit)
    filters = [
        Filter("busca", "Título", is_wide=True),
        Filter("orgao", "Órgão", list(names.items())),
        Filter("publicada", "Publicada", list(PUBLISHED_IN.items()), unset="Quando for"),
        Filter("empresa", "CNPJ da empresa"),
    ]
    listing = Listing(visit, ("vaga", "vagas"), filters, [Tab("", "Todas")])
    states = [key for key in JOB_STATES if key != "deleted"]
    listing.tabs = [Tab("", "Todas"), *(Tab(key, JOB_STATES[key].text) for key in states)]
    values = listing.values
    found = await client.list_jobs(
        visit.api,
        {
            "search": values.get("busca"),
            "orgao_parceiro_id": values.get("orgao"),
            "data_publicacao": values.get("publicada"),
            "contratante": values.get("empresa"),
            "status": listing.tab or None,
            "page": listing.number,
            "pageSize": listing.size,
        },
    )
    counts = found.resumo
    listing.tabs = [
        Tab("", "Todas", sum(counts.values())),
        *(Tab(key, JOB_STATES[key].text, counts.get(key, 0)) for key in states),
    ]
    listing.rows, listing.total = found.data, found.meta.total
    return visit.render("jobs/jobs.html", listing=listing, states=JOB_STATES)


@pages.get("/{job}", "Vaga", actions=[READ])
async def show_job(visit: Visit, job: str) -> Response[Any]:
    """Show a job with its permitted changes of state, its history and the number of candidates."""
    read = await open_job(visit, job)
    found = read.value
    # A job without a department was never published, so it has no applications.
    has_candidates = found.orgao_parceiro is not None and visit.may(READ_CANDIDATES)
    blocks: list[Block[Any]] = await gather_blocks(
        client.list_history(visit.api, job),
        candidates_client.count_candidates(visit.api, job) if has_candidates else None,
    )
    history, counts = blocks
    return visit.render(
        "jobs/job.html",
        job=found,
        etag=read.etag,
        history=history,
        counts=counts,
        state_changes=list_state_changes(found.acoes_permitidas),
        accessibility=ACCESSIBILITY,
        events=EVENTS,
        kinds=QUESTION_KINDS,
        money=format_money,
        states=JOB_STATES,
        may_edit=visit.may(EDIT if found.status in DRAFTS else EDIT_PUBLISHED),
        may_delete=visit.may(DELETE if found.status in DRAFTS else DELETE_PUBLISHED),
        copy_key=new_id(),
        crumbs=[jobs_crumb(visit)],
    )


@pages.post("/{job}/duplicar", "Duplicar a vaga", actions=[CREATE])
async def duplicate_job(visit: Visit, job: str) -> Response[Any]:
    """Copy a job to a new draft, and open the draft."""
    made = await client.duplicate_job(visit.api, job, visit.posted.first("_key"))
    address = visit.address("jobs.edit_job", job=made.id)
    return await visit.redirect(address, "Esta é a cópia, em edição: confira o título e o prazo.")


@pages.form("/{job}/mudar/{change}", "Mudar a situação da vaga", actions=[READ])
async def move_job(visit: Visit, job: str, change: str) -> Response[Any]:
    """Change a job's state. First show the effects and ask for confirmation.

    If the service rejects the change because members are missing, list them.
    """
    chosen = STATE_CHANGES_BY_SLUG.get(change)
    if chosen is None:
        raise make_not_found()
    read = await open_job(visit, job)
    form = ReasonForm(visit, etag=read.etag)
    missing: Sequence[tuple[str, str]] = ()
    if form.is_sent and form.validate():
        try:
            await client.move_job(visit.api, job, chosen.event, form.reason.data or "", form.etag)
            return await _open_next(visit, read.value, chosen)
        except ValidationFailed as fault:
            # The id and label of the form field for each member that the service reports as missing.
            missing = [describe_member(name) for name in _MISSING.findall(fault.text)]
            if not missing:
                form.take(fault)
        except Conflict as fault:
            form.take(fault)
        except Outdated:
            form.etag, form.is_outdated = read.etag, True
            form.refusal = "A vaga mudou enquanto você lia. Confira como ela está agora e confirme de novo."
    return visit.render(
        "jobs/move.html",
        form=form,
        change=chosen,
        job=read.value,
        counts=await _count_affected(visit, read.value.id, chosen),
        missing=missing,
        crumbs=[jobs_crumb(visit), job_crumb(visit, read.value)],
        status=422 if missing else form.status,
    )


async def _open_next(visit: Visit, job: client.Job, change: StateChange) -> Response[Any]:
    """Show the job again. After a decision on a job that awaited approval, open the next pending job instead."""
    if job.status != "em_aprovacao" or not visit.may(PUBLISH):
        return await visit.redirect(visit.address("jobs.show_job", job=job.id), change.done)
    done = change.done.replace("A vaga", f"A vaga “{job.titulo}”", 1)
    (waiting,) = await gather_blocks(client.list_jobs(visit.api, {"status": "em_aprovacao", "pageSize": 2}))
    following = next((one for one in waiting.value.data if one.id != job.id), None) if waiting.value else None
    if following is None:
        queue = visit.address("jobs.list_jobs", _query={"aba": "em_aprovacao"})
        return await visit.redirect(queue, done if waiting.fault else f"{done} Nenhuma outra espera aprovação.")
    address = visit.address("jobs.show_job", job=following.id)
    return await visit.redirect(address, f"{done} Esta é a próxima que espera.")


async def _count_affected(visit: Visit, job: str, change: StateChange) -> int | None:
    """Return the number of applications that will appear in another state after the change.

    Return None if the change does not affect applications, or if their number cannot be read.
    """
    if change.event not in {"freeze", "discontinue", "unfreeze", "reactivate"} or not visit.may(READ_CANDIDATES):
        return None
    (counts,) = await gather_blocks(candidates_client.count_candidates(visit.api, job))
    return None if counts.value is None else counts.value.total


@pages.form("/{job}/excluir", "Excluir a vaga", actions=[DELETE, DELETE_PUBLISHED])
async def delete_job(visit: Visit, job: str) -> Response[Any]:
    """Ask for confirmation, and delete a job."""
    read = await open_job(visit, job)
    form = ReasonForm(visit, etag=read.etag)
    if form.is_sent and await form.submit(lambda: client.delete_job(visit.api, job, form.etag)):
        return await visit.redirect(visit.address("jobs.list_jobs"), f"A vaga “{read.value.titulo}” foi excluída.")
    return visit.render(
        "jobs/delete.html",
        form=form,
        job=read.value,
        crumbs=[jobs_crumb(visit), job_crumb(visit, read.value)],
        status=form.status,
    )


async def open_job(visit: Visit, job: str) -> Read[client.Job]:
    """Return a job. Raises PageFault if it is not found.

    The service hides jobs of other departments, so the error page also mentions this possibility.
    """
    try:
        return await client.read_job(visit.api, job)
    except NotFound as fault:
        text = (
            "Ela não existe, foi excluída ou é de um órgão a que você não tem acesso. "
            "Fale com quem administra os acessos."
        )
        raise PageFault(404, "Vaga não encontrada", text, request_id=fault.request_id) from None


def jobs_crumb(visit: Visit) -> Crumb:
    return Crumb("Vagas", visit.address("jobs.list_jobs"))


def job_crumb(visit: Visit, job: client.Job) -> Crumb:
    return Crumb(job.titulo, visit.address("jobs.show_job", job=job.id))


async def find_jobs_to_approve(visit: Visit) -> Sequence[Item]:
    """Return items for the jobs that await approval: one for each of the first three, and one for all others."""
    found = await client.list_jobs(visit.api, {"status": "em_aprovacao", "pageSize": 3})
    items = [
        Item(
            title=job.titulo,
            href=visit.address("jobs.show_job", job=job.id),
            text="espera aprovação",
            detail=f"Vaga · {job.contratante.label}",
            urgency="warning",
            action_label="Ler e decidir",
        )
        for job in found.data
    ]
    if (more := found.meta.total - len(items)) > 0:
        address = visit.address("jobs.list_jobs", _query={"aba": "em_aprovacao"})
        items.append(
            Item(format_count(more, "outra vaga espera", "outras vagas esperam"), address, "aprovação", number=more)
        )
    return items


async def find_jobs(visit: Visit, asked: str) -> Sequence[Item]:
    """Return the jobs whose titles contain the search text."""
    found = await client.list_jobs(visit.api, {"search": asked, "pageSize": 5})
    return [
        Item(
            job.titulo,
            visit.address("jobs.show_job", job=job.id),
            detail=f"Vaga · {job.contratante.label} · {JOB_STATES[job.status].text}",
            action_label="Abrir",
        )
        for job in found.data
    ]
