"""The city's records about its invented citizens: wallets and tickets."""

import random
from datetime import datetime, timedelta, timezone

from balcao.core.values.cpf import Cpf
from balcao.health_units.timetables.schemas import IntervalBody
from balcao.registry.person.tickets.schemas import TicketRow
from balcao.registry.person.wallet.schemas import (
    AssistanceCentre,
    Documents,
    Education,
    FamilyClinic,
    FamilyHealthTeam,
    ImportedWallet,
    Professional,
    School,
    SingleRegistry,
    SocialAssistance,
    Student,
    WalletHealth,
)
from balcao_sandbox.demo.health_units import WEEKS
from balcao_sandbox.demo.health_units_city import UNITS

OPEN = ("Aberto", "Em andamento")
CLOSED = ("Fechado com solução", "Não constatado", "Cancelado")
EVERY_ASSISTED = 5
SCHOOL_YEARS = ("2009", "2018")
CLINICS = tuple(f"99000{number:02}" for number in range(1, 13))  # the demo health units that have a history
SUBJECTS = (
    ("Iluminação pública", "Reparo", "Luminária apagada"),
    ("Conservação", "Reparo", "Buraco na via"),
    ("Limpeza urbana", "Remoção", "Entulho"),
    ("Árvores", "Poda", "Galhos sobre a rede"),
)
_ZONE = timezone(timedelta(hours=-3))
_FIRST_DAY = datetime(2025, 1, 6, 8, tzinfo=_ZONE)


def make_wallet(number: int, cpf: Cpf, birth: str, chance: random.Random) -> ImportedWallet:
    """Return a citizen's wallet.

    Only people of school age in 2026 are pupils. Ana, the first citizen, belongs to a unit that has an active risk
    notification.
    """
    pupil = SCHOOL_YEARS[0] <= birth[:4] <= SCHOOL_YEARS[1]
    return ImportedWallet(
        Documents([f"7{cpf.digits}000"]),
        _make_health(CLINICS[3] if number == 1 else chance.choice(CLINICS)),
        _make_assistance() if number == 1 or number % EVERY_ASSISTED == 0 else None,
        _make_education(chance) if pupil else None,
    )


def _make_health(clinic: str) -> WalletHealth:
    """Return a clinic as the wallet shows it. Its data is that of the health unit with the same code."""
    unit = UNITS[clinic]
    phone = "".join(filter(str.isdigit, unit.telefone or ""))
    return WalletHealth(
        FamilyClinic(
            True,
            clinic,
            unit.nome,
            phone,
            f"clinica{clinic[-2:]}@saude.portoaurora.example",
            f"{unit.logradouro}, {unit.numero}, {unit.bairro}",
            _describe_week(clinic),
        ),
        FamilyHealthTeam(
            True,
            f"00000{clinic[-2:]}",
            f"Equipe {unit.bairro}",
            phone,
            [Professional("700000000000001", "Otávio Ramos")],
            [Professional("700000000000002", "Marta Lima"), Professional("700000000000003", "Igor Dias")],
        ),
    )


def _describe_week(clinic: str) -> str:
    """Describe a clinic's hours: "Segunda a sexta, das 8h às 17h; sábado, das 8h às 12h"."""
    week = WEEKS[clinic].semana
    days = {"Segunda a sexta": week.get("1", []), "sábado": week.get("6", [])}
    return "; ".join(f"{name}, {' e '.join(map(_describe_interval, hours))}" for name, hours in days.items() if hours)


def _describe_interval(interval: IntervalBody) -> str:
    start, end = (int(time[:2]) for time in (interval.inicio, interval.fim))  # demo units open and close on the hour
    return f"das {start}h às {end}h"


def _make_assistance() -> SocialAssistance:
    return SocialAssistance(
        SingleRegistry(True, "2021-03-10", "2025-08-20", "2027-08-20", "Cadastrado"),
        AssistanceCentre("CRAS Aurora", "Rua do Farol, 10", "2120000002"),
    )


def _make_education(chance: random.Random) -> Education:
    return Education(
        Student(True, chance.choice(("MB", "B", "R")), float(chance.randint(70, 100))),
        School(
            "Escola Municipal Aurora", "7:30 às 17:00", "2120000003", "escola@aurora.example", None, "Rua do Sol, 1"
        ),
    )


def make_ticket(cpf: Cpf, number: int, status: str, chance: random.Random) -> TicketRow:
    category, kind, subject = chance.choice(SUBJECTS)
    place = (*OPEN, *CLOSED).index(status)
    begun = _FIRST_DAY + timedelta(days=100 * place + chance.randrange(90), minutes=chance.randrange(600))
    return TicketRow(
        id=f"demo-{number:06}-{place + 1}",
        cpf=cpf.digits,
        id_chamado=f"{begun:%Y}{number:06}{place + 1}",
        categoria=category,
        tipo=kind,
        subtipo=subject,
        status=status,
        descricao=f"{subject} na vizinhança.",
        endereco=f"Rua das Acácias, {chance.randint(1, 999)}",
        nome_unidade_organizacional="Subprefeitura do Porto",
        origem_ocorrencia=chance.choice(("Aplicativo", "Central de atendimento", "Portal")),
        data_inicio=begun.isoformat(),
        data_alvo_finalizacao=(begun + timedelta(days=15)).isoformat(),
        data_fim=(begun + timedelta(days=chance.randint(1, 20))).isoformat() if status in CLOSED else None,
    )
