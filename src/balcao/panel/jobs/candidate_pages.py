"""Pages for a job's candidates: the list by step, one candidate's page, and the export of the list as a file."""

import csv
import io
import itertools
from collections.abc import Mapping
from datetime import date, tzinfo
from typing import Any

import httpx

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.declaration import Pages
from balcao.panel.jobs import candidates_client
from balcao.panel.jobs.bulk import service as bulk
from balcao.panel.jobs.bulk.choice import describe_result, seal_person
from balcao.panel.jobs.candidates_client import REASON, Candidate, CandidatePage
from balcao.panel.jobs.client import Job
from balcao.panel.jobs.forms import ReasonForm
from balcao.panel.jobs.labels import (
    ACCESSIBILITY,
    CANDIDATE_EVENTS,
    CANDIDATE_STATES,
    JOB_STATES,
    format_months,
    mask_cpf,
)
from balcao.panel.jobs.listing_pages import READ, READ_CANDIDATES, job_crumb, jobs_crumb, open_job
from balcao.panel.visit import Visit
from balcao.web.api import Block, Conflict, Outdated, ValidationFailed, decode_body, gather_blocks
from balcao.web.lists import TAB, Filter, Listing, Tab
from balcao.web.visit import Crumb
from balcao.web.words import format_phone

DECIDE = "job_application:decide"
# The export makes as many calls as it needs. A résumé may have many kilobytes, so a call returns few candidates.
IN_FILE_AT_ONCE = 500
# The columns of the export. The job's questions follow them.
_COLUMNS = (
    "Nome", "CPF", "E-mail", "Telefone", "Bairro", "Situação", "Etapa", "Candidatou-se em", "Escolaridade",
    "Experiência",
)  # fmt: skip
# The value that selects candidates without a step, in the list's address and in the service's query.
NO_STEP = "nenhuma"
# The actions that decide an application, so that the candidate no longer waits.
FINAL_DECISIONS = frozenset({"aprovar", "reprovar"})
STATUSES = ("candidatura_enviada", "aprovada", "reprovada", "vaga_congelada", "vaga_descontinuada")
# The query parameters of the list, except the page number.
PARAMETERS = frozenset({TAB, "busca", "situacao", "pergunta", "resposta"})

pages = Pages("jobs", "")


@pages.get("/vagas/{job}/candidaturas", "Candidaturas", actions=[READ_CANDIDATES])
async def list_candidates(visit: Visit, job: str) -> Response[Any]:
    """List a job's candidates by step. The person can select several candidates and decide on them together."""
    read = await open_job(visit, job)
    counts = await candidates_client.count_candidates(visit.api, job)
    listing = make_listing(visit, read.value)
    listing.tabs = [
        Tab("", "Todas", counts.total),
        *(
            Tab(step.id_etapa or NO_STEP, f"{step.ordem}. {step.titulo}" if step.id_etapa else "Sem etapa", step.total)
            for step in counts.etapas
        ),
    ]
    found = await find_candidates(visit, listing, job)
    listing.rows, listing.total = found.data, found.meta.total
    running = [each for each in await bulk.list_unseen(visit) if each.work.job == job]
    asked = listing.values.get("pergunta")
    return visit.render(
        "jobs/candidates.html",
        job=read.value,
        listing=listing,
        states=CANDIDATE_STATES,
        job_states=JOB_STATES,
        question=next((one for one in read.value.informacoes_complementares if one.id == asked), None),
        takes_all=visit.query.first("todas") == "1" and listing.total <= bulk.MOST_PEOPLE,
        may_decide=visit.may(DECIDE) and read.value.status not in {"vaga_congelada", "vaga_descontinuada"},
        most=bulk.MOST_PEOPLE,
        decisions=running,
        describe_result=describe_result,
        parameters=list_parameters(visit.query),
        seal=lambda candidate: seal_person(visit.panel.sealer, job, candidate),
        mask_cpf=mask_cpf,
        format_months=format_months,
        crumbs=[jobs_crumb(visit), job_crumb(visit, read.value)],
    )


