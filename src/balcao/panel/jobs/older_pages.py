"""Pages for older jobs, a separate list that was in use before the current one."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from wtforms import DateField, IntegerField, SelectField, StringField, TextAreaField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.jobs import companies_client as client
from balcao.panel.jobs import reference
from balcao.panel.jobs.companies_client import OlderJob
from balcao.panel.jobs.forms import ReasonForm
from balcao.panel.visit import Visit
from balcao.web.api import NotFound
from balcao.web.forms import Form, length, list_choices, needed
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

MANAGE = "legacy_job:manage"
STATES = {"CRIADO": "Criada", "ABERTO": "Aberta", "EM_ANALISE": "Em análise", "ENCERRADO": "Encerrada"}
TYPES = {"CLT": "CLT", "ESTAGIO": "estágio", "JOVEM_APRENDIZ": "jovem aprendiz", "MEI": "MEI", "PJ": "PJ"}
HOURS = {
    "INTEGRAL": "integral", "MEIO_PERIODO": "meio período", "FLEXIVEL": "flexível", "ESTAGIO": "estágio",
    "HOME_OFFICE": "em casa",
}  # fmt: skip
SHIFTS = {"MANHA": "manhã", "TARDE": "tarde", "NOITE": "noite", "INTEGRAL": "integral", "LIVRE": "livre"}
# The members that the form changes, and the members that it sends back unchanged.
FIELDS = (
    "titulo", "tipo_contratacao", "descricao", "pre_requisitos", "beneficios", "contato_duvidas",
    "escolaridade_id", "jornada_trabalho", "turno", "numero_vagas", "salario_min", "salario_max",
)  # fmt: skip
UNCHANGED_MEMBERS = ("orgao_id", "empresa_id", "latitude", "longitude", "data_inicio_prevista")

pages = Pages("jobs", "/vagas/antigas")


class OlderJobForm(Form):
    members = {"situacao": "status"}  # noqa: RUF012 - read only

    titulo = StringField("Título", validators=[needed(), length(1, 500)])
    situacao = SelectField("Situação", choices=list_choices(STATES.items()))
    tipo_contratacao = SelectField("Contratação", choices=list_choices(TYPES.items()))
    jornada_trabalho = SelectField("Jornada", choices=list_choices([("", "não informada"), *HOURS.items()]))
    turno = SelectField("Turno", choices=list_choices([("", "não informado"), *SHIFTS.items()]))
    escolaridade_id = SelectField("Escolaridade")
    numero_vagas = IntegerField("Quantas pessoas", validators=[Optional()])
    salario_min = IntegerField("Salário, de", description="Em reais.", validators=[Optional()])
    salario_max = IntegerField("Salário, até", validators=[Optional()])
    data_limite_candidatura = DateField("Candidaturas até", validators=[Optional()])
    descricao = TextAreaField("Descrição", validators=[length(0, 10_000)])
    pre_requisitos = TextAreaField("Requisitos", validators=[length(0, 10_000)])
    beneficios = TextAreaField("Benefícios", validators=[length(0, 10_000)])
    contato_duvidas = TextAreaField("Contato para dúvidas", validators=[length(0, 10_000)])

    def make_body(self, stored: OlderJob | None, day: date | None) -> dict[str, Any]:
        """Return the request body.

        `day` is the day of the stored deadline. If the typed day equals `day`, the deadline's time stays unchanged.
        """
        body = {name: self[name].data if self[name].data != "" else None for name in FIELDS}
        body["status"] = self.situacao.data
        if body["escolaridade_id"] is not None:
            body["escolaridade_id"] = int(body["escolaridade_id"])
        limit = self.data_limite_candidatura.data
        body["data_limite_candidatura"] = (
            stored.data_limite_candidatura if stored and limit == day else limit.isoformat() if limit else None
        )
        return body | ({name: getattr(stored, name) for name in UNCHANGED_MEMBERS} if stored else {})


@pages.get("", "Vagas antigas", actions=[MANAGE], in_menu=True)
async def list_older_jobs(visit: Visit) -> Response[Any]:
    """List the older jobs, newest first."""
    filters = [
        Filter("situacao", "Situação", list(STATES.items()), unset="Todas"),
        Filter("tipo", "Contratação", list(TYPES.items()), unset="Todas"),
    ]
    listing = Listing(visit, ("vaga antiga", "vagas antigas"), filters)
    query = {"status": listing.values.get("situacao"), "tipo_contratacao": listing.values.get("tipo")}
    found = await client.list_older_jobs(visit.api, query | {"page": listing.number, "pageSize": listing.size})
    listing.rows, listing.total = found.data, found.meta.total
    return visit.render("jobs/older_jobs.html", listing=listing, states=STATES, types=TYPES)


@pages.form("/nova", "Nova vaga antiga", actions=[MANAGE])
async def create_older_job(visit: Visit) -> Response[Any]:
    """Add an older job."""
    form = await _make_form(visit, None, "")
    if form.is_sent and await form.submit(
        lambda: client.create_older_job(visit.api, form.make_body(None, None), form.key)
    ):
        return await visit.redirect(
            visit.address("jobs.list_older_jobs"), f"A vaga “{form.result.titulo}” foi cadastrada."
        )
    return visit.render("jobs/older_job.html", form=form, job=None, crumbs=[_crumb(visit)], status=form.status)


@pages.form("/{job}", "Vaga antiga", actions=[MANAGE])
async def edit_older_job(visit: Visit, job: str) -> Response[Any]:
    """Show and change an older job."""
    read = await client.read_older_job(visit.api, job)
    form = await _make_form(visit, read.value, read.etag)
    day = _to_day(visit, read.value)
    if form.is_sent and await form.submit(
        lambda: client.replace_older_job(visit.api, job, form.make_body(read.value, day), form.etag)
    ):
        return await visit.redirect(visit.address("jobs.list_older_jobs"), "As mudanças foram gravadas.")
    if form.is_outdated:
        form.etag = read.etag
        form.refusal = "Outra pessoa mudou esta vaga antes. O que você escreveu está nos campos: confira e grave."
    return visit.render("jobs/older_job.html", form=form, job=read.value, crumbs=[_crumb(visit)], status=form.status)


@pages.form("/{job}/excluir", "Excluir a vaga antiga", actions=[MANAGE])
async def delete_older_job(visit: Visit, job: str) -> Response[Any]:
    """Ask for confirmation, and delete an older job."""
    read = await client.read_older_job(visit.api, job)
    form = ReasonForm(visit, etag=read.etag)
    if form.is_sent:
        with suppress(NotFound):  # another person has deleted the job
            await client.delete_older_job(visit.api, job, form.etag)
        return await visit.redirect(visit.address("jobs.list_older_jobs"), f"“{read.value.titulo}” foi excluída.")
    crumbs = [_crumb(visit), Crumb(read.value.titulo, visit.address("jobs.edit_older_job", job=job))]
    return visit.render("jobs/older_delete.html", form=form, job=read.value, crumbs=crumbs, status=form.status)


async def _make_form(visit: Visit, job: OlderJob | None, etag: str) -> OlderJobForm:
    levels = await reference.list_values(visit, "escolaridades")
    values: Mapping[str, Any] = {}
    if job is not None:
        values = {name: getattr(job, name) for name in FIELDS} | {
            "situacao": job.status,
            "escolaridade_id": str(job.escolaridade_id or ""),
            "jornada_trabalho": job.jornada_trabalho or "",
            "turno": job.turno or "",
            "data_limite_candidatura": _to_day(visit, job),
        }
    form = OlderJobForm(visit, values, etag=etag)
    form.escolaridade_id.choices = list_choices(
        [("", "não informada"), *((str(each.ordem), each.descricao) for each in levels)]
    )
    return form


def _to_day(visit: Visit, job: OlderJob) -> date | None:
    limit = job.data_limite_candidatura
    return None if limit is None else limit.astimezone(visit.panel.words.zone).date()


def _crumb(visit: Visit) -> Crumb:
    return Crumb("Vagas antigas", visit.address("jobs.list_older_jobs"))
