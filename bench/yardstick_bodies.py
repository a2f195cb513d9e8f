"""The bodies of the first yardstick, as pydantic types."""

import unicodedata
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, create_model

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.fields import ADDRESS_PARTS, CONSENT_TEXTS, TEXT_KEYS


class Preferences(BaseModel):
    cpf: str
    opt_in: bool
    category_opt_ins: dict[str, bool]
    updated_at: datetime


class Situation(BaseModel):
    risco: str
    status: str
    ultima_atualizacao: str


class UnitRisk(BaseModel):
    cnes: str
    notificacao_ativa: Situation | None
    ultima_notificacao: Situation | None


class AgentConfig(BaseModel):
    config_id: str
    agent_type: str
    version: int
    memory_blocks: list[dict[str, Any]]
    tools: list[str]
    model_name: str
    embedding_name: str
    created_at: str


class TokenStatus(BaseModel):
    status: Literal["ok"]


class Acknowledgement(BaseModel):
    cpf: str
    evento: str
    message: str
    status: str


def _clean(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip()


def _valid(value: str) -> str:
    if Cpf.parse(value) is None:
        raise ValueError("CPF inválido")
    return value


Words = Annotated[str, AfterValidator(_clean)] | None
Address = create_model("Address", **dict.fromkeys(ADDRESS_PARTS, (Words, None)))  # type: ignore[call-overload]
Consent = create_model("Consent", **dict.fromkeys(CONSENT_TEXTS, (Words, None)))  # type: ignore[call-overload]
Dados = create_model(  # type: ignore[call-overload]
    "Dados",
    **dict.fromkeys(TEXT_KEYS, (Words, None)),
    idioma=(list[str] | None, None),
    isTourist=(bool | None, None),
    endereco=(Address | None, None),
    consentimento=(list[Consent] | None, None),
)


class Event(BaseModel):
    cpf: Annotated[str, AfterValidator(_valid)]
    evento: Literal["atualizacao", "anonimizacao"] = "atualizacao"
    updatedAt: datetime | None = None  # noqa: N815 - the CRM's own spelling
    dados: Dados
