"""Pages for the ten reference tables, which contain the values for jobs and resumes."""

from typing import Any

from wtforms import IntegerField, StringField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.jobs import companies_client as client
from balcao.panel.jobs import reference
from balcao.panel.jobs.reference import TABLES, TABLES_BY_KEY, Table
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, gather_blocks
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, needed
from balcao.web.visit import Crumb

MANAGE = "job_reference:manage"

pages = Pages("jobs", "/vagas/listas")


class ValueForm(Form):
    """The form for a value. In a ranked table, a value also has a position."""

    descricao = StringField("Texto", validators=[needed("Escreva o texto."), length(1, 255)])
    ordem = IntegerField("Posição na lista", description="Do menor ao maior.", validators=[Optional()])

    def make_body(self, table: Table) -> dict[str, Any]:
        """Return the request body. If no position is typed, the stored position stays unchanged."""
        order = {"ordem": self.ordem.data} if table.ranked and self.ordem.data is not None else {}
        return {"descricao": self.descricao.data, **order}


@pages.get("", "Listas de valores", actions=[MANAGE], in_menu=True)
async def list_tables(visit: Visit) -> Response[Any]:
    """List the tables."""
    found = await gather_blocks(*(reference.list_values(visit, table.key) for table in TABLES))
    return visit.render("jobs/tables.html", tables=list(zip(TABLES, found, strict=True)))


@pages.form("/{table}", "Lista", actions=[MANAGE])
async def show_table(visit: Visit, table: str) -> Response[Any]:
    """Show a table's values, and add a value."""
    one = _find(table)
    form = ValueForm(visit)
    if form.is_sent and await form.submit(lambda: client.create_value(visit.api, table, form.make_body(one), form.key)):
        reference.forget(visit, table)
        return await visit.redirect(
            visit.address("jobs.show_table", table=table), f"O valor “{form.result.descricao}” foi incluído."
        )
    # Bypass the cache, because another process may have changed the values since they were cached here.
    reference.forget(visit, table)
    values = await reference.list_values(visit, table)
    return visit.render(
        "jobs/table.html", form=form, table=one, values=values, crumbs=[_tables_crumb(visit)], status=form.status
    )


@pages.form("/{table}/{value}", "Valor", actions=[MANAGE])
async def edit_value(visit: Visit, table: str, value: str) -> Response[Any]:
    """Change a value."""
    one = _find(table)
    read = await client.read_value(visit.api, table, value)
    form = ValueForm(visit, {"descricao": read.value.descricao, "ordem": read.value.ordem}, etag=read.etag)
    if form.is_sent and await form.submit(
        lambda: client.replace_value(visit.api, table, value, form.make_body(one), form.etag)
    ):
        reference.forget(visit, table)
        return await visit.redirect(visit.address("jobs.show_table", table=table), "A mudança foi gravada.")
    if form.is_outdated:
        form.etag = read.etag
        form.refusal = (
            f"Outra pessoa mudou este valor: agora é “{read.value.descricao}”. Grave de novo, se ainda quiser."
        )
    crumbs = [_tables_crumb(visit), Crumb(one.label, visit.address("jobs.show_table", table=table))]
    return visit.render("jobs/value.html", form=form, table=one, value=read.value, crumbs=crumbs, status=form.status)


@pages.post("/{table}/{value}/excluir", "Excluir o valor", actions=[MANAGE])
async def delete_value(visit: Visit, table: str, value: str) -> Response[Any]:
    """Delete a value that no job or resume uses."""
    one = _find(table)
    back = visit.address("jobs.show_table", table=one.key)
    try:
        await client.delete_value(visit.api, table, value, visit.posted.first("_etag"))
    except Conflict:
        return await visit.redirect(back, "Nada foi excluído: há vagas ou currículos com este valor.", is_done=False)
    reference.forget(visit, table)
    return await visit.redirect(back, "O valor foi excluído.")


def _find(table: str) -> Table:
    found = TABLES_BY_KEY.get(table)
    if found is None:
        raise make_not_found()
    return found


def _tables_crumb(visit: Visit) -> Crumb:
    return Crumb("Listas de valores", visit.address("jobs.list_tables"))