def make_listing(visit: Visit, job: Job) -> Listing:
    """Return the empty list of a job's candidates, with its filters."""
    statuses = [(status, CANDIDATE_STATES[status].text) for status in STATUSES]
    filters = [
        Filter("busca", "Nome, CPF ou e-mail", is_wide=True),
        Filter("situacao", "Situação", statuses, unset="Todas"),
    ]
    if job.informacoes_complementares:
        titles = [(question.id, question.titulo) for question in job.informacoes_complementares]
        filters += [Filter("pergunta", "Pergunta", titles, unset="Qualquer"), Filter("resposta", "A resposta tem")]
    listing = Listing(visit, ("candidatura", "candidaturas"), filters, tabs_label="Etapa")
    listing.tabs = [Tab("", ""), Tab(NO_STEP, ""), *(Tab(step.id, "") for step in job.etapas)]
    return listing


def make_query(listing: Listing, job: str) -> dict[str, Any]:
    """Convert the list's filters to query parameters for the service."""
    values = listing.values
    question, answer = values.get("pergunta"), values.get("resposta")
    return {
        "vagaId": job,
        "search": values.get("busca"),
        "status": values.get("situacao"),
        "etapa_id": listing.tab or None,
        "id_info": question,
        "resposta": answer if question else None,
    }


async def find_candidates(visit: Visit, listing: Listing, job: str) -> CandidatePage:
    """Read the candidates on the list's current page."""
    paging = {"page": listing.number, "pageSize": listing.size}
    return await candidates_client.list_candidates(visit.api, make_query(listing, job) | paging)


@pages.get("/vagas/{job}/candidaturas/planilha", "Planilha das candidaturas", actions=[READ_CANDIDATES])
async def export_candidates(visit: Visit, job: str) -> Response[Any]:
    """Return all candidates that match the list's filters as a file for a spreadsheet."""
    found = (await open_job(visit, job)).value
    listing = make_listing(visit, found)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
    writer.writerow([*_COLUMNS, *(_guard(question.titulo) for question in found.informacoes_complementares)])
    for page in itertools.count(1):
        query = make_query(listing, job) | {"page": page, "pageSize": IN_FILE_AT_ONCE}
        answer = await visit.api.download(candidates_client.CANDIDATES, query, reason=REASON)
        rows = await run_in_thread(_make_rows, found, answer, visit.panel.words.zone)
        writer.writerows(rows)
        if len(rows) < IN_FILE_AT_ONCE:
            break
    name = f"candidaturas-{found.slug[:60].strip('-')}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    # Brazilian spreadsheet programs need semicolons, and a byte order mark to read accents correctly.
    content = b"\xef\xbb\xbf" + file.getvalue().encode()
    return Response(content, headers=headers, media_type="text/csv; charset=utf-8")


def _make_rows(job: Job, answer: httpx.Response, zone: tzinfo) -> list[list[str]]:
    """Return one row for each candidate on a page. A page may take long to decode, so a thread runs this function."""
    candidates = decode_body(answer, CandidatePage).data
    return [[_guard(cell) for cell in _make_row(job, each, zone)] for each in candidates]


def _make_row(job: Job, candidate: Candidate, zone: tzinfo) -> list[str]:
    known, resume = candidate.personal_info, candidate.curriculo_snapshot
    place, cpf = known.endereco if known else None, candidate.cpf
    return [
        candidate.name,
        f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}" if cpf else "",
        candidate.email or "",
        format_phone(known.celular) if known and known.celular else "",
        (place.bairro if place else "") or "",
        CANDIDATE_STATES[candidate.status].text,
        candidate.etapa_atual.titulo if candidate.etapa_atual else "",
        f"{candidate.created_at.astimezone(zone):%d/%m/%Y %H:%M}",
        resume.schooling if resume else "",
        format_months(resume.months) if resume and resume.months else "",
        *(candidate.answer(question.id) for question in job.informacoes_complementares),
    ]


