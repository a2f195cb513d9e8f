"""Wire types for the citizen record (rules: registry 3.2)."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.registry.paths import CpfText

Origin: TypeAlias = Annotated[
    str,
    Meta(
        description=(
            "Quem informou o dado: `self-declared` (o cidadão, ou um atendente por ele), `crm`, ou a origem que a "
            "cidade registrou, como `cadastro`."
        ),
        examples=["self-declared"],
    ),
]
System: TypeAlias = Annotated[
    str, Meta(description="Sistema de onde o dado veio: `registry`, `crm` ou um da cidade.", examples=["registry"])
]
DeclaredAt: TypeAlias = Annotated[
    datetime | None,
    Meta(
        description="Quando o dado foi declarado; nulo se veio do cadastro da cidade.",
        examples=["2026-03-02T14:05:09.120000Z"],
    ),
]
EmailText: TypeAlias = Annotated[
    str, Meta(description="Endereço de e-mail; vazio se o cidadão disse não ter.", examples=["ana@pessoa.example"])
]
CountryCode: TypeAlias = Annotated[str | None, Meta(description="Código do país, só dígitos.", examples=["55"])]
AreaCode: TypeAlias = Annotated[
    str | None, Meta(description="Código de área, só dígitos; vazio ou nulo se não há.", examples=["21"])
]
LocalNumber: TypeAlias = Annotated[
    str | None,
    Meta(
        description="Número sem os códigos, só dígitos; vazio se o cidadão disse não ter telefone.",
        examples=["900010175"],
    ),
]
HasMain: TypeAlias = Annotated[bool, Meta(description="Se há um dado principal preenchido.", examples=[True])]


class Message(msgspec.Struct):
    """A message to show to the citizen after a write."""

    message: Annotated[
        str, Meta(description="O que foi feito, para mostrar ao cidadão.", examples=["E-mail atualizado."])
    ]


class Email(msgspec.Struct):
    """The main e-mail address."""

    origem: Origin
    sistema: System
    valor: EmailText
    updated_at: DeclaredAt = None


class OtherEmail(msgspec.Struct):
    """An additional e-mail address.

    It comes from the city's register, so the person never declared it and it has no time of declaration.
    """

    origem: Origin
    sistema: System
    valor: EmailText


class Phone(msgspec.Struct):
    """A phone number: the main one or an additional one."""

    origem: Origin
    sistema: System
    ddi: CountryCode
    ddd: AreaCode
    valor: LocalNumber
    updated_at: DeclaredAt = None


class AddressParts(msgspec.Struct, kw_only=True):
    """The members that the main address and additional addresses have in common."""

    origem: Origin
    sistema: System
    cep: Annotated[str | None, Meta(description="CEP, 8 dígitos sem hífen.", examples=["24000120"])] = None
    estado: Annotated[str | None, Meta(description="Estado: a sigla, se é conhecida.", examples=["RJ"])] = None
    municipio: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])] = None
    tipo_logradouro: Annotated[
        str | None,
        Meta(description="Tipo do logradouro, quando vem separado do nome.", examples=["Rua"]),
    ] = None
    logradouro: Annotated[
        str | None,
        Meta(description="Nome do logradouro; do CRM vem em uma linha só, com tipo e número.", examples=["das Marés"]),
    ] = None
    numero: Annotated[str | None, Meta(description="Número na via.", examples=["120"])] = None
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["apto 301"])] = None
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Praia Grande"])] = None


class Address(AddressParts, kw_only=True):
    """The main address."""

    updated_at: DeclaredAt = None


class OtherAddress(AddressParts, kw_only=True):
    """An additional address, with its coordinates."""

    latitude: Annotated[
        str | None, Meta(description="Latitude em graus decimais, WGS 84, como texto.", examples=["-22.5"])
    ] = None
    longitude: Annotated[
        str | None, Meta(description="Longitude em graus decimais, WGS 84, como texto.", examples=["-43.25"])
    ] = None
    pluscode: Annotated[str | None, Meta(description="Plus Code do local.", examples=["58GVGQ2X+22"])] = None


class Emails(msgspec.Struct):
    """A person's e-mail addresses."""

    indicador: HasMain
    principal: Annotated[Email | None, Meta(description="O e-mail que vale; nulo se nenhum é conhecido.")]
    alternativo: Annotated[list[OtherEmail], Meta(description="Outros e-mails do cadastro da cidade.")]


class Phones(msgspec.Struct):
    """A person's phone numbers."""

    indicador: HasMain
    principal: Annotated[Phone | None, Meta(description="O telefone que vale; nulo se nenhum é conhecido.")]
    alternativo: Annotated[list[Phone], Meta(description="Outros telefones, os declarados primeiro.")]


class Addresses(msgspec.Struct):
    """A person's addresses."""

    indicador: HasMain
    principal: Annotated[Address | None, Meta(description="O endereço que vale; nulo se nenhum é conhecido.")]
    alternativo: Annotated[list[OtherAddress], Meta(description="Outros endereços do cadastro da cidade.")]


class Birth(msgspec.Struct):
    """A person's date and place of birth."""

    data: Annotated[
        str | None, Meta(description="Nascimento, com hora e fuso da cidade.", examples=["1990-04-12T00:00:00-03:00"])
    ] = None
    municipio_id: Annotated[str | None, Meta(description="Código do município.", examples=["3300000"])] = None
    municipio: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])] = None
    uf: Annotated[str | None, Meta(description="Sigla do estado.", examples=["RJ"])] = None
    pais_id: Annotated[str | None, Meta(description="Código do país.", examples=["076"])] = None
    pais: Annotated[str | None, Meta(description="País.", examples=["Brasil"])] = None


