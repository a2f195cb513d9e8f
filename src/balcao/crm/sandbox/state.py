"""What the sandbox CRM holds, and how each of its operations is carried out: fault, token, change, journal, echo."""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from balcao.core.logs import log
from balcao.crm.sandbox.faults import Faults, Loaded, Operation, Reset
from balcao.crm.sandbox.journal import Entry, Journal
from balcao.crm.sandbox.objects import ACCOUNT, ANONYMISATION, CONSENT
from balcao.crm.sandbox.records import Record, Records
from balcao.crm.sandbox.refusals import Refused
from balcao.crm.sandbox.webhooks import Webhooks

TOKEN_SECONDS = 300.0
ANONYMISATION_SECONDS = 5.0


@dataclass(frozen=True)
class Asked:
    """One call: what is asked for, about whom, with which fields, and what authorises it."""

    operation: Operation
    cpf: str | None
    fields: list[str]
    authorization: str | None
    request_id: str | None


@dataclass(frozen=True)
class Reply:
    """`content` is JSON, or the bytes that stand in its place."""

    status: int
    content: Any = None
    headers: Mapping[str, str] | None = None


Act = Callable[[bool], Reply]
"""Carries the operation out; told whether a second account is to be pretended."""


class Sandbox:
    def __init__(self, records: Records, webhooks: Webhooks, anonymisation_seconds: float) -> None:
        self.records = records
        self.webhooks = webhooks
        self.faults = Faults()
        self.journal = Journal()
        self._tokens: dict[str, float] = {}
        self._anonymisation_seconds = anonymisation_seconds
        self._waiting: set[asyncio.Task[None]] = set()

    async def perform(self, asked: Asked, act: Act) -> Reply:
        """Raises Reset when the connection is to be closed instead of an answer."""
        struck = self.faults.pick(asked.operation, asked.cpf)
        entry = self.journal.open(asked.operation, asked.cpf, asked.fields, asked.request_id)
        entry.fault = struck.fault.mode if struck else None
        try:
            reply = await self._carried_out(asked, struck, act)
        except Refused as refused:
            reply = Reply(refused.status, refused.body, refused.headers)
        entry.status = reply.status
        return self._sent(reply, struck, entry)

    async def _carried_out(self, asked: Asked, struck: Loaded | None, act: Act) -> Reply:
        if struck:
            await struck.fault.strike(struck.dice)
        if asked.operation != "token" and not self._known_token(asked.authorization):
            raise Refused(401, "INVALID_SESSION_ID", "Session expired or invalid")
        if struck and struck.fault.mode == "garbage":
            return Reply(200, b"<html>garbage</html>")
        return act(struck is not None and struck.fault.mode == "duplicate")

    def _sent(self, reply: Reply, struck: Loaded | None, entry: Entry) -> Reply:
        if struck and struck.fault.mode == "reset":
            entry.status = 0
            raise Reset
        return reply

    def new_token(self) -> str:
        token = secrets.token_urlsafe(32)
        now = time.monotonic()
        self._tokens = {known: end for known, end in self._tokens.items() if end > now}
        self._tokens[token] = now + TOKEN_SECONDS
        return token

    def _known_token(self, authorization: str | None) -> bool:
        scheme, _, token = (authorization or "").partition(" ")
        return scheme.lower() == "bearer" and self._tokens.get(token, 0.0) > time.monotonic()

    def complete_anonymisations(self) -> None:
        """Also of requests that were filed before a restart."""
        for request in self.records.having(ANONYMISATION, "Status__c", "enfileirado"):
            self.anonymise_later(request)

    def anonymise_later(self, request: Record) -> None:
        task = asyncio.create_task(self._anonymise(request))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _anonymise(self, request: Record) -> None:
        await asyncio.sleep(self._anonymisation_seconds)
        for account in self.records.having(ACCOUNT, "CPF__c", request["CPF__c"]):
            self.records.rewrite(ACCOUNT, account, _emptied(account))
        for consent in self.records.having(CONSENT, "CPF__c", request["CPF__c"]):
            self.records.remove(CONSENT, consent)
        self.records.rewrite(ANONYMISATION, request, {"Status__c": "concluido", "DataConclusao__c": self.records.now()})
        self.webhooks.anonymised(request)
        log.info("crm_sandbox.anonymised")

    def reset(self) -> None:
        """As on the first start."""
        self.stop()
        self.faults.replace([])
        self.journal.clear()
        self.records.reset()

    def stop(self) -> None:
        for task in self._waiting:
            task.cancel()


def _emptied(account: Record) -> dict[str, Any]:
    """The account itself stays, so that its CPF is not taken for a new person's."""
    kept = {"Id", "CPF__c", "CreatedDate", "IsPersonAccount"}
    return {name: None for name in account if name not in kept} | {"LastName": "Anonimizado", "Turista__c": False}
