"""Fábio's pets: one from the city's records, and two that he registered."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.core.values.cpf import Cpf
from balcao.registry.person.pets import service
from balcao.registry.person.pets.imports import IMPORTS
from balcao.registry.person.pets.schemas import PetBody, PetClinic, PetRow

FABIO = Cpf("90000000680")
IMPORTED = PetRow(
    cpf=FABIO.digits,
    id_animal=4711,
    animal_nome="Tainha",
    especie_nome="Cachorro",
    raca_nome="Sem raça definida",
    porte_nome="Médio",
    sexo_sigla="F",
    nascimento_data="2019-06-20",
    indicador_castrado=True,
    indicador_ativo=True,
    microchip_numero="982000000000001",
    pedigree_indicador=False,
    fase_vida_nome="Adulto",
    registro_data="2021-02-11",
    antirrabica_data="2025-08-30",
    antirrabica_validade_data="2026-08-30",
    clinica_credenciada=PetClinic(nome="Clínica Veterinária do Farol", telefone="2124000010"),
    indicador=True,
)
OWN = (
    PetBody("Siri", "Gato", "M", "2022-01-15", True, "", "Pequeno"),
    PetBody("Canjica", "Cachorro", "F", "2023-11-02", False, "Vira-lata", ""),
)


async def load_demo_pets(platform: Platform) -> None:
    """Import the city's record, and register Fábio's own pets if he has none. Changes by users remain."""
    await imports.import_rows(platform, IMPORTS[0], [IMPORTED])
    call = operator_call(platform, "registry.demo")
    if not (await service.read_pet_stats(call, FABIO)).self_registered_pets_count:
        for body in OWN:
            await service.create_pet(call, FABIO, body)


async def find_pet_examples(_: Platform) -> Mapping[str, Any]:
    return {"pet_cpf": FABIO.digits, "pet_id": IMPORTED.id_animal}
