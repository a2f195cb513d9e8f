"""Export the catalogue as a document, compare a document with the catalogue, and apply the document's changes."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import catalogue_client, labels
from balcao.panel.access.forms import DocumentForm
from balcao.panel.access.rights import CATALOGUE_APPLY, CATALOGUE_READ
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, NotFound
from balcao.web.declaration import MIB

pages = Pages("access", "/acessos/documento")
# A document has at most 1 MiB. The limit is greater, because percent-encoding triples the size of some characters.
_BODY_LIMIT = 4 * MIB


@pages.get("/catalogo.yaml", "Exportar o catálogo", actions=[CATALOGUE_READ])
async def download_document(visit: Visit) -> Response[Any]:
    """Return the current catalogue as a document."""
    document = await catalogue_client.download_document(visit.api)
    headers = {"Content-Disposition": 'attachment; filename="catalogo-de-acessos.yaml"', "Cache-Control": "no-store"}
    return Response(document.content, headers=headers, media_type="application/yaml")


@pages.form("", "Documento", actions=[CATALOGUE_READ], in_menu=True, body_limit=_BODY_LIMIT)
async def plan_document(visit: Visit) -> Response[Any]:
    """Show the changes that a document would make to the catalogue, without making them."""
    form = DocumentForm(visit)
    plan = None
    if form.is_sent and await form.submit(lambda: _plan(visit, form)):
        plan = form.result
    return _show(visit, form, plan)


@pages.post("/aplicar", "Aplicar o documento", actions=[CATALOGUE_APPLY], body_limit=_BODY_LIMIT)
async def apply_plan(visit: Visit) -> Response[Any]:
    """Apply a plan that the person has seen.

    If the catalogue has changed since then or the plan has expired, show a new plan for the same document.
    """
    form = DocumentForm(visit)
    try:
        applied = await catalogue_client.apply_plan(visit.api, visit.posted.first("plano"))
    except (Conflict, NotFound) as fault:
        planned = await form.submit(lambda: _plan(visit, form))
        return _show(visit, form, form.result if planned else None, refused=fault)
    text = f"O documento foi aplicado: o catálogo está na versão {applied.version}."
    return await visit.redirect(visit.address("access.plan_document"), text)


async def _plan(visit: Visit, form: DocumentForm) -> catalogue_client.Plan:
    return await catalogue_client.plan_document(visit.api, form.document.data or "", prune=bool(form.prune.data))


def _show(
    visit: Visit, form: DocumentForm, plan: catalogue_client.Plan | None, refused: Conflict | NotFound | None = None
) -> Response[Any]:
    return visit.render(
        "access/document.html",
        form=form,
        plan=plan,
        refused=refused,
        may_apply=visit.may(CATALOGUE_APPLY),
        labels=labels,
        status=409 if refused else form.status,
    )
