"""Pages for the companies that advertise jobs. Each company is registered with its CNPJ."""

from typing import Any

from wtforms import StringField, TextAreaField

from balcao.core.http.responses import Response
from balcao.core.values.pasted import compact_pasted
from balcao.panel.declaration import Pages
from balcao.panel.jobs import companies_client as client
from balcao.panel.jobs.forms import ReasonForm
from balcao.panel.jobs.labels import format_cnpj, is_cnpj
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, NotFound, ServiceUnavailable, ValidationFailed
from balcao.web.forms import CodeField, Form, length, needed
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

CREATE, EDIT, DELETE, LOOK_UP = "employer:create", "employer:update", "employer:delete", "employer:lookup"
LONG_TEXT = 5_000
FIELDS = ("razao_social", "nome_fantasia", "setor", "porte", "website", "url_logo", "descricao")

pages = Pages("jobs", "/empresas")


class CompanyForm(Form):
    """The form for a company. The CNPJ can be entered only for a new company."""

    cnpj = CodeField("CNPJ", description="Com ou sem pontos.", validators=[needed(), length(1, 20)])
    razao_social = StringField("Razão social", validators=[needed(), length(1, 500)])
    nome_fantasia = StringField("Nome fantasia", validators=[length(0, 500)])
    setor = StringField("Setor", validators=[length(0, 500)])
    porte = StringField("Porte", validators=[length(0, 100)])
    website = StringField("Página", description="Endereço inteiro, com https://.", validators=[length(0, 1000)])
    url_logo = StringField("Endereço do logotipo", validators=[length(0, 1000)])
    descricao = TextAreaField("Descrição", validators=[length(0, LONG_TEXT)])

    def make_body(self) -> dict[str, Any]:
        """Return the request body. Empty strings become null."""
        return {name: self[name].data or None for name in FIELDS}


@pages.get("", "Empresas", actions=[CREATE, EDIT], in_menu=True)
async def list_companies(visit: Visit) -> Response[Any]:
    """List companies by name."""
    listing = Listing(visit, ("empresa", "empresas"), [Filter("busca", "Nome ou CNPJ", is_wide=True)])
    asked = listing.values.get("busca")
    cnpj = compact_pasted(asked or "") if is_cnpj(asked or "") else None
    found = await client.list_companies(
        visit.api,
        search=None if cnpj else asked,
        cnpj=cnpj,
        page=listing.number,
        size=listing.size,
    )
    listing.rows, listing.total = found.data, found.meta.total
    return visit.render("jobs/companies.html", listing=listing, format_cnpj=format_cnpj)


@pages.form("/nova", "Cadastrar uma empresa", actions=[CREATE])
async def create_company(visit: Visit) -> Response[Any]:
    """Register a company.

    If the person may look up the CNPJ, fill in the form from the city's registry.
    """
    asked = compact_pasted(visit.query.first("cnpj"))
    values, notice, existing = {"cnpj": asked}, "", ""
    if asked and not visit.is_post and visit.may(LOOK_UP):
        values, notice = await _look_up(visit, asked)
    form = CompanyForm(visit, values)
    if form.is_sent and form.validate():
        try:
            made = await client.create_company(visit.api, form.make_body() | {"cnpj": form.cnpj.data}, form.key)
            address = visit.address("jobs.edit_company", cnpj=made.cnpj)
            return await visit.redirect(address, f"A empresa {made.label} está cadastrada.")
        except Conflict as fault:
            if fault.code != "employer-exists":
                form.take(fault)
            else:
                form.cnpj.errors = [*form.cnpj.errors, "Esta empresa já está cadastrada."]
                existing = visit.address("jobs.edit_company", cnpj=_strip(form.cnpj.data or ""))
        except ValidationFailed as fault:
            form.take(fault)
    return visit.render(
        "jobs/company_new.html", form=form, asked=asked, notice=notice, existing=existing,
        crumbs=[_companies_crumb(visit)], status=form.status,
    )  # fmt: skip


async def _look_up(visit: Visit, cnpj: str) -> tuple[dict[str, Any], str]:
    """Return the values to fill in, and a notice that names their source or explains why there are none."""
    try:
        found = await client.look_up_company(visit.api, _strip(cnpj))
    except NotFound:
        return {"cnpj": cnpj}, "O cadastro da cidade não conhece este CNPJ: preencha o que a empresa informou."
    except ValidationFailed:
        return {"cnpj": cnpj}, "Este CNPJ não é válido: confira os números."
    except ServiceUnavailable:
        return {"cnpj": cnpj}, "O cadastro da cidade não respondeu: preencha o que a empresa informou."
    notice = f"Preenchido com o cadastro da cidade: situação {(found.situacao_cadastral or 'não informada').lower()}."
    values = {"razao_social": found.razao_social, "nome_fantasia": found.nome_fantasia, "porte": found.porte}
    return {"cnpj": format_cnpj(found.cnpj), **values}, notice


@pages.form("/{cnpj}", "Empresa", actions=[EDIT])
async def edit_company(visit: Visit, cnpj: str) -> Response[Any]:
    """Show and change a company."""
    read = await client.read_company(visit.api, cnpj)
    values = {name: getattr(read.value, name) for name in FIELDS} | {"cnpj": cnpj}
    form = CompanyForm(visit, values, etag=read.etag)
    form.cnpj.validators = ()
    if form.is_sent and await form.submit(lambda: client.replace_company(visit.api, cnpj, form.make_body(), form.etag)):
        return await visit.redirect(visit.address("jobs.list_companies"), f"{form.result.label}: mudanças gravadas.")
    if form.is_outdated:
        form.etag = read.etag
        form.refusal = "Outra pessoa mudou esta empresa antes. O que você escreveu está nos campos: confira e grave."
    return visit.render(
        "jobs/company.html",
        form=form,
        company=read.value,
        format_cnpj=format_cnpj,
        crumbs=[_companies_crumb(visit)],
        status=form.status,
    )


@pages.form("/{cnpj}/excluir", "Excluir a empresa", actions=[DELETE])
async def delete_company(visit: Visit, cnpj: str) -> Response[Any]:
    """Ask for confirmation, and delete a company. The service refuses if the company has or had jobs."""
    read = await client.read_company(visit.api, cnpj)
    form = ReasonForm(visit, etag=read.etag)
    if form.is_sent:
        try:
            await client.delete_company(visit.api, cnpj, form.etag)
            return await visit.redirect(visit.address("jobs.list_companies"), f"{read.value.label} foi excluída.")
        except Conflict:
            form.refusal = "Esta empresa tem ou já teve vagas. Ela fica no cadastro para preservar o histórico."
    return visit.render(
        "jobs/company_delete.html",
        form=form,
        company=read.value,
        crumbs=[_companies_crumb(visit), Crumb(read.value.label, visit.address("jobs.edit_company", cnpj=cnpj))],
        status=form.status,
    )


def _companies_crumb(visit: Visit) -> Crumb:
    return Crumb("Empresas", visit.address("jobs.list_companies"))


def _strip(cnpj: str) -> str:
    return "".join(sign for sign in cnpj.upper() if sign.isalnum())
