"""The sandbox CRM's calls to the registry's webhook: echoes of written data, and events that a user requests."""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec

from balcao.core.client_credentials import ClientCredentials
from balcao.core.logs import log
from balcao.crm.fields import FieldMap
from balcao.settings import Settings
from balcao_sandbox.crm.objects import ACCOUNT, CONSENT, Entity
from balcao_sandbox.crm.records import Record

CLIENT_ID = "crm-sandbox"
WAITING_ECHOES = 10_000


class Batch(msgspec.Struct, forbid_unknown_fields=True):
    """A batch of events.

    Each event is sent once plus `duplicates` more times. `shuffle` is the seed for a random order. `delay_ms` is the
    pause after each event.
    """

    events: list[dict[str, Any]]
    duplicates: int = 0
    shuffle: int | None = None
    delay_ms: int = 0

    def order_events(self) -> list[dict[str, Any]]:
        """Return the events, including duplicates, in the order in which they are sent."""
        sent = [event for event in self.events for _ in range(1 + self.duplicates)]
        if self.shuffle is not None:
            random.Random(self.shuffle).shuffle(sent)  # noqa: S311 - a run must repeat
        return sent


class Webhooks:
    """Sends events to the registry.

    Echoes are queued and sent one at a time, so that the CRM's responses never wait for them.
    """

    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        self._http = http
        self._url = f"{settings.registry_url}/webhooks/crm/cidadao" if settings.registry_url else ""
        self._token_url = f"{settings.issuers[0].rstrip('/')}/protocol/openid-connect/token"
        secret = settings.crm_sandbox_client_secret.get_secret_value()
        self._credentials = ClientCredentials(self._request_token, CLIENT_ID, secret)
        self._echoes: asyncio.Queue[dict[str, Any]] = asyncio.Queue(WAITING_ECHOES)
        self._echoing = bool(self._url)
        self._fields = FieldMap.load()

    def echo(self, entity: Entity, record: Record, written: Mapping[str, Any], account: Record) -> None:
        """Queue an `atualizacao` event for the account's citizen with the written fields."""
        dados = self._to_dados(entity, record, written)
        if self._echoing and account["CPF__c"] and dados:
            self._enqueue({"evento": "atualizacao", "cpf": account["CPF__c"], "dados": dados}, record)

    def report_anonymisation(self, record: Record, account: Record) -> None:
        """Queue an `anonimizacao` event for the citizen whose account was emptied."""
        if self._echoing:
            self._enqueue({"evento": "anonimizacao", "cpf": account["CPF__c"]}, record)

    async def send_echoes(self) -> None:
        """Send queued echoes until this task is cancelled."""
        while True:
            event = await self._echoes.get()
            status = await self.send(event)
            if status != 202:
                log.warning("crm_sandbox.echo_not_accepted", status=status)

    async def send_batch(self, batch: Batch) -> dict[str, int]:
        """Send a batch. Return the number of calls for each status. Calls without a response count as status 0."""
        statuses: Counter[str] = Counter()
        for event in batch.order_events():
            statuses[str(await self.send(event))] += 1
            await asyncio.sleep(batch.delay_ms / 1_000)
        return dict(statuses)

    async def send(self, event: Mapping[str, Any]) -> int:
        """Send one event. Return the response status, or 0 if there was no response."""
        try:
            token = await self._credentials.get()
            headers = {"Authorization": f"Bearer {token.value}"}
            response = await self._http.post(self._url, json=event, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            return 0
        if response.status_code == 401:
            self._credentials.discard(token)
        return response.status_code

    async def _request_token(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        response = await self._http.post(self._token_url, data=form)
        response.raise_for_status()
        given = response.json()
        if not isinstance(given, dict):
            raise ValueError("not a token")
        return given

    def _enqueue(self, event: dict[str, Any], record: Record) -> None:
        try:
            self._echoes.put_nowait({**event, "updatedAt": record["LastModifiedDate"]})
        except asyncio.QueueFull:
            log.warning("crm_sandbox.echo_dropped")

    def _to_dados(self, entity: Entity, record: Record, written: Mapping[str, Any]) -> dict[str, Any]:
        if entity is CONSENT:
            members = self._fields.consent.items()
            return {"consentimento": [{key: record[field] for key, field in members if record[field] is not None}]}
        return self._fields.from_crm(written) if entity is ACCOUNT else {}