def _guard(cell: str) -> str:
    """Escape a cell, so that no spreadsheet program executes it as a formula."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell


@pages.form("/candidaturas/{candidate}", "Candidatura", actions=[READ_CANDIDATES])
async def show_candidate(visit: Visit, candidate: str) -> Response[Any]:
    """Show a candidate's resume next to the job's requirements, and carry out the pressed button's action."""
    read = await candidates_client.read_candidate(visit.api, candidate)
    form = ReasonForm(visit, etag=read.etag)
    if form.is_sent and form.validate():
        if not visit.may(DECIDE):
            form.refusal = "Você pode ler, mas não decidir sobre candidaturas."
        else:
            try:
                done = await _decide(visit, read.value, form)
                return await _open_next(visit, read.value, done)
            except Outdated:
                read = await candidates_client.read_candidate(visit.api, candidate)
                form.etag, form.is_outdated = read.etag, True
                form.refusal = "Alguém decidiu antes: veja abaixo como a candidatura está agora. Nada seu foi gravado."
            except (Conflict, ValidationFailed) as fault:
                form.take(fault)
    found = read.value
    blocks: list[Block[Any]] = await gather_blocks(
        # The page shows the job's requirements next to the resume. It omits them if the job has been deleted.
        open_job(visit, found.id_vaga) if visit.may(READ) else None,
        candidates_client.list_candidate_history(visit.api, candidate),
    )
    job, history = blocks
    return visit.render(
        "jobs/candidate.html",
        candidate=found,
        form=form,
        job=job.value.value if job.value else None,
        history=history,
        steps={step.id: step.titulo for step in found.vaga.etapas},
        states=CANDIDATE_STATES,
        job_states=JOB_STATES,
        events=CANDIDATE_EVENTS,
        accessibility=ACCESSIBILITY,
        age=_find_age(found, visit.panel.words.now().date()),
        mask_cpf=mask_cpf,
        format_months=format_months,
        may_decide=visit.may(DECIDE),
        crumbs=[
            jobs_crumb(visit),
            Crumb(found.vaga.titulo, visit.address("jobs.show_job", job=found.id_vaga)),
            Crumb("Candidaturas", visit.address("jobs.list_candidates", job=found.id_vaga)),
        ],
        status=form.status,
    )


async def _open_next(visit: Visit, decided: Candidate, done: str) -> Response[Any]:
    """Open the job's next candidate who waits for a decision, or the list if no candidate waits.

    After an action that makes no final decision, such as a change of step, show the same candidate again.
    """
    if visit.posted.first("_acao") not in FINAL_DECISIONS:
        return await visit.redirect(visit.address("jobs.show_candidate", candidate=decided.id), done)
    waiting = {"vagaId": decided.id_vaga, "status": "candidatura_enviada", "page": 1, "pageSize": 1}
    (found,) = await gather_blocks(candidates_client.list_candidates(visit.api, waiting))
    if found.value and found.value.data:
        return await visit.redirect(visit.address("jobs.show_candidate", candidate=found.value.data[0].id), done)
    back = visit.address("jobs.list_candidates", job=decided.id_vaga)
    return await visit.redirect(back, done if found.fault else f"{done} Ninguém mais espera uma decisão nesta vaga.")


async def _decide(visit: Visit, candidate: Candidate, form: ReasonForm) -> str:
    """Carry out the pressed button's action, and describe the result."""
    decision, _, step = visit.posted.first("_acao").partition(":")
    motive = form.reason.data or ""
    if motive and decision not in FINAL_DECISIONS:
        text = "O motivo só é guardado ao aprovar ou reprovar. Para usar este botão, apague o texto. Nada foi gravado."
        raise ValidationFailed(text)
    match decision:
        case "aprovar":
            await candidates_client.decide(visit.api, candidate.id, "approve", motive, form.etag)
            return f"A candidatura de {candidate.name} está aprovada, e a pessoa será avisada por e-mail."
        case "reprovar":
            await candidates_client.decide(visit.api, candidate.id, "reject", motive, form.etag)
            return f"A candidatura de {candidate.name} está reprovada, e a pessoa será avisada por e-mail."
        case "reabrir":
            await candidates_client.reopen(visit.api, candidate.id, form.etag)
            return "A candidatura voltou a esperar uma decisão."
        case "etapa":
            chosen = step or visit.posted.first("etapa")
            await candidates_client.set_step(visit.api, candidate.id, chosen or None, form.etag)
            return "A etapa foi mudada." if chosen else "A pessoa não está mais em nenhuma etapa."
        case _:
            raise ValidationFailed("Escolha um dos botões. Nada foi gravado.")


def _find_age(candidate: Candidate, today: date) -> int | None:
    """Return the person's age in years, or None if the date of birth is unknown."""
    text = candidate.personal_info.data_nascimento if candidate.personal_info else None
    try:
        born = date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def list_parameters(query: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the query parameters of the list, except the page number."""
    return {name: values[0] for name, values in query.items() if name in PARAMETERS and values[0]}
