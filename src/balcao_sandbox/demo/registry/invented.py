"""Invented citizens of the invented city Porto Aurora, by number. They are the same on every machine.

Each citizen has a separate seed, so that their data does not depend on which other citizens are generated.
"""

import random
from collections.abc import Iterator

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.translation import strip_accents
from balcao.registry.person.citizens.base import (
    BaseAddress,
    BaseAddresses,
    BaseBirth,
    BaseDeath,
    BaseEmail,
    BaseEmails,
    BaseMother,
    BasePhone,
    BasePhones,
    CitizenRow,
)
from balcao.registry.person.tickets.schemas import TicketRow
from balcao_sandbox.demo.registry import MOST_CITIZENS
from balcao_sandbox.demo.registry.invented_services import CLOSED, OPEN, make_ticket, make_wallet
from balcao_sandbox.identity.demo import Person, people

SEED = 2026
SOURCE = "demo"
FIRST_STEM = 900_000_000
ANA = 1
EVERY_WITHOUT_EMAIL = 10
EVERY_WITH_TICKETS = 7
CITY = "Porto Aurora"
WOMEN = "Aline Beatriz Débora Fernanda Helena Irene Júlia Marta Nádia Paula".split()
MEN = "Caio Eduardo Gustavo Igor Lucas Otávio Rafael Tiago Vítor".split()
LAST = "Almeida Barros Campos Dias Esteves Freitas Gomes Lima Martins Nunes Oliveira Pinto Ramos Souza Teixeira".split()
STREETS = ("Rua das Acácias", "Avenida do Porto", "Travessa da Aurora", "Rua do Farol", "Ladeira das Pedras")
DISTRICTS = ("Centro", "Farol", "Vila Nova", "Jardim da Serra", "Praia Grande")
ETHNICITIES = ("branca", "preta", "parda", "amarela", "indigena")

_named = {person.cpf: person for person in people()}


def make_citizens(count: int, first: int = 1) -> Iterator[CitizenRow]:
    """Yield `count` citizens, numbered from `first`, each with base record and wallet."""
    return (make_citizen(number) for number in range(first, first + count))


def make_tickets(count: int, first: int = 1) -> Iterator[TicketRow]:
    """Yield these citizens' tickets. Every seventh citizen has one ticket in each status."""
    for number in range(first, first + count):
        if number % EVERY_WITH_TICKETS == 0:
            chance = _seed(f"tickets:{number}")
            yield from (make_ticket(make_cpf(number), number, status, chance) for status in (*OPEN, *CLOSED))


def make_cpf(number: int) -> Cpf:
    return Cpf.with_stem(str(FIRST_STEM + number))


def _seed(what: str) -> random.Random:
    return random.Random(f"{SEED}:{what}")  # noqa: S311 - the same data on every machine


def make_citizen(number: int) -> CitizenRow:
    chance, cpf = _seed(str(number)), make_cpf(number)
    person = _named.get(cpf.digits)
    name = f"{chance.choice(WOMEN + MEN)} {' '.join(chance.sample(LAST, 2))}"
    row = _make_row(number, cpf, person.name if person else name, _make_birth(chance, person), chance)
    if number == ANA:
        _complete(row)
    return row


def _make_row(number: int, cpf: Cpf, name: str, birth: str, chance: random.Random) -> CitizenRow:
    first, family = name.split()[0], name.split()[-1]
    email = f"{strip_accents(first).lower()}.{number}@correio.example"
    drawn = make_wallet(number, cpf, birth, chance)
    return CitizenRow(
        id_=f"demo-{number:06}",
        cpf=cpf.digits,
        nome=name,
        sexo="F" if first in WOMEN or first.endswith("a") else "M",
        nascimento=BaseBirth(data=birth, municipio=CITY, uf="RJ", pais="Brasil"),
        mae=BaseMother(nome=f"{chance.choice(WOMEN)} {family}"),
        raca=chance.choice(ETHNICITIES),
        obito=BaseDeath(indicador=False),
        email=BaseEmails(None if number % EVERY_WITHOUT_EMAIL == 0 else BaseEmail(valor=email, sistema=SOURCE)),
        telefone=BasePhones(BasePhone(ddi="55", ddd="21", valor=f"9{number:08}", sistema=SOURCE)),
        endereco=BaseAddresses(_make_address(chance)),
        documentos=drawn.documentos,
        saude=drawn.saude,
        assistencia_social=drawn.assistencia_social,
        educacao=drawn.educacao,
        source=SOURCE,
    )


def _complete(row: CitizenRow) -> None:
    """Fill in all optional members of Ana's base record."""
    row.nome_social = "Bia Moreira"
    born = row.nascimento.data if row.nascimento else None
    row.nascimento = BaseBirth(born, "3300000", CITY, "RJ", "076", "Brasil")
    row.mae = BaseMother("Helena Moreira", make_cpf(MOST_CITIZENS).digits)
    row.menor_idade = False
    row.email = BaseEmails(
        BaseEmail(valor="ana@pessoa.example", sistema=SOURCE),
        [BaseEmail(valor="ana.1@correio.example", sistema=SOURCE)],
    )
    row.telefone = BasePhones(
        BasePhone(ddi="55", ddd="21", valor="900000001", sistema=SOURCE),
        [BasePhone(ddi="55", ddd="21", valor="20000001", sistema=SOURCE)],
    )
    row.endereco = BaseAddresses(
        _make_home("120"), [_make_home("80", latitude=-22.5, longitude=-43.25, pluscode="58GVGQ2X+22")]
    )


def _make_home(numero: str, **place: float | str) -> BaseAddress:
    members = {"complemento": "Apto. 301", **place}
    return BaseAddress(
        sistema=SOURCE,
        cep="24000010",
        estado="RJ",
        municipio=CITY,
        tipo_logradouro="Rua",
        logradouro="das Acácias",
        numero=numero,
        bairro="Centro",
        **members,  # type: ignore[arg-type]  # each of its own type
    )


def _make_birth(chance: random.Random, person: Person | None) -> str:
    drawn = f"{chance.randint(1940, 2018)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return (person and person.birth_date) or drawn


def _make_address(chance: random.Random) -> BaseAddress:
    kind, _, street = chance.choice(STREETS).partition(" ")
    return BaseAddress(
        sistema=SOURCE,
        cep=f"2400{chance.randint(0, 9999):04}",
        estado="RJ",
        municipio=CITY,
        tipo_logradouro=kind,
        logradouro=street,
        numero=str(chance.randint(1, 999)),
        bairro=chance.choice(DISTRICTS),
    )
