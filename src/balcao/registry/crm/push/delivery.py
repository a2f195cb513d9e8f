"""One attempt to write a citizen's changes into the CRM (rules: registry 4.5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.crm.client import CrmClient, Upserted
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.registry.mirror.fields import ADDRESS
from balcao.registry.mirror.writes import Value
from balcao.registry.person.citizens import service as citizens

UNNAMED = "Não informado"
SEVERAL_ACCOUNTS = "MULTIPLE_CHOICES"
_ADDRESS_PREFIX = f"{ADDRESS}."


@dataclass(frozen=True)
class Change:
    """Values to write into the CRM, by mirrored field."""

    cpf: Cpf
    values: Mapping[str, Value]
    anonymised: bool


async def deliver_change(platform: Platform, change: Change, deadline: Deadline) -> bool:
    """Deliver a change, and create the account if there is none. No new account is created for an anonymised person.

    Return False if there is no account to write to. Raises CrmAway if a retry may succeed, and CrmRefused if no retry
    will. If the upsert reports several accounts although the look-up found none, a later look-up may find one.
    """
    try:
        return await _write(platform, change, deadline)
    except CrmRefused as refusal:
        if refusal.http_status != 404:
            raise
    return await _write(platform, change, deadline)  # the account was deleted after the look-up


async def _write(platform: Platform, change: Change, deadline: Deadline) -> bool:
    crm, dados = platform.part(CrmClient), _build_dados(platform, change.values)
    account = await crm.find(change.cpf, deadline)
    if account is None and change.anonymised:
        return False
    if account is None:
        if await _create_account(platform, change.cpf, dados, deadline) is Upserted.CREATED:
            return True
        account = await crm.find(change.cpf, deadline)  # another caller created it first
    if account is None:
        raise CrmAway(SEVERAL_ACCOUNTS, http_status=300)
    await crm.update(account, dados, deadline)
    return True


async def find_or_create_account(platform: Platform, cpf: Cpf, deadline: Deadline) -> str:
    """Return the id of the person's account, and create the account if there is none.

    Raises CrmAway if a retry may succeed, and CrmRefused if no retry will. If the upsert reports several accounts
    although the look-up found none, a later look-up may find one.
    """
    crm = platform.part(CrmClient)
    account = await crm.find(cpf, deadline)
    if account is None:
        await _create_account(platform, cpf, {}, deadline)
        account = await crm.find(cpf, deadline)
    if account is None:
        raise CrmAway(SEVERAL_ACCOUNTS, http_status=300)
    return account


async def _create_account(platform: Platform, cpf: Cpf, dados: Mapping[str, Any], deadline: Deadline) -> Upserted:
    name = (await citizens.read_identity(platform, cpf)).name
    new = {**dados, "nome": name or UNNAMED, "contaOrigem": platform.settings.crm_origin_account}
    return await platform.part(CrmClient).upsert(cpf, new, deadline)


def _build_dados(platform: Platform, values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the values under the CRM's wire keys, and add the channel of the last change."""
    flat = {field: value for field, value in values.items() if not field.startswith(_ADDRESS_PREFIX)}
    parts = {
        field.removeprefix(_ADDRESS_PREFIX): value
        for field, value in values.items()
        if field.startswith(_ADDRESS_PREFIX)
    }
    channel = {"canalUltimaModificacao": platform.settings.crm_channel}
    return flat | channel | ({ADDRESS: parts} if parts else {})
