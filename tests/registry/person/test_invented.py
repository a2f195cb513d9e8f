"""Any number of generated citizens keeps the promises of the demonstration (rules: registry 7)."""

import itertools

from balcao.core.values.cpf import Cpf
from balcao_sandbox.demo.health_units import WEEKS
from balcao_sandbox.demo.health_units_city import UNITS
from balcao_sandbox.demo.registry import invented
from balcao_sandbox.identity.demo import people

COUNT = 210
STATUSES = {"Aberto", "Em andamento", "Fechado com solução", "Não constatado", "Cancelado"}
MANY = list(invented.make_citizens(COUNT))


def test_each_has_a_right_cpf_of_their_number_and_the_named_keep_their_names() -> None:
    assert [Cpf.parse(line.cpf) for line in MANY].count(None) == 0
    assert [line.cpf[:9] for line in MANY[:2]] == ["900000001", "900000002"]
    named = {person.cpf: person.name for person in people()}
    shown = {line.cpf: line.nome for line in MANY}
    assert {shown[cpf] for cpf in named.keys() & shown.keys()} == {named[cpf] for cpf in named.keys() & shown.keys()}
    assert len(named.keys() & shown.keys()) >= 13


def test_a_citizen_is_the_same_whether_the_others_are_made_or_not() -> None:
    assert invented.make_citizen(137) == MANY[136]
    assert list(invented.make_citizens(3, first=100)) == MANY[99:102]


def test_every_tenth_has_no_email_and_every_seventh_tickets_of_all_statuses() -> None:
    without = [number for number, line in enumerate(MANY, 1) if line.email is None or line.email.principal is None]
    assert without == list(range(10, COUNT + 1, 10))
    by_person = {
        cpf: [ticket.status for ticket in tickets]
        for cpf, tickets in itertools.groupby(invented.make_tickets(COUNT), key=lambda ticket: ticket.cpf)
    }
    assert list(by_person) == [MANY[number - 1].cpf for number in range(7, COUNT + 1, 7)]
    assert {frozenset(statuses) for statuses in by_person.values()} == {frozenset(STATUSES)}


def test_their_names_sex_and_addresses_fit() -> None:
    for citizen in MANY:
        assert citizen.nome
        assert citizen.mae
        assert citizen.mae.nome
        first, *family = citizen.nome.split()
        assert len(set(family)) == len(family)
        assert citizen.mae.nome.split()[0] not in invented.MEN
        if first in (*invented.WOMEN, *invented.MEN):
            assert citizen.sexo == ("F" if first in invented.WOMEN else "M")
        if citizen.email and citizen.email.principal:
            assert citizen.email.principal.valor.isascii()
        if citizen.educacao and citizen.educacao.escola:
            assert citizen.educacao.escola.horario_funcionamento == "7:30 às 17:00"
    assert {citizen.cpf: citizen.sexo for citizen in MANY[:2]} == {MANY[0].cpf: "F", MANY[1].cpf: "M"}


def test_ana_lacks_nothing_that_a_base_record_can_have() -> None:
    ana = MANY[0]
    missing = {name for name in ana.__struct_fields__ if getattr(ana, name) is None}
    assert missing <= {"educacao"}  # Ana is too old to attend school
    assert ana.saude
    assert ana.saude.clinica_familia
    assert ana.saude.clinica_familia.fonte == "bigquery"


def test_the_clinic_in_a_wallet_is_the_health_unit_of_that_name() -> None:
    """The wallet and the unit's own page must not show different places, telephones or hours."""
    for citizen in MANY:
        assert citizen.saude
        clinic = citizen.saude.clinica_familia
        assert clinic
        unit = UNITS[clinic.id_cnes or ""]
        assert (clinic.nome, clinic.endereco) == (unit.nome, f"{unit.logradouro}, {unit.numero}, {unit.bairro}")
        assert clinic.telefone == "".join(filter(str.isdigit, unit.telefone or ""))
        opens_on_saturday = bool(WEEKS[clinic.id_cnes or ""].semana.get("6"))
        assert ("sábado" in (clinic.horario_atendimento or "")) is opens_on_saturday
