"""Pages that explain decisions: whether a person may do something, and the chain of reasons."""

from typing import Any

from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the type stubs

from balcao.core.http.responses import Response
from balcao.panel.access import catalogue_client, client, labels
from balcao.panel.access.forms import ExplainForm, clean_cpf
from balcao.panel.access.rights import ACTION_READ, EXPLAIN
from balcao.panel.declaration import Pages
from balcao.panel.rights import SHIPPED
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import list_choices

pages = Pages("access", "/acessos/explicar")


@pages.form("", "Por que posso?", in_menu=True, for_staff=True)
async def explain_decision(visit: Visit) -> Response[Any]:
    """Show whether a person may do something, and why.

    People without the right to ask about others can ask only about themselves. The CPF is sent in the form and never
    appears in an address.
    """
    form = ExplainForm(visit, {"method": "GET"})
    form.wanted.choices = _list_choices(visit)
    if not visit.may(EXPLAIN):
        del form.cpf
    explained, roles = None, []
    if form.is_sent:
        subject = clean_cpf(form.cpf.data) if "cpf" in form else ""
        if await form.submit(lambda: catalogue_client.explain(visit.api, form.asked, subject or None)):
            explained = form.result
            roles = await _list_granting_roles(visit, explained)
    return visit.render(
        "access/explain.html", form=form, explained=explained, roles=roles, labels=labels, status=form.status
    )


def _list_choices(visit: Visit) -> list[SelectChoice]:
    """Return the rights as choices, grouped by service.

    Include rights that the city created only if the person has them.
    """
    held = visit.rights.actions
    shipped = [
        SelectChoice(key, held[key].description if key in held else text, optgroup=labels.SERVICES[service])
        for service in sorted(labels.SERVICES, key=labels.SERVICES.__getitem__)
        for key, text in SHIPPED.get(service, {}).items()
    ]
    own = [
        SelectChoice(one.action, one.description, optgroup="Outras aplicações da cidade")
        for one in held.values()
        if one.action.startswith("#")
    ]
    return [*list_choices([], is_asked=True), *shipped, *own]


async def _list_granting_roles(visit: Visit, explained: catalogue_client.Explanation) -> list[str]:
    """Return the roles that grant the missing action.

    Return [] if the action is allowed, or if the person may not see the roles.
    """
    if explained.action is None or explained.decision == "allow" or not visit.may(EXPLAIN, ACTION_READ):
        return []
    (holders,) = await gather_blocks(client.list_holders(visit.api, str(explained.action.id), limit=1))
    return holders.value.roles if holders.value is not None else []
