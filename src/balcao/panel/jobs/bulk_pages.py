"""Pages for a decision on many candidates: choice, confirmation, progress, and a retry for failed candidates."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Item, Pages
from balcao.panel.jobs import candidates_client
from balcao.panel.jobs.bulk import service as bulk
from balcao.panel.jobs.bulk.choice import describe_result, open_person, to_person
from balcao.panel.jobs.bulk.service import Decision, Person, Work
from balcao.panel.jobs.candidate_pages import DECIDE, list_parameters, make_listing, make_query
from balcao.panel.jobs.client import Job
from balcao.panel.jobs.labels import CANDIDATE_STATES, explain_failure, mask_cpf
from balcao.panel.jobs.listing_pages import READ_CANDIDATES, job_crumb, jobs_crumb, open_job
from balcao.panel.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.visit import Crumb

SHOWN = 12

pages = Pages("jobs", "/vagas/{job}/decisoes")

# The buttons below the list, each with the status that it sets and its label.
STATUSES = {
    "aprovar": ("aprovada", "Aprovar"),
    "reprovar": ("reprovada", "Reprovar"),
    "reabrir": ("candidatura_enviada", "Voltar a analisar"),
}


@pages.post("", "Escolher candidaturas", actions=[DECIDE])
async def choose_candidates(visit: Visit, job: str) -> Response[Any]:
    """Store the people chosen in the list, and redirect to the confirmation page."""
    found = (await open_job(visit, job)).value
    people = await _read_chosen(visit, found)
    if not people:
        back = visit.address("jobs.list_candidates", job=job, _query=list_parameters(visit.query))
        return await visit.redirect(
            back, "Nenhuma pessoa estava marcada: marque as pessoas e escolha de novo.", is_done=False
        )
    decision = await bulk.choose(visit, _describe_work(visit, found, people))
    return await visit.redirect(visit.address("jobs.show_decision", job=job, decision=decision))


async def _read_chosen(visit: Visit, job: Job) -> list[Person]:
    """Return the selected people, or at most 1,000 people who match the filters in the address."""
    if visit.posted.first("todas") == "1":
        query = make_query(make_listing(visit, job), job.id) | {"pageSize": bulk.MOST_PEOPLE}
        found = await candidates_client.list_candidates(visit.api, query)
        return [to_person(each) for each in found.data if each.cpf]
    sealer = visit.panel.sealer
    return [person for text in visit.posted.getlist("pessoa") if (person := open_person(sealer, job.id, text))]


def _describe_work(visit: Visit, job: Job, people: Sequence[Person]) -> Work:
    action = visit.posted.first("_acao")
    once = {person.cpf: person for person in people}
    if action in STATUSES:
        status, label = STATUSES[action]
        return Work(job.id, job.titulo, "status", status, label, list(once.values()))
    step = visit.posted.first("etapa")
    title = next((each.titulo for each in job.etapas if each.id == step), None)
    label = f"Mover para {title}" if title else "Tirar da etapa"
    return Work(job.id, job.titulo, "step", step if title else None, label, list(once.values()))


@pages.get("/{decision}", "Decisão", actions=[DECIDE, READ_CANDIDATES])
async def show_decision(visit: Visit, job: str, decision: str) -> Response[Any]:
    """Ask for confirmation. After the start, show the progress. At the end, show the candidates that failed."""
    found = await _find(visit, job, decision)
    if found.state in {"done", "stopped"} and not visit.is_fragment:
        await bulk.mark_seen(visit, found.id)
    if visit.is_fragment:
        return visit.render("jobs/decision_progress.html", decision=found, **_describe(found))
    read = (await open_job(visit, job)).value
    names = {step.id: step.titulo for step in read.etapas}
    by_step = Counter(names.get(person.step or "", "nenhuma etapa") for person in found.work.people)
    return visit.render(
        "jobs/decision.html",
        decision=found,
        job=read,
        by_step=by_step.most_common(),
        shown=found.work.people[:SHOWN],
        mask_cpf=mask_cpf,
        crumbs=[
            jobs_crumb(visit),
            job_crumb(visit, read),
            Crumb("Candidaturas", visit.address("jobs.list_candidates", job=job)),
        ],
        **_describe(found),
    )


@pages.post("/{decision}/comecar", "Começar a decisão", actions=[DECIDE])
async def start_decision(visit: Visit, job: str, decision: str) -> Response[Any]:
    """Start a decision, or continue it after a pause."""
    found = await _find(visit, job, decision)
    await bulk.start(visit, found.id)
    return await visit.redirect(visit.address("jobs.show_decision", job=job, decision=decision))


@pages.post("/{decision}/parar", "Parar a decisão", actions=[DECIDE])
async def stop_decision(visit: Visit, job: str, decision: str) -> Response[Any]:
    """Stop a decision after the current part."""
    found = await _find(visit, job, decision)
    await bulk.stop(visit, found.id)
    return await visit.redirect(visit.address("jobs.show_decision", job=job, decision=decision))


@pages.post("/{decision}/de-novo", "Tentar de novo", actions=[DECIDE])
async def retry_decision(visit: Visit, job: str, decision: str) -> Response[Any]:
    """Prepare the same decision for only the candidates that failed."""
    found = await _find(visit, job, decision)
    work = found.work
    people = [failed.person for failed in work.failures]
    if not people:
        return await visit.redirect(visit.address("jobs.show_decision", job=job, decision=decision))
    again = Work(work.job, work.title, work.kind, work.value, work.label, people)
    return await visit.redirect(visit.address("jobs.show_decision", job=job, decision=await bulk.choose(visit, again)))


async def find_decisions(visit: Visit) -> Sequence[Item]:
    """Return an item for each running decision, and for each finished decision that the person has not seen."""
    return [
        Item(
            title=f"{each.work.label}: {describe_result(each)}",
            href=visit.address("jobs.show_decision", job=each.work.job, decision=each.id),
            detail=f"Candidaturas · {each.work.title}",
            urgency="warning" if each.failed or each.state == "paused" else "info",
            action_label="Ver o resultado" if each.state != "running" else "Acompanhar",
        )
        for each in await bulk.list_unseen(visit)
    ]


async def _find(visit: Visit, job: str, id_: str) -> Decision:
    found = await bulk.find(visit, id_)
    if found is None or found.work.job != job:
        raise make_not_found()
    return found


def _describe(found: Decision) -> dict[str, Any]:
    return {
        "result": describe_result(found),
        "failures": found.work.failures,
        "states": CANDIDATE_STATES,
        "explain_failure": explain_failure,
    }
