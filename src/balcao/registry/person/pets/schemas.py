"""Wire types of the pets (rules: registry 3.7)."""

from typing import Annotated

import msgspec

from balcao.core.http.paging import Pagination
from balcao.core.imports.members import Name, require_cpf
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import require

FIRST_OWN_ID = 1_000_000
DATES = (
    "nascimento_data",
    "registro_data",
    "antirrabica_data",
    "antirrabica_validade_data",
    "vermifugacao_data",
    "vermifugacao_validade_data",
)


class PetClinicAddress(msgspec.Struct):
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    bairro: str | None = None
    cidade: str | None = None


class PetClinic(msgspec.Struct):
    nome: str | None = None
    telefone: str | None = None
    celular: str | None = None
    email: str | None = None
    endereco: PetClinicAddress = msgspec.field(default_factory=PetClinicAddress)


class PetTutor(msgspec.Struct):
    cpf: str | None = None
    nome: str | None = None
    telefone: str | None = None
    email: str | None = None


class PetRecord(msgspec.Struct, kw_only=True):
    """What is kept of a pet, whoever brought it."""

    animal_nome: Name
    especie_nome: str | None = None
    raca_nome: str | None = None
    porte_nome: str | None = None
    sexo_sigla: str | None = None
    nascimento_data: str | None = None
    indicador_castrado: bool | None = None
    indicador_ativo: bool | None = None
    microchip_numero: str | None = None
    pedigree_indicador: bool | None = None
    pedigree_origem_nome: str | None = None
    fase_vida_nome: str | None = None
    foto_url: str | None = None
    qrcode_payload: str | None = None
    registro_data: str | None = None
    antirrabica_data: str | None = None
    antirrabica_validade_data: str | None = None
    vermifugacao_data: str | None = None
    vermifugacao_validade_data: str | None = None
    clinica_credenciada: PetClinic | None = None
    outros_tutores: list[PetTutor] = []
    indicador: bool | None = None


class Pet(PetRecord, kw_only=True):
    """`source` is `curated` for the city's records, `self_registered` for those that citizens add."""

    id_animal: int
    source: str


class Pets(msgspec.Struct):
    data: list[Pet]
    pagination: Pagination


class PetBody(msgspec.Struct):
    """Breed and size must be there and may be empty: portals send them so."""

    animal_nome: str
    especie_nome: str
    sexo_sigla: str
    nascimento_data: str
    indicador_castrado: bool
    raca_nome: str
    porte_nome: str
    foto_url: str | None = None
    microchip_numero: str | None = None


class PetStatistics(msgspec.Struct):
    quantidade_cachorro: int = 0
    quantidade_gato: int = 0
    quantidade_outro: int = 0


class PetStats(msgspec.Struct):
    """`statistics` are of the city's records; the citizen's own pets are counted apart."""

    cpf: str
    statistics: PetStatistics
    self_registered_pets_count: int


class PetRow(PetRecord, kw_only=True):
    """One line of the city's file."""

    cpf: str
    id_animal: Annotated[int, msgspec.Meta(ge=1, lt=FIRST_OWN_ID)]

    def __post_init__(self) -> None:
        if Cpf.parse(self.cpf) is None:
            raise ValueError("O campo `cpf` deve ser um CPF válido, com 11 dígitos e sem pontuação.")
        require(self, *DATES)
        for tutor in self.outros_tutores:
            require_cpf("outros_tutores.cpf", tutor.cpf)
