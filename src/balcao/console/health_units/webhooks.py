"""Systems that are told of changes, with what was sent to them, and systems that are read."""

import asyncio
from typing import Any

from balcao.console.api import ApiFault, gather_blocks
from balcao.console.declaration import Pages
from balcao.console.health_units import client, webhook_client
from balcao.console.health_units.declared import AREA, BASE, READ, WEBHOOKS, require_reach
from balcao.console.health_units.forms import WebhookForm
from balcao.console.health_units.labels import describe_failure
from balcao.console.lists import Listing, Tab
from balcao.console.visit import Crumb, Visit
from balcao.core.http.responses import Response

# A source is read every minute; beyond this it is silent.
SILENT_MINUTES = 5
_KINDS = {"risco": "mudança de risco", "unidade": "mudança de unidade", "teste": "teste"}

pages = Pages(AREA, BASE)


@pages.get("/fontes", "Fontes", actions=[READ], in_menu=True)
async def list_sources(visit: Visit) -> Response[Any]:
    """Show when each of the department's systems was last heard."""
    now = visit.panel.words.now()
    sources = [
        (source, None if source.ouvida_em is None else (now - source.ouvida_em).total_seconds())
        for source in await webhook_client.list_sources(visit.api)
    ]
    return visit.render(
        "health_units/sources.html",
        sources=sources,
        silent=SILENT_MINUTES * 60,
        read_at=now,
        describe_failure=describe_failure,
    )


@pages.get("/avisos", "Avisos a sistemas", actions=[WEBHOOKS], in_menu=True)
async def list_webhooks(visit: Visit) -> Response[Any]:
    """List who is told of changes."""
    found = await webhook_client.list_webhooks(visit.api)
    return visit.render(
        "health_units/webhooks.html",
        webhooks=found,
        may_edit=visit.rights.reach(WEBHOOKS, "area") is None,
        describe_failure=describe_failure,
    )


@pages.form("/avisos-novo", "Cadastrar aviso", actions=[WEBHOOKS])
async def add_webhook(visit: Visit) -> Response[Any]:
    """Enter a receiver; its secret is shown once, on the page that answers."""
    require_reach(visit, WEBHOOKS, None)
    form = WebhookForm(visit)
    if form.is_sent and await form.submit(lambda: webhook_client.add_webhook(visit.api, form.body, form.key)):
        return visit.render(
            "health_units/secret.html", made=form.result, url=form.url.data, crumbs=[_crumb(visit)], status=201
        )
    return _render_form(visit, form, visit.address("health_units.list_webhooks"))


@pages.get("/avisos/{id}", "Aviso", actions=[WEBHOOKS])
async def show_webhook(visit: Visit, id: str) -> Response[Any]:
    """Show a receiver and what was sent to it."""
    webhook = await webhook_client.read_webhook(visit.api, id)
    tabs = [Tab("todas", "Todas"), Tab("falhas", "Não entregues")]
    listing = Listing(visit, ("mensagem", "mensagens"), tabs=tabs)
    deliveries, (units,) = await asyncio.gather(
        webhook_client.list_deliveries(visit.api, id, failed=listing.tab == "falhas"),
        gather_blocks(client.map_units(visit.api)),
    )
    listing.rows, listing.total = deliveries, len(deliveries)
    listing.size = 200
    return visit.render(
        "health_units/webhook.html",
        webhook=webhook,
        listing=listing,
        names={unit.cnes: unit.nome for unit in units.value or ()},
        kinds=_KINDS,
        may_edit=visit.rights.reach(WEBHOOKS, "area") is None,
        describe_failure=describe_failure,
        crumbs=[_crumb(visit)],
    )


@pages.form("/avisos/{id}/mudar", "Mudar o aviso", actions=[WEBHOOKS])
async def edit_webhook(visit: Visit, id: str) -> Response[Any]:
    """Change where and of what a receiver is told."""
    require_reach(visit, WEBHOOKS, None)
    webhook = await webhook_client.read_webhook(visit.api, id)
    values = {
        "url": webhook.url,
        "descricao": webhook.descricao or "",
        "unidades": ", ".join(webhook.unidades),
        "ativo": webhook.ativo,
    }
    form = WebhookForm(visit, values)
    back = visit.address("health_units.show_webhook", id=id)
    if form.is_sent and await form.submit(lambda: webhook_client.replace_webhook(visit.api, id, form.body)):
        return await visit.redirect(back, "Aviso gravado.")
    return _render_form(visit, form, back)


@pages.post("/avisos/{id}/teste", "Enviar um teste", actions=[WEBHOOKS])
async def send_test(visit: Visit, id: str) -> Response[Any]:
    """Have a test sent."""
    await webhook_client.send_test(visit.api, id)
    return await visit.redirect(
        visit.address("health_units.show_webhook", id=id), "O teste está na fila: recarregue para ver como foi."
    )


@pages.post("/avisos/{id}/entregas/{mensagem}/reenviar", "Reenviar", actions=[WEBHOOKS])
async def replay_delivery(visit: Visit, id: str, mensagem: str) -> Response[Any]:
    """Have a message sent again."""
    back = visit.address("health_units.show_webhook", id=id)
    try:
        await webhook_client.replay_delivery(visit.api, id, mensagem)
    except ApiFault as fault:
        return await visit.redirect(back, fault.text)
    return await visit.redirect(back, "A mensagem está na fila de novo: recarregue para ver como foi.")


@pages.form("/avisos/{id}/apagar", "Apagar o aviso", actions=[WEBHOOKS])
async def delete_webhook(visit: Visit, id: str) -> Response[Any]:
    """Delete a receiver, after a page that says what that means."""
    require_reach(visit, WEBHOOKS, None)
    webhook = await webhook_client.read_webhook(visit.api, id)
    if visit.is_post:
        await webhook_client.delete_webhook(visit.api, id)
        return await visit.redirect(visit.address("health_units.list_webhooks"), "Aviso apagado.")
    return visit.render("health_units/webhook_delete.html", webhook=webhook, crumbs=[_crumb(visit)])


def _render_form(visit: Visit, form: WebhookForm, back: str) -> Response[Any]:
    crumbs = [_crumb(visit)]
    return visit.render("health_units/webhook_form.html", form=form, back=back, crumbs=crumbs, status=form.status)


def _crumb(visit: Visit) -> Crumb:
    return Crumb("Avisos a sistemas", visit.address("health_units.list_webhooks"))
