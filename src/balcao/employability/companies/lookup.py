"""Reads company data from the city's registry over HTTP, and caches it."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.outgoing import ServiceClient
from balcao.employability.companies.schemas import LegalEntity, LegalEntityAddress, LegalEntityContact

BUDGET_SECONDS = 2.0
CACHED_SECONDS = 30 * 60
UNKNOWN_SECONDS = 5 * 60
MOST_REMEMBERED = 1_000


class RegistryCompanies:
    """A client for the registry's company data, with a cache in this process. Unknown CNPJs are cached too."""

    def __init__(self, registry: ServiceClient) -> None:
        self._registry = registry
        self._seen: dict[str, tuple[float, LegalEntity | None]] = {}

    async def find(self, cnpj: str, request_id: str) -> LegalEntity | None:
        """Return the company, or None if it is not in the registry.

        Raises Unavailable if the company is not cached and the registry is down.
        """
        until, found = self._seen.get(cnpj, (0.0, None))
        if until > time.monotonic():
            return found
        record = await self._registry.get(f"/legal-entity/{cnpj}", seconds=BUDGET_SECONDS, request_id=request_id)
        found = None if record is None else _to_entity(cnpj, record)
        self._remember(cnpj, found)
        return found

    def _remember(self, cnpj: str, found: LegalEntity | None) -> None:
        self._seen.pop(cnpj, None)
        if len(self._seen) >= MOST_REMEMBERED:
            del self._seen[next(iter(self._seen))]  # removes the oldest entry
        self._seen[cnpj] = (time.monotonic() + (UNKNOWN_SECONDS if found is None else CACHED_SECONDS), found)


async def look_up_company(call: Call, cnpj: str) -> LegalEntity:
    """Return the registry's data for a CNPJ.

    Raises NotFound if the CNPJ is not in the registry, and Unavailable if the company is not cached and the registry is
    down.
    """
    found = await call.platform.part(RegistryCompanies).find(cnpj, call.request_id)
    if found is None:
        raise NotFound("O cadastro da cidade não conhece este CNPJ.", code="legal-entity-unknown")
    return found


class _Described(msgspec.Struct):
    descricao: str | None = None


class _Phone(msgspec.Struct):
    ddd: str | None = None
    telefone: str | None = None


class _Contact(msgspec.Struct):
    telefone: list[_Phone] = []
    email: str | None = None


class _Address(msgspec.Struct):
    cep: str | None = None
    uf: str | None = None
    municipio_nome: str | None = None
    bairro: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None


class _Record(msgspec.Struct):
    """The members of the registry's record that this service reads."""

    razao_social: str | None = None
    nome_fantasia: str | None = None
    cnae_fiscal: str | None = None
    situacao_cadastral: _Described = msgspec.field(default_factory=_Described)
    porte: _Described = msgspec.field(default_factory=_Described)
    contato: _Contact = msgspec.field(default_factory=_Contact)
    endereco: _Address = msgspec.field(default_factory=_Address)


def _to_entity(cnpj: str, content: Mapping[str, Any]) -> LegalEntity:
    record = msgspec.convert(content, _Record)
    phone, address = next(iter(record.contato.telefone), _Phone()), record.endereco
    street = " ".join(part for part in (address.tipo_logradouro, address.logradouro) if part)
    return LegalEntity(
        cnpj,
        record.razao_social,
        record.nome_fantasia,
        record.situacao_cadastral.descricao,
        record.cnae_fiscal,
        record.porte.descricao,
        LegalEntityContact(record.contato.email, f"{phone.ddd or ''}{phone.telefone or ''}" or None),
        LegalEntityAddress(
            street or None,
            address.numero,
            address.complemento,
            address.bairro,
            address.municipio_nome,
            address.uf,
            address.cep,
        ),
    )
