"""Wire types for pets (rules: registry 3.7)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.imports.members import Name, require_cpf
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import require_day
from balcao.core.values.page import Pagination
from balcao.registry.paths import CpfText

FIRST_OWN_ID = 1_000_000
OWN = "self_registered"
DATES = (
    "nascimento_data",
    "registro_data",
    "antirrabica_data",
    "antirrabica_validade_data",
    "vermifugacao_data",
    "vermifugacao_validade_data",
)


class PetClinicAddress(msgspec.Struct):
    """A clinic's address."""

    logradouro: Annotated[str | None, Meta(description="Logradouro da clínica.", examples=["Avenida do Porto"])] = None
    numero: Annotated[str | None, Meta(description="Número na via.", examples=["45"])] = None
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["loja B"])] = None
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Farol"])] = None
    cidade: Annotated[str | None, Meta(description="Cidade.", examples=["Porto Aurora"])] = None


class PetClinic(msgspec.Struct):
    """The clinic that treats a pet."""

    nome: Annotated[str | None, Meta(description="Nome da clínica.", examples=["Clínica Veterinária do Farol"])] = None
    telefone: Annotated[str | None, Meta(description="Telefone fixo, com o DDD.", examples=["2124000010"])] = None
    celular: Annotated[str | None, Meta(description="Celular, com o DDD.", examples=["21900000010"])] = None
    email: Annotated[str | None, Meta(description="E-mail da clínica.", examples=["contato@clinica.example"])] = None
    endereco: Annotated[PetClinicAddress, Meta(description="Endereço da clínica.")] = msgspec.field(
        default_factory=PetClinicAddress
    )


class PetTutor(msgspec.Struct):
    """Another person who is responsible for a pet."""

    cpf: Annotated[
        str | None, Meta(description="CPF do tutor, mascarado nas respostas.", examples=["***.***.***-75"])
    ] = None
    nome: Annotated[str | None, Meta(description="Nome do tutor.", examples=["Ana Beatriz Moreira"])] = None
    telefone: Annotated[str | None, Meta(description="Telefone do tutor.", examples=["21900010175"])] = None
    email: Annotated[str | None, Meta(description="E-mail do tutor.", examples=["ana@pessoa.example"])] = None


class PetRecord(msgspec.Struct, kw_only=True):
    """A pet's members as stored, from the city or from its owner. Members without a value are null."""

    animal_nome: Annotated[Name, Meta(description="Nome do animal.", examples=["Tainha"])]
    especie_nome: Annotated[str | None, Meta(description="Espécie.", examples=["Cachorro"])] = None
    raca_nome: Annotated[str | None, Meta(description="Raça; pode ser vazia.", examples=["Sem raça definida"])] = None
    porte_nome: Annotated[str | None, Meta(description="Porte; pode ser vazio.", examples=["Médio"])] = None
    sexo_sigla: Annotated[str | None, Meta(description="Sexo: `M` ou `F`.", examples=["F"])] = None
    nascimento_data: Annotated[
        str | None, Meta(description="Nascimento, com hora e fuso.", examples=["2019-06-20T00:00:00-03:00"])
    ] = None
    indicador_castrado: Annotated[bool | None, Meta(description="Se é castrado.", examples=[True])] = None
    indicador_ativo: Annotated[
        bool | None, Meta(description="Se o cadastro do animal está ativo.", examples=[True])
    ] = None
    microchip_numero: Annotated[str | None, Meta(description="Número do microchip.", examples=["982000000000001"])] = (
        None
    )
    pedigree_indicador: Annotated[bool | None, Meta(description="Se tem pedigree.", examples=[False])] = None
    pedigree_origem_nome: Annotated[
        str | None, Meta(description="Quem emitiu o pedigree.", examples=["Clube de cinofilia"])
    ] = None
    fase_vida_nome: Annotated[str | None, Meta(description="Fase da vida.", examples=["Adulto"])] = None
    foto_url: Annotated[
        str | None, Meta(description="Endereço `https://` da foto.", examples=["https://fotos.example/tainha.jpg"])
    ] = None
    qrcode_payload: Annotated[
        str | None, Meta(description="Conteúdo do QR code da identificação.", examples=["https://pets.example/4711"])
    ] = None
    registro_data: Annotated[
        str | None, Meta(description="Quando foi registrado, com hora e fuso.", examples=["2021-02-11T00:00:00-03:00"])
    ] = None
    antirrabica_data: Annotated[
        str | None,
        Meta(description="Última vacina antirrábica, com hora e fuso.", examples=["2025-08-30T00:00:00-03:00"]),
    ] = None
    antirrabica_validade_data: Annotated[
        str | None,
        Meta(description="Até quando vale a antirrábica, com hora e fuso.", examples=["2026-08-30T00:00:00-03:00"]),
    ] = None
    vermifugacao_data: Annotated[
        str | None, Meta(description="Última vermifugação, com hora e fuso.", examples=["2025-06-01T00:00:00-03:00"])
    ] = None
    vermifugacao_validade_data: Annotated[
        str | None,
        Meta(description="Até quando vale a vermifugação, com hora e fuso.", examples=["2025-12-01T00:00:00-03:00"]),
    ] = None
    clinica_credenciada: Annotated[PetClinic | None, Meta(description="Clínica credenciada que o atende.")] = None
    outros_tutores: Annotated[list[PetTutor], Meta(description="Outros tutores do animal.")] = []
    indicador: Annotated[bool | None, Meta(description="Se o registro vale.", examples=[True])] = None


