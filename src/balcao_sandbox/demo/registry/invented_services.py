"""The city's records about its invented citizens: wallets and tickets."""

import random
from datetime import datetime, timedelta, timezone

from balcao.core.values.cpf import Cpf
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
    return WalletHealth(
        FamilyClinic(
            True,
            clinic,
            f"Clínica da Família {clinic[-2:]}",
            "2120000000",
            f"clinica{clinic[-2:]}@saude.portoaurora.example",
            f"Avenida do Porto, {clinic[-2:]}",
            "Segunda a sexta, das 8h às 18h",
        ),
        FamilyHealthTeam(
            True,
            f"00000{clinic[-2:]}",
            f"Equipe Farol {clinic[-2:]}",
            "2120000001",
            [Professional("700000000000001", "Otávio Ramos")],
            [Professional("700000000000002", "Marta Lima"), Professional("700000000000003", "Igor Dias")],
        ),
    )


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
