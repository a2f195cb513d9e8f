"""Prepare a company for a caller: convert dates to the city's time zone, and mask other people's CPFs."""

import re
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from balcao.core.values.cpf import Cpf
from balcao.core.values.days import format_days
from balcao.registry.city.companies.schemas import Company, CompanyPartner

_CPF = re.compile(r"[0-9]{11}")


def add_times(company: Company, zone: ZoneInfo) -> Company:
    """Return the company with each date converted to midnight in the time zone."""
    changed: Company = replace(
        format_days(company, ("inicio_atividade_data",), zone),
        situacao_cadastral=format_days(company.situacao_cadastral, ("data",), zone),
        situacao_especial=format_days(company.situacao_especial, ("data",), zone),
        responsavel=format_days(company.responsavel, ("inclusao_data",), zone),
        socios=[format_days(partner, ("data_situacao_especial",), zone) for partner in company.socios],
    )
    return changed


def mask_company(company: Company, keep: Cpf | None) -> Company:
    """Return the company with all CPFs masked except `keep`."""
    accountant = company.contador.pf
    return replace(
        company,
        contador=replace(company.contador, pf=replace(accountant, id=_mask(accountant.id, keep))),
        responsavel=replace(company.responsavel, cpf=_mask(company.responsavel.cpf, keep)),
        socios=[_mask_partner(partner, keep) for partner in company.socios],
    )


def _mask_partner(partner: CompanyPartner, keep: Cpf | None) -> CompanyPartner:
    return replace(
        partner,
        cpf_socio=_mask(partner.cpf_socio, keep),
        cpf_representante_legal=_mask(partner.cpf_representante_legal, keep),
    )


def _mask(text: str | None, keep: Cpf | None) -> str | None:
    """Mask a string of eleven digits unless it equals `keep`. Return any other string unchanged.

    Check digits are not verified, because a mistyped CPF may still identify a person.
    """
    if text is None or not _CPF.fullmatch(text) or (keep is not None and text == keep.digits):
        return text
    return Cpf(text).masked
