"""Wire types of the CRM's events."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

_Cpf: TypeAlias = Annotated[str, Meta(description="O CPF da pessoa, só com os 11 dígitos.", examples=["90000000175"])]


class Acknowledgement(msgspec.Struct):
    """That an event was queued (spec: webhook acknowledgement)."""

    cpf: Annotated[str, Meta(description="O CPF, mascarado.", examples=["***.000.001-**"])]
    evento: Annotated[str, Meta(description="O tipo de evento que foi aceito.", examples=["atualizacao"])]
    message: Annotated[str, Meta(description="O que houve, para pessoas.")]
    status: Annotated[str, Meta(description="Sempre `accepted`: o evento está gravado e será aplicado em seguida.")]


# The types below are for the description; the event parser itself reads the bytes.


class ConsentEntry(msgspec.Struct):
    """One consent, given or withdrawn."""

    acao: Annotated[
        str | None, Meta(description="Forma antiga de `status`: `optin` ou `optout`.", examples=["optin"])
    ] = None
    canal: Annotated[str | None, Meta(description="O canal a que vale; sem ele, todos.", examples=["whatsapp"])] = None
    categoria: Annotated[str | None, Meta(description="A categoria de aviso a que vale.", examples=["saude"])] = None
    data: Annotated[str | None, Meta(description="Quando foi dado ou retirado.", examples=["2026-03-01T12:00:00Z"])] = (
        None
    )
    finalidade: Annotated[str | None, Meta(description="Para que a pessoa consente.", examples=["avisos"])] = None
    motivo: Annotated[str | None, Meta(description="Por que foi retirado; obrigatório quando é retirado.")] = None
    status: Annotated[str | None, Meta(description="`IN`, dado, ou `OUT`, retirado.", examples=["IN"])] = None


class EventAddress(msgspec.Struct):
    """The parts of the address that changed."""

    bairro: Annotated[str | None, Meta(description="O bairro.", examples=["Centro"])] = None
    cep: Annotated[str | None, Meta(description="O CEP.", examples=["20040002"])] = None
    cidade: Annotated[str | None, Meta(description="A cidade.", examples=["Porto Aurora"])] = None
    complemento: Annotated[str | None, Meta(description="O complemento.", examples=["Apto 302"])] = None
    estado: Annotated[str | None, Meta(description="A sigla do estado.", examples=["RJ"])] = None
    logradouro: Annotated[str | None, Meta(description="A rua e o número.", examples=["Rua do Porto, 10"])] = None
    pais: Annotated[str | None, Meta(description="O país.", examples=["Brasil"])] = None


class EventData(msgspec.Struct, rename="camel"):
    """What changed in the CRM; `nome`, `nomeSocial` and `dataNascimento` may come, too, and are never looked at."""

    account_id: Annotated[str | None, Meta(description="O id da conta no CRM.", examples=["001AU00000Demo01"])] = None
    canal_origem: Annotated[str | None, Meta(description="Por onde a pessoa chegou ao CRM.", examples=["Portal"])] = (
        None
    )
    canal_ultima_modificacao: Annotated[
        str | None, Meta(description="Por onde veio a última mudança.", examples=["Portal"])
    ] = None
    cidade: Annotated[str | None, Meta(description="A cidade onde a pessoa mora.", examples=["Porto Aurora"])] = None
    complemento: Annotated[str | None, Meta(description="O complemento do endereço.", examples=["Apto 302"])] = None
    deficiencia: Annotated[
        str | None, Meta(description="A deficiência declarada, um valor da lista.", examples=["Nenhuma"])
    ] = None
    email: Annotated[str | None, Meta(description="O e-mail da pessoa.", examples=["ana@pessoa.example"])] = None
    escolaridade: Annotated[
        str | None, Meta(description="A escolaridade declarada, um valor da lista.", examples=["Superior completo"])
    ] = None
    genero: Annotated[str | None, Meta(description="O gênero declarado.", examples=["Mulher cisgênero"])] = None
    nacionalidade: Annotated[str | None, Meta(description="A nacionalidade da pessoa.", examples=["Brasileira"])] = None
    nome_exibicao: Annotated[str | None, Meta(description="Como a pessoa quer ser chamada.", examples=["Ana"])] = None
    passaporte: Annotated[str | None, Meta(description="O número do passaporte.", examples=["AB123456"])] = None
    raca: Annotated[str | None, Meta(description="A raça ou cor declarada, um valor da lista.", examples=["Parda"])] = (
        None
    )
    renda_familiar: Annotated[
        str | None,
        Meta(
            description="A faixa de renda familiar declarada, um valor da lista.",
            examples=["De 1 a 2 salários mínimos"],
        ),
    ] = None
    telefone1: Annotated[str | None, Meta(description="Outro telefone da pessoa.", examples=["+5521999990001"])] = None
    telefone2: Annotated[str | None, Meta(description="Outro telefone da pessoa.", examples=["+5521999990002"])] = None
    telefone3: Annotated[str | None, Meta(description="Outro telefone da pessoa.", examples=["+5521999990003"])] = None
    telefone_internacional: Annotated[
        str | None, Meta(description="Um telefone de outro país.", examples=["+351910000000"])
    ] = None
    telefone_principal: Annotated[
        str | None, Meta(description="O telefone principal da pessoa.", examples=["+5521999990000"])
    ] = None
    tipo_telefone1: Annotated[str | None, Meta(description="O tipo de `telefone1`.", examples=["Celular"])] = None
    tipo_telefone2: Annotated[str | None, Meta(description="O tipo de `telefone2`.", examples=["Residencial"])] = None
    tipo_telefone3: Annotated[str | None, Meta(description="O tipo de `telefone3`.", examples=["Trabalho"])] = None
    idioma: Annotated[list[str] | None, Meta(description="Os idiomas da pessoa.", examples=[["Português"]])] = None
    is_tourist: Annotated[bool | None, Meta(description="Se a pessoa é turista.", examples=[False])] = None
    endereco: Annotated[EventAddress | None, Meta(description="O endereço; só as partes que vêm mudam.")] = None
    consentimento: Annotated[
        list[ConsentEntry] | None, Meta(description="Os consentimentos que mudaram; nulo apaga os que o CRM deu.")
    ] = None


class WebhookBody(msgspec.Struct):
    """A change of a person's record in the CRM."""

    cpf: _Cpf
    evento: Annotated[
        str | None, Meta(description="`atualizacao`, o que se entende sem ele, ou `anonimizacao`, que apaga os dados.")
    ] = "atualizacao"
    updatedAt: Annotated[  # noqa: N815 - the CRM's own spelling
        str | None,
        Meta(
            description="Quando mudou no CRM, em ISO 8601; sem ele, o instante da chegada.",
            examples=["2026-03-01T12:00:00Z"],
        ),
    ] = None
    dados: Annotated[
        EventData | None,
        Meta(
            description=(
                "O que mudou; obrigatório em `atualizacao`. O que falta fica como está, nulo ou texto vazio apaga, e "
                "chaves desconhecidas são ignoradas."
            )
        ),
    ] = None
