"""The sandbox CRM's state, and the part that all of its operations share: faults, tokens and the journal."""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from balcao.core.logs import log
from balcao_sandbox.crm.cases import Cases
from balcao_sandbox.crm.faults import ActiveFault, Faults, Mode, Operation, Reset
from balcao_sandbox.crm.journal import Entry, Journal
from balcao_sandbox.crm.objects import ACCOUNT, ANONYMISATION, CONSENT
from balcao_sandbox.crm.records import Record, Records
from balcao_sandbox.crm.refusals import Refused
from balcao_sandbox.crm.webhooks import Webhooks

TOKEN_SECONDS = 300.0
ANONYMISATION_SECONDS = 5.0


@dataclass(frozen=True)
class SandboxCall:
    """A call to the CRM: the operation, the person, the field names, and the authorization."""

    operation: Operation
    cpf: str | None
    fields: list[str]
    authorization: str | None
    request_id: str | None


@dataclass(frozen=True)
class Reply:
    """A response. `content` is an object that is sent as JSON, or bytes that are sent unchanged."""

    status: int
    content: Any = None
    headers: Mapping[str, str] | None = None


Act = Callable[[Mode | None], Reply]
"""Performs an operation and returns its reply. The argument is the mode of the fault that applies, or None."""


class Sandbox:
    def __init__(self, records: Records, webhooks: Webhooks, anonymisation_seconds: float, cases: Cases) -> None:
        self.records = records
        self.cases = cases
        self.webhooks = webhooks
        self.faults = Faults()
        self.journal = Journal()
        self._tokens: dict[str, float] = {}
        self._anonymisation_seconds = anonymisation_seconds
        self._waiting: set[asyncio.Task[None]] = set()

    async def perform(self, call: SandboxCall, act: Act) -> Reply:
        """Carry out a call and record it in the journal.

        Raises Reset if the connection must be closed without a response.
        """
        struck = self.faults.pick(call.operation, call.cpf)
        entry = self.journal.open(call.operation, call.cpf, call.fields, call.request_id)
        entry.fault = struck.fault.mode if struck else None
        try:
            reply = await self._carry_out(call, struck, act)
        except Refused as refused:
            reply = Reply(refused.status, refused.body, refused.headers)
        entry.status = reply.status
        return self._finish(reply, struck, entry)

    async def _carry_out(self, call: SandboxCall, struck: ActiveFault | None, act: Act) -> Reply:
        if struck:
            await struck.fault.strike(struck.dice)
        if call.operation != "token" and not self._is_authorized(call.authorization):
            raise Refused(401, "INVALID_SESSION_ID", "Session expired or invalid")
        if struck and struck.fault.mode == "garbage":
            return Reply(200, b"<html>garbage</html>")
        return act(struck.fault.mode if struck else None)

    def _finish(self, reply: Reply, struck: ActiveFault | None, entry: Entry) -> Reply:
        if struck and struck.fault.mode == "reset":
            entry.status = 0
            raise Reset
        return reply

    def issue_token(self) -> str:
        """Issue a token that is valid for `TOKEN_SECONDS`, and remove expired tokens."""
        token = secrets.token_urlsafe(32)
        now = time.monotonic()
        self._tokens = {known: end for known, end in self._tokens.items() if end > now}
        self._tokens[token] = now + TOKEN_SECONDS
        return token

    def _is_authorized(self, authorization: str | None) -> bool:
        scheme, _, token = (authorization or "").partition(" ")
        return scheme.lower() == "bearer" and self._tokens.get(token, 0.0) > time.monotonic()

    def complete_anonymisations(self) -> None:
        """Schedule the completion of anonymisation requests from before a restart."""
        for request in self.records.find(ANONYMISATION, "Status__c", "enfileirado"):
            self.anonymise_later(request)

    def anonymise_later(self, request: Record) -> None:
        """Complete an anonymisation request after a delay, as a real CRM would."""
        task = asyncio.create_task(self._anonymise(request))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _anonymise(self, request: Record) -> None:
        await asyncio.sleep(self._anonymisation_seconds)
        account = self.records.get(ACCOUNT, request["Conta__c"])
        self.records.rewrite(ACCOUNT, account, _empty(account))
        for consent in self.records.find(CONSENT, "Conta__c", account["Id"]):
            self.records.remove(CONSENT, consent)
        self.records.rewrite(ANONYMISATION, request, {"Status__c": "concluido", "DataConclusao__c": self.records.now()})
        self.webhooks.report_anonymisation(request, account)
        log.info("crm_sandbox.anonymised")

    def reset(self) -> None:
        """Remove all faults, clear the journal and reset the records to the demo records. Tokens remain valid."""
        self.stop()
        self.faults.replace([])
        self.journal.clear()
        self.records.reset()

    def stop(self) -> None:
        """Cancel pending anonymisations, and stop advancing cases."""
        self.cases.stop()
        for task in self._waiting:
            task.cancel()


def _empty(account: Record) -> dict[str, Any]:
    """Return values that clear an account's data.

    The account itself remains, so that no second account is created for its CPF.
    """
    untouched = {"Id", "CPF__c", "CreatedDate", "IsPersonAccount"}
    return {name: None for name in account if name not in untouched} | {"LastName": "Anonimizado", "Turista__c": False}
