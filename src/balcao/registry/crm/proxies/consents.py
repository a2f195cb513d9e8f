"""Give or withdraw a citizen's consent: write it into the CRM first, then merge it into the mirror."""

from dataclasses import asdict, replace

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.values.clock import format_rfc3339, utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean_optional, clean_text
from balcao.crm import consents
from balcao.crm.client import Account, CrmClient
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.registry.crm.login.schemas import CidadaoConsent
from balcao.registry.crm.proxies.schemas import CrmConsentBody
from balcao.registry.crm.proxies.service import look_up_account
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.writes import Consent

STATUSES = {"optin": "IN", "optout": "OUT"}
# CPF, category and channel form the CRM's key of at most 255 characters, so category and channel may have 100 each.
LONGEST_KEY, LONGEST_TEXT = 100, 255
_NOT_IN_CRM = frozenset({"acao"})


async def change_consent(call: Call, cpf: Cpf, body: CrmConsentBody) -> CidadaoConsent:
    """Give or withdraw a consent, and return it as written.

    The CRM is written before the mirror, because the mirror must never show a consent that the CRM has rejected. Raises
    Invalid for an invalid body, and NotFound if the person has no account. Raises CrmFailed if the CRM fails or rejects
    the call, and Unavailable if no CRM is configured.
    """
    consent = _parse(body)
    channel = clean_optional("origem", body.origem, longest=LONGEST_TEXT) or call.platform.settings.crm_channel
    crm, deadline = call.platform.part(CrmClient), Deadline.within(BUDGET_SECONDS)
    account = await look_up_account(crm, cpf, deadline)
    consent = replace(consent, finalidade=consent.finalidade or _find_purpose(account, consent))
    await crm.update(account.id, {"canalUltimaModificacao": channel}, deadline)
    written = {name: value for name, value in asdict(consent).items() if name not in _NOT_IN_CRM}
    await consents.upsert_consent(crm, cpf, account, written, deadline)
    trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=["crm_consentimentos"])
    async with call.platform.database.connection() as connection:
        await mirror.confirm_consent(connection, cpf, consent, trail)
    return msgspec.convert({name: value for name, value in asdict(consent).items() if value}, CidadaoConsent)


def _parse(body: CrmConsentBody) -> Consent:
    """Parse the body. Raises Invalid, with the member's name, if a member is not valid."""
    if body.acao not in STATUSES:
        raise Invalid("O campo `acao` deve ser `optin` ou `optout`.", code="acao-invalid")
    motivo = clean_optional("motivo", body.motivo, longest=LONGEST_TEXT)
    if body.acao == "optout" and not motivo:
        raise Invalid("O campo `motivo` é obrigatório para retirar um consentimento.", code="motivo-missing")
    return Consent(
        categoria=_parse_key("categoria", clean_text("categoria", body.categoria, longest=LONGEST_KEY)),
        canal=_parse_key("canal", clean_optional("canal", body.canal, longest=LONGEST_KEY) or ""),
        status=STATUSES[body.acao],
        acao=body.acao,
        data=format_rfc3339(utc_now().replace(microsecond=0)),
        finalidade=clean_optional("finalidade", body.finalidade, longest=LONGEST_TEXT),
        motivo=motivo if body.acao == "optout" else None,
    )


def _parse_key(field: str, text: str) -> str:
    """Parse a member that is part of the CRM's key. Raises Invalid if it contains `|`, which separates the parts."""
    if "|" in text:
        raise Invalid(f"O campo `{field}` não pode conter `|`.", code=f"{field}-invalid")
    return text


def _find_purpose(account: Account, consent: Consent) -> str | None:
    """Return the consent's current purpose, which does not change if the body omits `finalidade`."""
    for entry in account.cidadao["consentimento"]:
        if (entry.get("categoria", ""), entry.get("canal", "")) == (consent.categoria, consent.canal):
            purpose: str | None = entry.get("finalidade")
            return purpose
    return None
