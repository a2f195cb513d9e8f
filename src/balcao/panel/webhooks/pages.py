"""Pages for the webhooks of one service: its receivers, the deliveries to each receiver, and redelivery.

An area passes its own settings and declares the pages:

    WEBHOOKS = WebhookPages(area="agents", action=WEBHOOK_MANAGE, operations=CLIENT, ...)
    WEBHOOKS.declare(pages)
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Item, Pages
from balcao.panel.visit import Visit
from balcao.panel.webhooks.client import WebhookClient
from balcao.panel.webhooks.forms import WebhookForm, to_fields
from balcao.panel.webhooks.labels import describe_failure
from balcao.panel.webhooks.model import Webhook
from balcao.web.faults import PageFault
from balcao.web.forms import Form
from balcao.web.lists import Listing, Tab
from balcao.web.visit import Crumb

_TITLE = "Avisos a sistemas"
_TABS = (Tab("todas", "Todas"), Tab("falhas", "Não entregues"))


def allow(_: Visit) -> None:
    """Do nothing. This is the default for `require_reach`, for areas in which having the action is sufficient."""


@dataclass(frozen=True)
class WebhookPages:
    """The pages for the webhooks of one service.

    - `purpose` explains what the webhooks are for.
    - `topics` is the label for the topics about which a receiver is notified. `everything` is shown for all topics.
    - `kinds` maps message types to words.
    - `name_topics` returns a function that names topics.
    - `require_reach` raises PageFault for people who may see receivers but not change them.
    """

    area: str
    action: str
    operations: WebhookClient
    form: type[WebhookForm]
    purpose: str
    topics: str
    everything: str
    kinds: Mapping[str, str]
    name_topics: Callable[[Visit], Awaitable[Callable[[str], str]]]
    require_reach: Callable[[Visit], None] = allow

    def declare(self, pages: Pages) -> None:
        """Add these pages to the area's other pages."""
        actions = [self.action]
        pages.get("/avisos", _TITLE, actions=actions, in_menu=True)(self.list_webhooks)
        pages.form("/avisos/novo", "Cadastrar aviso", actions=actions)(self.add_webhook)
        pages.get("/avisos/{id}", "Aviso", actions=actions)(self.show_webhook)
        pages.form("/avisos/{id}/mudar", "Mudar o aviso", actions=actions)(self.edit_webhook)
        pages.form("/avisos/{id}/segredo", "Trocar o segredo", actions=actions)(self.renew_secret)
        pages.form("/avisos/{id}/apagar", "Apagar o aviso", actions=actions)(self.delete_webhook)
        pages.post("/avisos/{id}/teste", "Enviar um teste", actions=actions)(self.send_test)
        pages.post("/avisos/{id}/entregas/{message}/reenviar", "Reenviar", actions=actions)(self.replay_delivery)

    async def list_webhooks(self, visit: Visit) -> Response[Any]:
        """List the receivers, each with the result of the most recent message to it."""
        return self._render(visit, "list", webhooks=await self.operations.list_webhooks(visit.api))

    async def add_webhook(self, visit: Visit) -> Response[Any]:
        """Add a receiver. Its secret is shown once, on the response page."""
        self.require_reach(visit)
        form = self.form(visit)
        if form.is_sent and await form.submit(lambda: self.operations.add_webhook(visit.api, form.body, form.key)):
            return self._render_secret(visit, form, form.url.data or "", status=201)
        back = self._address(visit, "list_webhooks")
        return self._render(visit, "form", form=form, back=back, crumbs=self._crumbs(visit), status=form.status)

    async def show_webhook(self, visit: Visit, id: str) -> Response[Any]:
        """Show a receiver and its deliveries, newest first."""
        webhook = await self.operations.read_webhook(visit.api, id)
        listing = Listing(visit, ("mensagem", "mensagens"), tabs=_TABS)
        listing.rows, listing.total = await self.operations.list_deliveries(
            visit.api, id, failed=listing.tab == "falhas", page=listing.number, size=listing.size
        )
        return self._render(
            visit,
            "show",
            webhook=webhook,
            listing=listing,
            name_topic=await self.name_topics(visit),
            crumbs=self._crumbs(visit),
        )

    async def edit_webhook(self, visit: Visit, id: str) -> Response[Any]:
        """Change a receiver's address and topics."""
        self.require_reach(visit)
        webhook = await self.operations.read_webhook(visit.api, id)
        form = self.form(visit, to_fields(webhook))
        back = self._address(visit, "show_webhook", id=id)
        if form.is_sent and await form.submit(lambda: self.operations.replace_webhook(visit.api, id, form.body)):
            return await visit.redirect(back, "Aviso gravado.")
        crumbs = self._crumbs(visit, webhook)
        return self._render(visit, "form", form=form, back=back, crumbs=crumbs, status=form.status)

    async def renew_secret(self, visit: Visit, id: str) -> Response[Any]:
        """Create a new secret and show it once. The confirmation page states how long the old secret stays valid."""
        self.require_reach(visit)
        webhook = await self.operations.read_webhook(visit.api, id)
        form = Form(visit)
        if form.is_sent and await form.submit(lambda: self.operations.renew_secret(visit.api, id, form.key)):
            return self._render_secret(visit, form, webhook.url, webhook)
        return self._render(
            visit, "renew", form=form, webhook=webhook, crumbs=self._crumbs(visit, webhook), status=form.status
        )

    async def delete_webhook(self, visit: Visit, id: str) -> Response[Any]:
        """Delete a receiver. First show the effects and ask for confirmation."""
        self.require_reach(visit)
        webhook = await self.operations.read_webhook(visit.api, id)
        if visit.is_post:
            await self.operations.delete_webhook(visit.api, id)
            return await visit.redirect(self._address(visit, "list_webhooks"), "Aviso apagado.")
        return self._render(visit, "delete", webhook=webhook, crumbs=self._crumbs(visit, webhook))

    async def send_test(self, visit: Visit, id: str) -> Response[Any]:
        """Send a test message."""
        await self.operations.send_test(visit.api, id)
        return await visit.redirect(
            self._address(visit, "show_webhook", id=id), "O teste está na fila: recarregue para ver como foi."
        )

    async def replay_delivery(self, visit: Visit, id: str, message: str) -> Response[Any]:
        """Send a message again."""
        await self.operations.replay_delivery(visit.api, id, message)
        return await visit.redirect(
            self._address(visit, "show_webhook", id=id),
            "A mensagem está na fila de novo: recarregue para ver como foi.",
        )

    async def find_failing(self, visit: Visit) -> Sequence[Item]:
        """Return one item for each active receiver that did not accept the most recent message."""
        return [
            Item(
                title=each.name,
                href=self._address(visit, "show_webhook", id=each.id),
                text=f"não recebe os avisos: {describe_failure(each.last_error)}",
                detail=_TITLE,
                urgency="warning",
                action_label="Ver as entregas",
            )
            for each in await self.operations.list_webhooks(visit.api)
            if each.is_active and each.last_error is not None
        ]

    def _may_change(self, visit: Visit) -> bool:
        try:
            self.require_reach(visit)
        except PageFault:
            return False
        return True

    def _render(self, visit: Visit, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Render a page of this module.

        The template builds links to the other pages with `address(name, ...)`. It can use this object as `own`.
        """

        def address(name: str, **parts: str) -> str:
            return self._address(visit, name, **parts)

        return visit.render(
            f"webhooks/{template}.html",
            status=status,
            own=self,
            address=address,
            may_change=self._may_change(visit),
            describe_failure=describe_failure,
            **values,
        )

    def _render_secret(
        self, visit: Visit, form: Form, url: str, webhook: Webhook | None = None, *, status: int = 200
    ) -> Response[Any]:
        return self._render(
            visit, "secret", made=form.result, url=url, crumbs=self._crumbs(visit, webhook), status=status
        )

    def _address(self, visit: Visit, name: str, **values: str) -> str:
        return visit.panel.find_page(f"{self.area}.{name}").address(**values)

    def _crumbs(self, visit: Visit, webhook: Webhook | None = None) -> list[Crumb]:
        """Return the breadcrumbs: the list of receivers, then the receiver `webhook` if it is given."""
        crumbs = [Crumb(_TITLE, self._address(visit, "list_webhooks"))]
        if webhook is not None:
            crumbs.append(Crumb(webhook.name, self._address(visit, "show_webhook", id=webhook.id)))
        return crumbs
