"""The CRM client, which looks up, creates and changes accounts, and runs other queries and writes."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from balcao.core.errors import Unavailable
from balcao.core.telemetry import counter
from balcao.core.tracing import make_http_client
from balcao.core.values.cpf import Cpf
from balcao.crm.circuit import Circuit
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.crm.fields import FieldMap, Record
from balcao.crm.objects import ACCOUNT, CONSENT
from balcao.crm.queries import Query
from balcao.crm.transport import CONNECT_SECONDS, READ_SECONDS, CrmResponse, Transport
from balcao.settings import Settings

TIMEOUT = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_duplicates = counter("balcao_crm_duplicate_account", "Look-ups that found more than one account of a person")


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account in the CRM.

    `cidadao` contains the CRM's values under the keys that the specification defines for the login sync.
    """

    id: str
    cidadao: Mapping[str, Any] = field(repr=False)


class Upserted(StrEnum):
    """The result of an upsert.

    EXISTED means that the person already has at least one account, which another process may have just created. The
    caller must then look it up.
    """

    CREATED = "created"
    EXISTED = "existed"


class CrmClient:
    """The CRM client of one process, with one token and one circuit breaker.

    Every method that calls the CRM raises Unavailable if no CRM is configured, and CrmRefused if the CRM rejects the
    call. It raises CrmAway if there is no usable response within the deadline, or if the circuit is open.
    """

    def __init__(self, transport: Transport | None, version: str, fields: FieldMap) -> None:
        self._transport = transport
        self._data = f"/services/data/{version}"
        self.fields = fields
        self.circuit = Circuit()

    async def look_up(self, cpf: Cpf, deadline: Deadline) -> Account | None:
        """Return the person's account with its consents, or None if there is no account.

        If there are several accounts, return the oldest and count the duplicate in a metric.
        """
        with self.circuit.guard():
            accounts, consents = await self._select(deadline, self.query_accounts(cpf), self.query_consents(cpf))
            return self.build_account(accounts, consents)

    def build_account(self, accounts: Sequence[Record], consents: Sequence[Record]) -> Account | None:
        """Build an account from one person's records. Return None if `accounts` is empty.

        Raises CrmAway if the account has no valid id.
        """
        if len(accounts) > 1:
            _duplicates.inc()
        if not accounts:
            return None
        cidadao = self.fields.to_cidadao(accounts[0], consents)
        if not _ID.fullmatch(cidadao.get("accountId", "")):
            raise CrmAway()
        return Account(cidadao["accountId"], cidadao)

    async def find(self, cpf: Cpf, deadline: Deadline) -> str | None:
        """Return the id of the person's account, or None. If there are several, return the id of the oldest."""
        field = self.fields.account["accountId"]
        with self.circuit.guard():
            (accounts,) = await self._select(deadline, self.query_accounts(cpf, [field]))
            found = accounts[0].get(field) if accounts else None
            if accounts and not (isinstance(found, str) and _ID.fullmatch(found)):
                raise CrmAway()
            return found

    async def update(self, account_id: str, dados: Mapping[str, Any], deadline: Deadline) -> None:
        """Update an account. Only the fields for the given keys of `dados` are written."""
        await self.write("PATCH", (ACCOUNT, account_id), self.fields.to_crm(dados), deadline)

    async def upsert(self, cpf: Cpf, dados: Mapping[str, Any], deadline: Deadline) -> Upserted:
        """Create the person's account or update the existing one. Concurrent calls create only one account."""
        path = (ACCOUNT, self.fields.account["cpf"], cpf.digits)
        try:
            response = await self.write("PATCH", path, self.fields.to_crm(dados), deadline)
        except CrmRefused as refusal:
            if refusal.error_code != "DUPLICATE_VALUE":
                raise
            return Upserted.EXISTED
        return Upserted.CREATED if response.status == 201 else Upserted.EXISTED

    def query_accounts(self, cpf: Cpf, selected: Sequence[str] = ()) -> Query:
        """Return the query for a person's accounts, oldest first."""
        fields, whose = selected or self.fields.account_fields, self.fields.account["cpf"]
        rest = "ORDER BY CreatedDate ASC LIMIT 2"
        return Query.of_people(ACCOUNT, whose, [cpf], fields, also="IsPersonAccount = true", rest=rest)

    def query_consents(self, cpf: Cpf) -> Query:
        """Return the query for a person's consents."""
        fields = self.fields.consent_fields
        return Query.of_people(CONSENT, "CPF__c", [cpf], fields, rest="ORDER BY Chave__c")

    async def select(self, deadline: Deadline, *queries: Query) -> list[list[Record]]:
        """Run the queries concurrently and return their records in the order of the queries.

        A query that has an `owner` returns only records of the people it names.
        """
        with self.circuit.guard():
            return await self._select(deadline, *queries)

    async def _select(self, deadline: Deadline, *queries: Query) -> list[list[Record]]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._query(query, deadline)) for query in queries]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def write(self, method: str, path: Sequence[str], fields: Record, deadline: Deadline) -> CrmResponse:
        """Create or change a record in the CRM.

        `path` contains the object's name and, except for a POST, the record's id or a key field and its value.
        """
        words = "/".join(quote(word, safe="") for word in path)
        with self.circuit.guard():
            return await self._call(method, f"{self._data}/sobjects/{words}", deadline, json=fields)

    async def _query(self, query: Query, deadline: Deadline) -> list[Record]:
        response = await self._call("GET", f"{self._data}/query", deadline, params={"q": query.text})
        return query.read(response.json)

    async def _call(self, method: str, path: str, deadline: Deadline, **content: Any) -> CrmResponse:
        if self._transport is None:
            raise Unavailable("A integração com o CRM não está configurada.", code="crm-not-configured")
        return await self._transport.call(method, path, deadline, **content)


@asynccontextmanager
async def open_crm_client(settings: Settings, limits: httpx.Timeout = TIMEOUT) -> AsyncIterator[CrmClient]:
    """Open the client of one process. Raises SettingsError if the field map is not valid."""
    fields = FieldMap.load(Path(settings.crm_field_map) if settings.crm_field_map else None)
    async with make_http_client(settings.traces_url, timeout=limits, follow_redirects=False) as http:
        transport = (
            Transport(
                http,
                settings.crm_url,
                settings.crm_client_id,
                settings.crm_client_secret.get_secret_value(),
                settings.crm_instance_hosts,
            )
            if settings.crm_configured
            else None
        )
        yield CrmClient(transport, settings.crm_api_version, fields)