class Mother(msgspec.Struct):
    """A person's mother."""

    nome: Annotated[str | None, Meta(description="Nome da mãe.", examples=["Helena Moreira"])] = None
    cpf: Annotated[str | None, Meta(description="CPF da mãe, mascarado.", examples=["***.***.***-75"])] = None


class Death(msgspec.Struct):
    """A person's death, if the city has registered it."""

    indicador: Annotated[bool | None, Meta(description="Se há óbito registrado.", examples=[False])] = None
    ano: Annotated[int | None, Meta(description="Ano do óbito.", examples=[2024])] = None


class Citizen(msgspec.Struct, kw_only=True):
    """The merged record. All members are present; unknown members are null. `_id` is "" if nothing was imported."""

    id_: Annotated[
        str,
        Meta(description="Identificador no cadastro da cidade; vazio se ela nada cadastrou.", examples=["demo-000001"]),
    ] = msgspec.field(name="_id")
    cpf: CpfText
    nome: Annotated[str | None, Meta(description="Nome civil.", examples=["Ana Beatriz Moreira"])]
    nome_social: Annotated[str | None, Meta(description="Nome social do cadastro.", examples=["Bia Moreira"])]
    sexo: Annotated[str | None, Meta(description="Sexo no cadastro da cidade.", examples=["F"])]
    nascimento: Annotated[Birth | None, Meta(description="Nascimento; nulo se a cidade nada sabe dele.")]
    mae: Annotated[Mother | None, Meta(description="Mãe. Nulo para quem lê por escopo.")]
    menor_idade: Annotated[
        bool | None, Meta(description="Se tem menos de 18 anos hoje; nulo sem data de nascimento.", examples=[False])
    ]
    obito: Annotated[Death | None, Meta(description="Óbito; nulo se a cidade nada sabe dele.")]
    nome_exibicao: Annotated[
        str | None, Meta(description="Como o cidadão quer ser chamado; só se ele declarou.", examples=["Bia"])
    ]
    renda_familiar: Annotated[
        str | None,
        Meta(
            description="Renda familiar declarada. Nulo para quem lê por escopo.",
            examples=["1 a 2 salários mínimos"],
        ),
    ]
    escolaridade: Annotated[str | None, Meta(description="Escolaridade declarada.", examples=["Superior completo"])]
    deficiencia: Annotated[
        str | None,
        Meta(
            description="Deficiência declarada. Nulo para quem lê por escopo.",
            examples=["Não sou pessoa com deficiência"],
        ),
    ]
    genero: Annotated[
        str | None,
        Meta(
            description="Gênero declarado, em texto livre. Nulo para quem lê por escopo.",
            examples=["Mulher cisgênero"],
        ),
    ]
    raca: Annotated[
        str | None,
        Meta(description="Raça ou cor, declarada ou do cadastro. Nulo para quem lê por escopo.", examples=["parda"]),
    ]
    email: Annotated[Emails, Meta(description="E-mails do cidadão.")]
    telefone: Annotated[
        Phones | None,
        Meta(description="Telefones do cidadão; nulo para quem lê por escopo sem `rmi:telefone:read`."),
    ]
    endereco: Annotated[Addresses, Meta(description="Endereços do cidadão.")]


class CoveredValue(msgspec.Struct):
    """The value in the city's record that a declared value hides."""

    value: Annotated[str, Meta(description="O que o cadastro da cidade tem.", examples=["carla.antiga@pessoa.example"])]
    source: Annotated[str | None, Meta(description="De onde a cidade o carregou.", examples=["cadastro"])]


class SourcedValue(msgspec.Struct, kw_only=True):
    """A member of the merged record as one string, with its source and time."""

    name: Annotated[str, Meta(description="Membro do cadastro, como em `GET /citizen/{cpf}`.", examples=["email"])]
    sensitive: Annotated[
        bool, Meta(description="Se é dado sensível: o valor só vem com `sensitive=true`.", examples=[False])
    ]
    known: Annotated[bool, Meta(description="Se há valor, mesmo que não venha.", examples=[True])]
    value: Annotated[
        str | None,
        Meta(
            description="O valor que o cadastro mostra, em um só texto; vazio se foi declarado que não há.",
            examples=["carla@pessoa.example"],
        ),
    ]
    origin: Annotated[
        str | None,
        Meta(description="Quem o disse: `city`, `citizen`, `staff` ou `crm`; nulo sem valor.", examples=["citizen"]),
    ]
    source: Annotated[
        str | None, Meta(description="De onde a cidade o carregou; só com `city`.", examples=["cadastro"])
    ]
    updated_at: Annotated[
        datetime | None,
        Meta(
            description="Desde quando vale, ou quando a cidade o carregou (RFC 3339).",
            examples=["2026-03-02T14:05:09Z"],
        ),
    ]
    confirmed_at: Annotated[
        datetime | None,
        Meta(description="Quando o CRM disse o mesmo por último; nulo se nunca.", examples=["2026-03-03T08:00:00Z"]),
    ]
    covered: Annotated[
        CoveredValue | None, Meta(description="O valor do cadastro da cidade que este encobre; nulo se nenhum.")
    ]


class Provenance(msgspec.Struct):
    """The members of the merged record, each with its source."""

    cpf: CpfText
    data: Annotated[list[SourcedValue], Meta(description="Os membros do cadastro, sempre todos e nesta ordem.")]


class ProvenanceQuery(msgspec.Struct):
    """The query parameter for the provenance. Sensitive values are returned only if `sensitive` is true."""

    sensitive: Annotated[
        bool | None, Meta(description="`true` para ler também os dados sensíveis, o que a trilha distingue.")
    ] = None
