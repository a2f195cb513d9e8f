"""The API operations on one person's data. The types contain only the members that the pages use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import httpx
import msgspec

from balcao.core.values.cpf import Cpf
from balcao.web.api import NO_QUERY, Api, Read, quoted
from balcao.web.envelopes import Categories, Page

T = TypeVar("T")

_REGISTRY = "/registry/v1"
# The channel under which the preferences ledger records choices that people make on our pages.
CHANNEL = "web"
_OPEN_TICKETS = frozenset({"Aberto", "Em andamento"})


class Subject(NamedTuple):
    """The person whose data is accessed, the session's API client, and the reason (empty for one's own data)."""

    api: Api
    cpf: Cpf
    reason: str = ""

    async def get(self, path: str, kind: type[T], query: Mapping[str, Any] = NO_QUERY) -> T:
        """Read a resource of the person."""
        return await self.api.get(self._address(path), kind, query, reason=self.reason)

    async def read(self, path: str, kind: type[T]) -> Read[T]:
        """Read a resource of the person, and its version."""
        return await self.api.read(self._address(path), kind, reason=self.reason)

    async def send(self, method: str, path: str, kind: type[T], body: Any, *, etag: str = "", key: str = "") -> T:
        """Write a resource of the person, at most once for each `key`."""
        return await self.api.send(method, self._address(path), kind, body, etag=etag, key=key, reason=self.reason)

    async def upload(self, path: str, kind: type[T], content: bytes, *, key: str = "") -> T:
        """Upload a file for the person, at most once for each `key`."""
        return await self.api.upload(self._address(path), kind, content, key=key, reason=self.reason)

    async def download(self, path: str) -> httpx.Response:
        """Download a file of the person."""
        return await self.api.download(self._address(path), reason=self.reason)

    def _address(self, path: str) -> str:
        return f"{_REGISTRY}/citizen/{quoted(self.cpf.digits)}{path}"


class Own(msgspec.Struct):
    cpf: str


class Covered(msgspec.Struct):
    value: str
    source: str | None


class SourcedValue(msgspec.Struct):
    name: str
    sensitive: bool
    known: bool
    value: str | None
    origin: str | None
    source: str | None
    updated_at: datetime | None
    confirmed_at: datetime | None
    covered: Covered | None


class Provenance(msgspec.Struct):
    data: list[SourcedValue]

    def find(self, name: str) -> SourcedValue:
        """Return the member with this name. The response contains every member, even if it has no value."""
        return next(value for value in self.data if value.name == name)


class Preferences(msgspec.Struct):
    opt_in: bool
    category_opt_ins: dict[str, bool]


class Choice(msgspec.Struct):
    timestamp: datetime
    scope: str
    category: str | None
    channel: str
    reason: str | None
    old_value: bool
    new_value: bool
    actor_kind: str


class Category(msgspec.Struct):
    id: str
    name: str
    description: str


class Ticket(msgspec.Struct):
    id: str
    id_chamado: str | None
    categoria: str | None
    tipo: str | None
    subtipo: str | None
    endereco: str | None
    status: str
    data_inicio: datetime
    data_alvo_finalizacao: datetime | None = None
    aguarda_resposta: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether the city still works on the ticket (rules: registry 3.3)."""
        return self.status in _OPEN_TICKETS

    @property
    def is_own(self) -> bool:
        """Return whether the ticket is a request that was made on the platform. Other tickets were only imported."""
        return self.id.startswith("PED-")


class AccessNames(msgspec.Struct):
    """How the registry describes an access to citizens."""

    action: str
    fields: list[str]
    actor: str
    grant: str | None = None


class Access(msgspec.Struct, kw_only=True):
    at: datetime
    action: str
    operation: str
    fields: list[str]
    actor_kind: str
    actor: str
    department: str | None
    grant: str
    reason: str | None
    outcome: str
    names: AccessNames

    @property
    def visitor(self) -> tuple[object, ...]:
        """Return the values that all accesses during one visit share."""
        return (self.actor_kind, self.actor, self.department, self.reason, self.outcome == "denied")


class CrmConsent(msgspec.Struct, rename="camel"):
    categoria: str = ""
    canal: str = ""
    status: str = ""
    data: str | None = None
    finalidade: str | None = None
    motivo: str | None = None

    @property
    def day(self) -> str:
        """Return the date for sorting. Return an empty string if the CRM has none."""
        return self.data or ""


class CrmAddress(msgspec.Struct):
    logradouro: str = ""
    complemento: str = ""
    bairro: str = ""
    cidade: str = ""
    estado: str = ""
    cep: str = ""

    def __str__(self) -> str:
        """Return the address as one line, with its parts in the order of the registry's record."""
        return ", ".join(filter(None, (getattr(self, name) for name in self.__struct_fields__)))


class CrmAccount(msgspec.Struct, rename="camel"):
    """A CRM account. The CRM omits members that have no value."""

    consentimento: list[CrmConsent]
    endereco: CrmAddress
    nome: str = ""
    nome_social: str = ""
    nome_exibicao: str = ""
    data_nascimento: str = ""
    email: str = ""
    telefone_principal: str = ""
    escolaridade: str = ""


class Pet(msgspec.Struct):
    animal_nome: str
    especie_nome: str | None
    raca_nome: str | None
    antirrabica_validade_data: str | None
    source: str
    id_animal: int = 0


class Vehicle(msgspec.Struct):
    id: str
    display_name: str | None
    registration_number: str
    vehicle_type: str
    color: str
    role: str


