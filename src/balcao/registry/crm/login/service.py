"""Login sync: find the person's account in the CRM and update its e-mail, or create the account."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.context.audit import Action as AuditAction
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.core.logs import log
from balcao.core.values.cpf import Cpf
from balcao.crm.client import Account, CrmClient, Upserted
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.crm.failures import CrmAway, CrmFailed, CrmRefused
from balcao.registry.crm.lease import service as lease
from balcao.registry.crm.login.schemas import Cidadao, LoginSync
from balcao.registry.mirror import service as mirror
from balcao.registry.person.citizens import service as citizens

UNNAMED = "Não informado"
LANGUAGE = "Portugues_Brasil"


class SyncResult(NamedTuple):
    """The response, and the CRM action to record in the audit trail."""

    response: LoginSync
    action: AuditAction


class LoginSyncs:
    """The syncs in progress in this process. Concurrent calls for the same person share one sync and its result."""

    def __init__(self) -> None:
        self._running: dict[Cpf, asyncio.Task[SyncResult]] = {}

    async def run(self, cpf: Cpf, platform: Platform, caller: Caller) -> SyncResult:
        """Wait for the person's sync in progress, or start one. Return its result."""
        task = self._running.get(cpf)
        if task is None:
            task = asyncio.create_task(_sync(platform, cpf, caller))
            self._running[cpf] = task
            task.add_done_callback(lambda _: self._running.pop(cpf, None))
        return await asyncio.shield(task)  # a caller that disconnects must not cancel the sync


async def validate_login(call: Call) -> LoginSync:
    """Sync the CRM account of the person who logs in.

    The sync stores no CRM data, only the audit event and the digest of an e-mail that was written into the CRM. Raises
    Unauthenticated for a machine, CrmFailed if the CRM does not respond within the budget, and Unavailable if no CRM is
    configured.
    """
    cpf = call.person
    result = await call.platform.part(LoginSyncs).run(cpf, call.platform, call.identified_caller)
    async with call.platform.database.connection() as connection:
        await call.platform.audit.record(connection, call, result.action, subject=cpf, fields=["crm_account"])
    return result.response


async def _sync(platform: Platform, cpf: Cpf, caller: Caller) -> SyncResult:
    crm, deadline = platform.part(CrmClient), Deadline.within(BUDGET_SECONDS)
    known = await citizens.read_identity(platform, cpf)
    account = await crm.look_up(cpf, deadline)
    if account is not None:
        return await _match(platform, crm, account, cpf, known.declared_email or caller.email, deadline)
    async with lease.hold_lease(platform, cpf, "login", deadline) as lease_state:
        account = None if lease_state == "first" else await crm.look_up(cpf, deadline)
        if account is not None:
            return await _match(platform, crm, account, cpf, known.declared_email or caller.email, deadline)
        name = caller.name or known.name or UNNAMED
        async with _writing_email(platform, cpf, caller.email) as email:
            result = await _create(crm, cpf, _make_account(platform, name, email.written), deadline)
            email.delivered = _is_same(email.written, result.response.cidadao.email)
            return result


@dataclass
class EmailWrite:
    """The e-mail that a login writes into the CRM.

    `written` is None if there is no e-mail to write. `delivered` is set once the CRM is known to have it.
    """

    written: str | None
    delivered: bool = False


@asynccontextmanager
async def _writing_email(platform: Platform, cpf: Cpf, offered: str | None) -> AsyncIterator[EmailWrite]:
    """Yield the e-mail that the login must write: the declared e-mail, or else the offered one.

    Pushes of e-mails wait until the block ends (at most LOGIN_WRITE_SECONDS). If the login delivered the declared
    e-mail, it is then confirmed as after a push.
    """
    async with platform.database.connection() as connection:
        begun = await mirror.begin_login_write(connection, cpf, offered)
    write = EmailWrite(begun and begun.email)
    try:
        yield write
    finally:
        if begun is not None:
            with suppress(Unavailable):  # the record of the write expires on its own
                async with platform.database.transaction() as connection:
                    await mirror.end_login_write(connection, cpf, begun, delivered=write.delivered)


async def _create(crm: CrmClient, cpf: Cpf, fields: Mapping[str, Any], deadline: Deadline) -> SyncResult:
    """Create the account. The CRM's upsert, not our lease, guarantees that a person never has two accounts."""
    created = await _upsert_what_fits(crm, cpf, fields, deadline)
    account = await crm.look_up(cpf, deadline)
    if account is None:
        raise CrmFailed(code="crm-account-not-found")
    if created is Upserted.EXISTED:
        return SyncResult(_respond("matched", account.cidadao), "read")
    return SyncResult(_respond("created", account.cidadao), "create")


async def _upsert_what_fits(crm: CrmClient, cpf: Cpf, fields: Mapping[str, Any], deadline: Deadline) -> Upserted:
    """Create the account.

    Retry without e-mail or name if the CRM rejects them, because the person cannot correct them at login.
    """
    try:
        return await crm.upsert(cpf, fields, deadline)
    except CrmRefused as refusal:
        # If the CRM names no field, omit both the e-mail and the name.
        refused = crm.fields.find_keys(refusal.fields) if refusal.fields else {"email", "nome"}
        left_out = {key for key in refused & {"email", "nome"} if fields.get(key, UNNAMED) != UNNAMED}
        if refusal.http_status != 400 or not left_out:
            raise
    log.warning("login_sync.left_out", fields=sorted(left_out))
    fitting = {key: value for key, value in fields.items() if key not in left_out}
    return await _upsert_what_fits(crm, cpf, {"nome": UNNAMED} | fitting, deadline)


async def _match(
    platform: Platform, crm: CrmClient, account: Account, cpf: Cpf, offered: str | None, deadline: Deadline
) -> SyncResult:
    """Write the offered e-mail into the account if it differs, and return the account.

    If the write fails, return the account unchanged. The next login tries again.
    """
    if offered is None or _is_same(offered, account.cidadao.get("email")):
        return SyncResult(_respond("matched", account.cidadao), "read")
    async with _writing_email(platform, cpf, offered) as email:
        change = {"email": email.written, "canalUltimaModificacao": platform.settings.crm_channel}
        try:
            await crm.update(account.id, change, deadline)
        except CrmFailed as failure:
            log.warning("login_sync.email_not_patched", code=failure.code)
            return SyncResult(_respond("matched", account.cidadao), "read")
        email.delivered = True
    return SyncResult(_respond("matched", {**account.cidadao, **change}), "update")


def _is_same(email: str | None, other: object) -> bool:
    return email is not None and email.strip().lower() == str(other or "").strip().lower()


def _make_account(platform: Platform, name: str, email: str | None) -> dict[str, Any]:
    origin = {"contaOrigem": platform.settings.crm_origin_account, "idioma": [LANGUAGE], "nome": name}
    return origin | ({"email": email} if email else {})


def _respond(action: str, cidadao: Any) -> LoginSync:
    """Build the response. Raises CrmAway if the account does not match the wire type."""
    try:
        return LoginSync(action, msgspec.convert(dict(cidadao), Cidadao))
    except msgspec.ValidationError:
        raise CrmAway from None
