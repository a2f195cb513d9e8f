"""Pages for creating a draft of a job, and for editing a job with its steps and questions."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.core.values.pasted import clean_pasted
from balcao.panel.declaration import Pages
from balcao.panel.fields import ACT, change_rows
from balcao.panel.jobs import client, companies_client, reference
from balcao.panel.jobs.client import Job
from balcao.panel.jobs.forms import JobForm, list_companies_for_choice
from balcao.panel.jobs.job_values import (
    decode_digests,
    describe_value,
    encode_digests,
    join_changes,
    list_values,
    make_body,
)
from balcao.panel.jobs.labels import format_cnpj, is_cnpj
from balcao.panel.jobs.listing_pages import CREATE, EDIT, EDIT_PUBLISHED, job_crumb, jobs_crumb, open_job
from balcao.panel.visit import Visit
from balcao.panel.working.service import begin_work, finish_work
from balcao.web.api import Conflict, Outdated, Read, ValidationFailed

pages = Pages("jobs", "/vagas")

BASE = "_base"
# The field suggests only the first 200 companies. A typed name is searched among all companies. An error names at most
# five.
MOST_SUGGESTED, MOST_NAMED = 200, 5


@pages.form("/nova", "Nova vaga", actions=[CREATE])
async def create_job(visit: Visit) -> Response[Any]:
    """Create a draft. Fields that are required only for publication may stay empty."""
    form = await _make_form(visit, None)
    if form.is_sent and not _change_rows(visit, form) and form.validate() and await _find_company(visit, form):
        try:
            body = make_body(form.data, None, visit.panel.words.zone)
            made = await client.create_draft(visit.api, body, form.key)
            await finish_work(visit)
            return await visit.redirect(visit.address("jobs.show_job", job=made.id), "O rascunho foi gravado.")
        except (ValidationFailed, Conflict) as fault:
            form.take(fault)
    return await _render(visit, form, None)


@pages.form("/{job}/editar", "Editar a vaga", actions=[EDIT, EDIT_PUBLISHED])
async def edit_job(visit: Visit, job: str) -> Response[Any]:
    """Change a job. After a concurrent change, merge both changes and let the person decide on disputed fields."""
    read = await open_job(visit, job)
    form = await _make_form(visit, read.value, etag=read.etag)
    if form.is_sent and not _change_rows(visit, form) and form.validate() and await _find_company(visit, form):
        try:
            body = make_body(form.data, read.value, visit.panel.words.zone)
            await client.replace_job(visit.api, job, body, form.etag)
            await finish_work(visit)
            return await visit.redirect(visit.address("jobs.show_job", job=job), "As mudanças foram gravadas.")
        except (ValidationFailed, Conflict) as fault:
            form.take(fault)
        except Outdated:
            read = await open_job(visit, job)
            _join(visit, form, read)
    return await _render(visit, form, read.value)


async def _make_form(visit: Visit, job: Job | None, *, etag: str = "") -> JobForm:
    tables = await reference.list_job_values(visit)
    departments = await reference.list_own_departments(visit)
    values = None if job is None else list_values(job, visit.panel.words.zone)
    return JobForm(visit, tables, departments, values, etag=etag)


async def _find_company(visit: Visit, form: JobForm) -> bool:
    """Replace a company's name with its CNPJ.

    If not exactly one company matches, return False and add an error to the field.
    """
    asked = clean_pasted(form.id_contratante.data or "").strip()
    if is_cnpj(asked):
        return True
    found = await companies_client.list_companies(visit.api, search=asked[:250], size=MOST_SUGGESTED)
    exact = [one for one in found.data if asked.casefold() in {one.label.casefold(), one.razao_social.casefold()}]
    companies = exact if len(exact) == 1 else found.data
    if len(companies) == 1:
        form.id_contratante.data = format_cnpj(companies[0].cnpj)
        return True
    named = "; ".join(f"{one.label} ({format_cnpj(one.cnpj)})" for one in companies[:MOST_NAMED])
    more = f" e mais {found.meta.total - MOST_NAMED}" if found.meta.total > MOST_NAMED else ""
    several = f"Há várias: {named}{more}. Escreva o nome inteiro ou o CNPJ."
    text = several if named else "Nenhuma empresa cadastrada tem este nome ou CNPJ."
    form.id_contratante.errors = [*form.id_contratante.errors, text]
    return False


async def _render(visit: Visit, form: JobForm, job: Job | None) -> Response[Any]:
    companies = await companies_client.list_companies(visit.api, size=MOST_SUGGESTED)
    base = (visit.posted if form.is_sent else visit.draft).first(BASE)
    if job is not None and (not base or form.is_outdated):
        base = encode_digests(list_values(job, visit.panel.words.zone))
    return visit.render(
        "jobs/edit.html",
        form=form,
        work=await begin_work(visit),
        job=job,
        base=base,
        companies=list_companies_for_choice(companies.data),
        crumbs=[jobs_crumb(visit), *([job_crumb(visit, job)] if job else [])],
        status=200 if visit.posted.first(ACT) else form.status,
    )


def _join(visit: Visit, form: JobForm, read: Read[Job]) -> None:
    """Merge both people's changes into the form, and mark the fields that both have changed."""
    theirs = list_values(read.value, visit.panel.words.zone)
    joined, disputed = join_changes(decode_digests(visit.posted.first(BASE)), form.data, theirs)
    form.replace(joined)
    form.etag, form.is_outdated = read.etag, True
    for name in disputed:
        choices = [(each.value, each.label) for each in getattr(form[name], "choices", None) or ()]
        form.theirs[name] = describe_value(theirs[name], choices)


def _change_rows(visit: Visit, form: JobForm) -> bool:
    """Return whether a row button was pressed, after applying it."""
    is_pressed = change_rows(form, visit.posted.first(ACT))
    if is_pressed:
        form.offer_choices()
    return is_pressed