class Registration(msgspec.Struct):
    descricao: str | None = None


class Company(msgspec.Struct):
    cnpj: str
    razao_social: str
    nome_fantasia: str | None
    situacao_cadastral: Registration


class MainAddress(msgspec.Struct):
    cep: str | None
    estado: str | None
    municipio: str | None
    tipo_logradouro: str | None
    logradouro: str | None
    numero: str | None
    complemento: str | None
    bairro: str | None


class Addresses(msgspec.Struct):
    principal: MainAddress | None


class Record(msgspec.Struct):
    endereco: Addresses


class Cleared(msgspec.Struct):
    kind: str
    count: int
    fields: list[str]


class Kept(msgspec.Struct):
    kind: str
    count: int
    basis: str


class Anonymisation(msgspec.Struct):
    at: datetime
    cleared: list[Cleared]
    kept: list[Kept]
    confirmation: str | None
    expires_at: datetime | None


async def read_own_cpf(api: Api) -> str:
    """Return the CPF of the logged-in person."""
    return (await api.get("/access/api/v1/users/me", Own)).cpf


async def read_provenance(subject: Subject, *, sensitive: bool = False) -> Provenance:
    return await subject.get("/provenance", Provenance, {"sensitive": True if sensitive else None})


async def read_name(subject: Subject) -> str:
    """Return the person's social name or registered name. Return an empty string if the record has neither."""
    found = await read_provenance(subject)
    return found.find("nome_social").value or found.find("nome").value or ""


async def read_preferred_name(subject: Subject) -> str:
    """Return the name by which the person wants to be called. Without one, return the same name as `read_name`."""
    found = await read_provenance(subject)
    names = (found.find(name).value for name in ("nome_exibicao", "nome_social", "nome"))
    return next(filter(None, names), "")


async def read_preferences(subject: Subject) -> Read[Preferences]:
    return await subject.read("/notification-preferences", Preferences)


async def list_choices(subject: Subject, *, page: int = 1, size: int = 10) -> Page[Choice]:
    query = {"page": page, "per_page": size}
    return await subject.get("/notification-preferences/history", Page[Choice], query)


async def list_categories(api: Api) -> Categories[Category]:
    return await api.get(f"{_REGISTRY}/notification-categories", Categories[Category])


async def change_preferences(
    subject: Subject, etag: str, *, opt_in: bool, categories: Mapping[str, bool], reason: str
) -> None:
    body = {"channel": CHANNEL, "opt_in": opt_in, "category_opt_ins": categories}
    body |= {"reason": reason} if reason else {}
    await subject.send("PUT", "/notification-preferences", Preferences, body, etag=etag)


async def list_tickets(
    subject: Subject, *, page: int = 1, size: int = 10, waits_for_answer: bool | None = None
) -> Page[Ticket]:
    query = {"page": page, "per_page": size, "aguarda_resposta": waits_for_answer}
    return await subject.get("/maintenance-request", Page[Ticket], query)


async def list_accesses(subject: Subject, *, since: str | None = None, page: int = 1, size: int = 25) -> Page[Access]:
    query = {"from": since, "names": True, "page": page, "per_page": size}
    return await subject.get("/data-access", Page[Access], query)


async def read_crm_account(subject: Subject) -> CrmAccount:
    path = f"{_REGISTRY}/crm/cidadao/{quoted(subject.cpf.digits)}"
    return await subject.api.get(path, CrmAccount, reason=subject.reason)


async def list_pets(subject: Subject) -> Page[Pet]:
    return await subject.get("/pets", Page[Pet], {"per_page": 100})


async def list_vehicles(subject: Subject) -> Page[Vehicle]:
    return await subject.get("/vehicles", Page[Vehicle], {"per_page": 100})


async def list_companies(subject: Subject) -> Page[Company]:
    return await subject.get("/legal-entities", Page[Company], {"per_page": 100})


async def read_address(subject: Subject) -> MainAddress | None:
    return (await subject.get("", Record)).endereco.principal


async def change_email(subject: Subject, text: str) -> None:
    await subject.send("PUT", "/email", type(None), {"valor": text})


async def change_address(subject: Subject, parts: Mapping[str, str]) -> None:
    await subject.send("PUT", "/address", type(None), parts)


async def ask_for_code(subject: Subject, phone: Mapping[str, str]) -> None:
    await subject.send("PUT", "/phone", type(None), phone)


async def confirm_phone(subject: Subject, phone: Mapping[str, str], code: str) -> None:
    await subject.send("POST", "/phone/validate", type(None), {**phone, "code": code})


async def rehearse_anonymisation(subject: Subject) -> Anonymisation:
    body: dict[str, Any] = {"dry_run": True} | _give_reason(subject)
    return await subject.send("POST", "/anonymisation", Anonymisation, body)


async def anonymise(subject: Subject, confirmation: str) -> Anonymisation:
    body: dict[str, Any] = {"dry_run": False, "confirmation": confirmation} | _give_reason(subject)
    return await subject.send("POST", "/anonymisation", Anonymisation, body)


def _give_reason(subject: Subject) -> dict[str, str]:
    return {"reason": subject.reason} if subject.reason else {}


async def download_export(subject: Subject) -> httpx.Response:
    path = f"{_REGISTRY}/citizen/{quoted(subject.cpf.digits)}/data-export"
    return await subject.api.download(path, reason=subject.reason)
