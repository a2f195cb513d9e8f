"""The citizen's wallet: what health, education and social assistance have on them (rules: registry 3.3)."""

import msgspec

from balcao.core.values import days


class Documents(msgspec.Struct):
    cns: list[str] = []


class FamilyClinic(msgspec.Struct):
    """`fonte` is `bigquery` for a loaded clinic, also when the line does not say so, `mcp` for one found by address."""

    indicador: bool | None = None
    id_cnes: str | None = None
    nome: str | None = None
    telefone: str | None = None
    email: str | None = None
    endereco: str | None = None
    horario_atendimento: str | None = None
    fonte: str | None = "bigquery"


class Professional(msgspec.Struct):
    id_profissional_sus: str | None = None
    nome: str | None = None


class FamilyHealthTeam(msgspec.Struct):
    indicador: bool | None = None
    id_ine: str | None = None
    nome: str | None = None
    telefone: str | None = None
    medicos: list[Professional] = []
    enfermeiros: list[Professional] = []


class WalletHealth(msgspec.Struct):
    clinica_familia: FamilyClinic | None = None
    equipe_saude_familia: FamilyHealthTeam | None = None


SINGLE_REGISTRY_DATES = ("data_cadastro", "data_ultima_atualizacao", "data_limite_cadastro_atual")


class SingleRegistry(msgspec.Struct):
    """`status_cadastral`: `Cadastrado`, `Em andamento`, or other."""

    indicador: bool | None = None
    data_cadastro: str | None = None
    data_ultima_atualizacao: str | None = None
    data_limite_cadastro_atual: str | None = None
    status_cadastral: str | None = None

    def __post_init__(self) -> None:
        days.require(self, *SINGLE_REGISTRY_DATES)


class AssistanceCentre(msgspec.Struct):
    nome: str | None = None
    endereco: str | None = None
    telefone: str | None = None


class SocialAssistance(msgspec.Struct):
    cadunico: SingleRegistry | None = None
    cras: AssistanceCentre | None = None


class Student(msgspec.Struct):
    indicador: bool | None = None
    conceito: str | None = None
    frequencia: float | None = None


class School(msgspec.Struct):
    nome: str | None = None
    horario_funcionamento: str | None = None
    telefone: str | None = None
    email: str | None = None
    whatsapp: str | None = None
    endereco: str | None = None


class Education(msgspec.Struct):
    aluno: Student | None = None
    escola: School | None = None


class LoadedWallet(msgspec.Struct):
    """Every member always there, null when unknown."""

    documentos: Documents | None = None
    saude: WalletHealth | None = None
    assistencia_social: SocialAssistance | None = None
    educacao: Education | None = None


class Wallet(LoadedWallet, kw_only=True):
    cpf: str
