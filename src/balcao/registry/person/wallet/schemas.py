"""Wire types for the wallet: a citizen's documents, health, social assistance and education (rules: registry 3.3)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.values import days
from balcao.registry.paths import CpfText

PhoneText: TypeAlias = Annotated[
    str | None, Meta(description="Telefone com o DDD, só dígitos.", examples=["2120000000"])
]


class Documents(msgspec.Struct):
    """A person's documents."""

    cns: Annotated[
        list[str], Meta(description="Números do Cartão Nacional de Saúde.", examples=[["79000000017500"]])
    ] = []


class FamilyClinic(msgspec.Struct):
    """A family clinic, and the source that assigned it to the person.

    `fonte` is `bigquery` for an imported clinic, even if the row names no source, and `mcp` for a clinic found by
    address.
    """

    indicador: Annotated[bool | None, Meta(description="Se há clínica de referência.", examples=[True])] = None
    id_cnes: Annotated[str | None, Meta(description="Código CNES da unidade, 7 dígitos.", examples=["9900004"])] = None
    nome: Annotated[str | None, Meta(description="Nome da unidade.", examples=["Clínica da Família 04"])] = None
    telefone: PhoneText = None
    email: Annotated[
        str | None, Meta(description="E-mail da unidade.", examples=["clinica04@saude.portoaurora.example"])
    ] = None
    endereco: Annotated[str | None, Meta(description="Endereço em uma linha.", examples=["Avenida do Porto, 04"])] = (
        None
    )
    horario_atendimento: Annotated[
        str | None, Meta(description="Horário de atendimento.", examples=["Segunda a sexta, das 8h às 18h"])
    ] = None
    fonte: Annotated[
        str | None,
        Meta(
            description=(
                "De onde se sabe a unidade: `bigquery` para a do cadastro da cidade, `mcp` para a encontrada "
                "pelo endereço."
            ),
            examples=["bigquery"],
        ),
    ] = "bigquery"


class Professional(msgspec.Struct):
    """A member of a health team."""

    id_profissional_sus: Annotated[
        str | None, Meta(description="Identificador do profissional no SUS.", examples=["700000000000001"])
    ] = None
    nome: Annotated[str | None, Meta(description="Nome do profissional.", examples=["Otávio Ramos"])] = None


class FamilyHealthTeam(msgspec.Struct):
    """The health team responsible for a person's family."""

    indicador: Annotated[bool | None, Meta(description="Se há equipe de referência.", examples=[True])] = None
    id_ine: Annotated[str | None, Meta(description="Código INE da equipe.", examples=["0000004"])] = None
    nome: Annotated[str | None, Meta(description="Nome da equipe.", examples=["Equipe Farol 04"])] = None
    telefone: PhoneText = None
    medicos: Annotated[list[Professional], Meta(description="Médicos da equipe.")] = []
    enfermeiros: Annotated[list[Professional], Meta(description="Enfermeiros da equipe.")] = []


class WalletHealth(msgspec.Struct):
    """The health services responsible for a person."""

    clinica_familia: Annotated[FamilyClinic | None, Meta(description="Clínica da família de referência.")] = None
    equipe_saude_familia: Annotated[
        FamilyHealthTeam | None, Meta(description="Equipe de saúde da família de referência.")
    ] = None


SINGLE_REGISTRY_DATES = ("data_cadastro", "data_ultima_atualizacao", "data_limite_cadastro_atual")


class SingleRegistry(msgspec.Struct):
    """A person's entry in the single registry (CadÚnico).

    `status_cadastral` is `Cadastrado`, `Em andamento` or another string.
    """

    indicador: Annotated[bool | None, Meta(description="Se está no Cadastro Único.", examples=[True])] = None
    data_cadastro: Annotated[
        str | None, Meta(description="Quando entrou, com hora e fuso.", examples=["2021-03-10T00:00:00-03:00"])
    ] = None
    data_ultima_atualizacao: Annotated[
        str | None, Meta(description="Última atualização, com hora e fuso.", examples=["2025-08-20T00:00:00-03:00"])
    ] = None
    data_limite_cadastro_atual: Annotated[
        str | None,
        Meta(description="Até quando o cadastro vale, com hora e fuso.", examples=["2027-08-20T00:00:00-03:00"]),
    ] = None
    status_cadastral: Annotated[
        str | None,
        Meta(description="Situação: `Cadastrado`, `Em andamento` ou outra que a cidade use.", examples=["Cadastrado"]),
    ] = None

    def __post_init__(self) -> None:
        days.require_day(self, *SINGLE_REGISTRY_DATES)


class AssistanceCentre(msgspec.Struct):
    """A person's social assistance centre (CRAS)."""

    nome: Annotated[str | None, Meta(description="Nome do CRAS.", examples=["CRAS Aurora"])] = None
    endereco: Annotated[str | None, Meta(description="Endereço em uma linha.", examples=["Rua do Farol, 10"])] = None
    telefone: PhoneText = None


class SocialAssistance(msgspec.Struct):
    """The social assistance that a person receives."""

    cadunico: Annotated[SingleRegistry | None, Meta(description="Cadastro Único.")] = None
    cras: Annotated[AssistanceCentre | None, Meta(description="CRAS de referência.")] = None


class Student(msgspec.Struct):
    """A person's data as a pupil in the city's schools."""

    indicador: Annotated[bool | None, Meta(description="Se é aluno da rede municipal.", examples=[True])] = None
    conceito: Annotated[str | None, Meta(description="Conceito do último período.", examples=["MB"])] = None
    frequencia: Annotated[float | None, Meta(description="Frequência, em porcento.", examples=[96.0])] = None


class School(msgspec.Struct):
    """A pupil's school."""

    nome: Annotated[str | None, Meta(description="Nome da escola.", examples=["Escola Municipal Aurora"])] = None
    horario_funcionamento: Annotated[
        str | None, Meta(description="Horário de funcionamento.", examples=["7:30 às 17:00"])
    ] = None
    telefone: PhoneText = None
    email: Annotated[str | None, Meta(description="E-mail da escola.", examples=["escola@aurora.example"])] = None
    whatsapp: Annotated[str | None, Meta(description="WhatsApp da escola.", examples=["5521900000003"])] = None
    endereco: Annotated[str | None, Meta(description="Endereço em uma linha.", examples=["Rua do Sol, 1"])] = None


class Education(msgspec.Struct):
    """A person's education."""

    aluno: Annotated[Student | None, Meta(description="O aluno.")] = None
    escola: Annotated[School | None, Meta(description="A escola.")] = None


class ImportedWallet(msgspec.Struct):
    """The wallet as imported. All members are present; unknown members are null."""

    documentos: Annotated[Documents | None, Meta(description="Documentos. Por escopo: `rmi:pessoa-fisica:read`.")] = (
        None
    )
    saude: Annotated[WalletHealth | None, Meta(description="Unidade e equipe de saúde. Por escopo: `sms:read`.")] = None
    assistencia_social: Annotated[
        SocialAssistance | None, Meta(description="Assistência social. Por escopo: `rmi:pessoa-fisica:read`.")
    ] = None
    educacao: Annotated[Education | None, Meta(description="Educação. Por escopo: `sme:read`.")] = None


class Wallet(ImportedWallet, kw_only=True):
    """The wallet in a response. Members that the caller's scopes do not cover are null."""

    cpf: CpfText
