"""Read a citizen's current CRM account, or export their CRM data."""

from collections.abc import Sequence

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.crm import related
from balcao.crm.client import Account, CrmClient
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.registry.crm.login.schemas import Cidadao
from balcao.registry.crm.proxies.schemas import CrmExport, CrmExportedChannel, CrmExportedConsent, CrmRelated


async def read_account(call: Call, cpf: Cpf) -> Cidadao:
    """Return the person's current CRM account.

    Raises NotFound if there is no account, CrmFailed if the CRM fails or rejects the call, and Unavailable if no CRM is
    configured.
    """
    account = await look_up_account(call.platform.part(CrmClient), cpf, Deadline.within(BUDGET_SECONDS))
    async with call.reading(cpf, ["crm_account"]):
        return msgspec.convert(dict(account.cidadao), Cidadao)


async def export_account(call: Call, cpf: Cpf) -> CrmExport:
    """Export all data that the CRM has about a person. The owner's own export is audited too.

    Raises the same exceptions as `read_account`.
    """
    crm, deadline = call.platform.part(CrmClient), Deadline.within(BUDGET_SECONDS)
    queries = crm.query_accounts(cpf), crm.query_consents(cpf), *related.build_queries(crm.fields, cpf)
    accounts, consents, *related_records = await crm.select(deadline, *queries)
    cidadao = dict(require_account(crm.build_account(accounts, consents)).cidadao)
    entries = cidadao.pop("consentimento")
    async with call.platform.database.connection() as connection:
        await call.platform.audit.record(connection, call, "export", subject=cpf, fields=["crm_account"])
    return CrmExport(
        cpf=cpf.digits,
        data_exportacao=utc_now(),
        dados_pessoais=cidadao,
        relacionados=msgspec.convert(related.translate_related(crm.fields, related_records), CrmRelated),
        consentimento=_group_by_category(msgspec.convert(entries, list[dict[str, str]])),
    )


async def look_up_account(crm: CrmClient, cpf: Cpf, deadline: Deadline) -> Account:
    """Return the person's CRM account. Raises NotFound if there is no account."""
    return require_account(await crm.look_up(cpf, deadline))


def require_account(account: Account | None) -> Account:
    """Return the account. Raises NotFound if it is None."""
    if account is None:
        raise NotFound("O CRM não tem conta deste cidadão.", code="crm-account-unknown")
    return account


def _group_by_category(entries: Sequence[dict[str, str]]) -> list[CrmExportedConsent]:
    """Group the consents by category, in the CRM's order. The first non-empty purpose describes a category."""
    found: dict[str, CrmExportedConsent] = {}
    for entry in entries:
        category = entry.get("categoria", "")
        consent = found.setdefault(category, CrmExportedConsent(category, "", []))
        consent.descricao = consent.descricao or entry.get("finalidade", "")
        status = entry.get("status", "")
        tipo = {"IN": "optin", "OUT": "optout"}.get(status, "")
        consent.canais.append(CrmExportedChannel(entry.get("canal", ""), status, tipo, entry.get("motivo")))
    return list(found.values())