class Pet(PetRecord, kw_only=True):
    """A pet.

    `source` is `curated` for a pet in the city's records, and `self_registered` for a pet that a citizen added.
    """

    id_animal: Annotated[
        int, Meta(description="Número do animal; os dos próprios cidadãos começam em 1000000.", examples=[4711])
    ]
    source: Annotated[
        str,
        Meta(
            description="`curated` para os registros da cidade, `self_registered` para os que o cidadão cadastrou.",
            examples=["curated"],
        ),
    ]


class Pets(msgspec.Struct):
    """A page of pets: the city's records first, then the citizen's own."""

    data: Annotated[list[Pet], Meta(description="Animais da página: os da cidade, depois os do cidadão.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]


class PetBody(msgspec.Struct):
    """A pet to add. Breed and size are required but may be empty, because portals send empty values."""

    animal_nome: Annotated[str, Meta(description="Nome do animal, de 1 a 100 caracteres.", examples=["Siri"])]
    especie_nome: Annotated[str, Meta(description="Espécie, de 1 a 100 caracteres.", examples=["Gato"])]
    sexo_sigla: Annotated[
        str, Meta(description="Sexo: `M` ou `F`.", examples=["M"], extra_json_schema={"enum": ["F", "M"]})
    ]
    nascimento_data: Annotated[
        str,
        Meta(
            description="Nascimento: um dia (AAAA-MM-DD) ou um instante com fuso, de 1970 até hoje.",
            examples=["2022-01-15"],
        ),
    ]
    indicador_castrado: Annotated[bool, Meta(description="Se é castrado.", examples=[True])]
    raca_nome: Annotated[str, Meta(description="Raça, até 100 caracteres; pode ser vazia.", examples=[""])]
    porte_nome: Annotated[str, Meta(description="Porte, até 100 caracteres; pode ser vazio.", examples=["Pequeno"])]
    foto_url: Annotated[
        str | None,
        Meta(
            description="Endereço `https://` da foto, até 2048 caracteres.", examples=["https://fotos.example/siri.jpg"]
        ),
    ] = None
    microchip_numero: Annotated[
        str | None, Meta(description="Número do microchip, até 30 caracteres.", examples=["982000000000002"])
    ] = None
    pedigree_indicador: Annotated[bool | None, Meta(description="Se tem pedigree.", examples=[True])] = None
    pedigree_origem_nome: Annotated[
        str | None, Meta(description="Quem emitiu o pedigree, até 100 caracteres.", examples=["Clube de cinofilia"])
    ] = None


class PetStatistics(msgspec.Struct):
    """The number of pets of each species."""

    quantidade_cachorro: Annotated[int, Meta(description="Cachorros nos registros da cidade.", examples=[1])] = 0
    quantidade_gato: Annotated[int, Meta(description="Gatos nos registros da cidade.", examples=[0])] = 0
    quantidade_outro: Annotated[
        int, Meta(description="Animais de outras espécies nos registros da cidade.", examples=[0])
    ] = 0


class PetStats(msgspec.Struct):
    """The numbers of a citizen's pets. `statistics` covers only the city's records.

    Pets that the citizen added are counted separately.
    """

    cpf: CpfText
    statistics: Annotated[PetStatistics, Meta(description="Contagem dos registros da cidade, por espécie.")]
    self_registered_pets_count: Annotated[
        int, Meta(description="Quantos animais o próprio cidadão cadastrou.", examples=[2])
    ]


class PetRow(PetRecord, kw_only=True):
    """A row in the import file."""

    cpf: str
    id_animal: Annotated[int, msgspec.Meta(ge=1, lt=FIRST_OWN_ID)]

    def __post_init__(self) -> None:
        if Cpf.parse(self.cpf) is None:
            raise ValueError("O campo `cpf` deve ser um CPF válido, com 11 dígitos e sem pontuação.")
        require_day(self, *DATES)
        for tutor in self.outros_tutores:
            require_cpf("outros_tutores.cpf", tutor.cpf)
