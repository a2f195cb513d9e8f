"""The sandbox's citizens: invented people of the invented city Porto Aurora, the same bytes on every machine."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.call import operator_call
from balcao.core.clock import utc_now
from balcao.core.cpf import Cpf
from balcao.core.database import Database
from balcao.core.platform import Platform
from balcao.core.service import Demo
from balcao.identity.demo import people
from balcao.registry.activities import demo as activities
from balcao.registry.citizens import store
from balcao.registry.companies import demo as companies
from balcao.registry.crm_push import demo as crm_push
from balcao.registry.declared import demo as declared
from balcao.registry.declared import service as declaring
from balcao.registry.declared.schemas import GenderBody
from balcao.registry.departments import demo as departments
from balcao.registry.mirror import service as mirror
from balcao.registry.mobility import demo as mobility
from balcao.registry.notifications import demo as notifications
from balcao.registry.pets import demo as pets
from balcao.registry.phones import demo as phones
from balcao.registry.staff_departments import demo as staff_departments

# In the order in which they are loaded.
ROOMS = (
    declared,
    phones,
    notifications,
    departments,
    staff_departments,
    activities,
    companies,
    pets,
    mobility,
    crm_push,
)
SEED = 2026
CITIZENS = 200
ANA = Cpf("90000000175")
GABRIELA = Cpf("90000000760")
NOTHING_STORED = frozenset({"90000001147"})
CITY = "Porto Aurora"
FIRST = "Aline Beatriz Caio Débora Eduardo Fernanda Gustavo Helena Igor Júlia Lucas Marta Nádia Otávio Paula".split()
LAST = "Almeida Barros Campos Dias Esteves Freitas Gomes Lima Martins Nunes Oliveira Pinto Ramos Souza Teixeira".split()
STREETS = ("Rua das Acácias", "Avenida do Porto", "Travessa da Aurora", "Rua do Farol", "Ladeira das Pedras")
DISTRICTS = ("Centro", "Farol", "Vila Nova", "Jardim da Serra", "Praia Grande")
ETHNICITIES = ("branca", "preta", "parda", "amarela", "indigena")


async def load(platform: Platform) -> None:
    """Idempotent: base records are written again only when they differ, the rest once."""
    owner = Database(platform.database.url, size=2, role=None)
    await owner.open()
    try:
        async with owner.transaction() as connection:
            for cpf, record in _records():
                await store.load_base(connection, cpf, record, "demo")
    finally:
        await owner.close()
    await _anonymised_then_declared(platform)
    for room in ROOMS:
        await room.load(platform)


async def examples(_: Platform) -> Mapping[str, Any]:
    return {
        "citizen_cpf": ANA.digits,
        "department_id": departments.HEALTH,
        "cnpj": companies.BAKERY,
        "pet_cpf": pets.FABIO.digits,
        "pet_id": pets.LOADED.id_animal,
    }


async def _anonymised_then_declared(platform: Platform) -> None:
    """Gabriela: cleared by an event, with a gender of her own afterwards."""
    call = operator_call(platform, "registry.demo")
    async with platform.database.transaction() as connection:
        if (await mirror.read(connection, GABRIELA)).known:
            return
        await mirror.anonymise(connection, GABRIELA, utc_now())
        await platform.audit.record(connection, call, "anonymise", subject=GABRIELA)
    await declaring.declare_gender(call, GABRIELA, GenderBody("Mulher cisgênero"))


def _records() -> Iterator[tuple[Cpf, dict[str, Any]]]:
    """The named people first, then generated ones, up to the two hundredth number."""
    named = {person.cpf: person.name for person in people()}
    chance = random.Random(SEED)  # noqa: S311 - the same bytes on every machine
    for number in range(1, CITIZENS + 1):
        cpf = Cpf.with_stem(f"900000{number:03}")
        name = named.get(cpf.digits) or f"{chance.choice(FIRST)} {chance.choice(LAST)} {chance.choice(LAST)}"
        record = _record(number, cpf, name, chance)
        if cpf.digits not in NOTHING_STORED:
            yield cpf, record


def _record(number: int, cpf: Cpf, name: str, chance: random.Random) -> dict[str, Any]:
    email = None if number % 10 == 0 else f"{name.split()[0].lower()}.{number}@correio.example"
    return {
        "_id": f"demo-{number:06}",
        "cpf": cpf.digits,
        "nome": name,
        "nome_social": None,
        "sexo": chance.choice(("F", "M")),
        "nascimento": {
            "data": _birth(chance),
            "municipio_id": None,
            "municipio": CITY,
            "uf": "RJ",
            "pais_id": None,
            "pais": "Brasil",
        },
        "mae": {"nome": f"{chance.choice(FIRST)} {name.split()[-1]}", "cpf": None},
        "menor_idade": False,
        "raca": chance.choice(ETHNICITIES),
        "obito": {"indicador": False, "ano": None},
        "email": {"principal": _loaded(valor=email) if email else None, "alternativo": []},
        "telefone": {"principal": _loaded(ddi="55", ddd="21", valor=f"90000{number:04}"), "alternativo": []},
        "endereco": {"principal": _address(chance), "alternativo": []},
    }


def _birth(chance: random.Random) -> str:
    return f"{chance.randint(1940, 2005)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T00:00:00-03:00"


def _address(chance: random.Random) -> dict[str, Any]:
    kind, _, street = chance.choice(STREETS).partition(" ")
    return _loaded(
        cep=f"2400{chance.randint(0, 9999):04}",
        estado="RJ",
        municipio=CITY,
        tipo_logradouro=kind,
        logradouro=street,
        numero=str(chance.randint(1, 999)),
        complemento=None,
        bairro=chance.choice(DISTRICTS),
    )


def _loaded(**members: Any) -> dict[str, Any]:
    return {"origem": "cadastro", "sistema": "demo", **members}


DEMO = Demo(load, examples)
