"""Accesses grouped by visit. The officer sees the names and departments of staff, and the citizen only departments."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from balcao.core.context.platform import assemble
from balcao.registry.city.staff_departments.jobs import hash_staff
from balcao.registry.rights.names import name_grant
from balcao.web.person.client import Access, AccessNames
from balcao.web.person.labels import describe_accesses, describe_actor, describe_reason, explain_access
from balcao.web.person.visits import group_by_visit
from tests.support.demo_people import CARLA
from tests.support.open_platform import opened
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

CHANGED = AccessNames("Mudou", ["o e-mail"], "Secretaria de Cidadania")
NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


def make(minute: float, **members: object) -> Access:
    values = {
        "at": NOON + timedelta(minutes=minute),
        "action": "read",
        "operation": "registry.read_citizen",
        "fields": ["citizen"],
        "actor_kind": "staff",
        "actor": "painel",
        "department": "Secretaria de Cidadania",
        "grant": "citizen:read",
        "reason": "senha 47",
        "outcome": "done",
        "names": AccessNames("Leu", ["o cadastro"], "Secretaria de Cidadania"),
    } | members
    return Access(**values)  # type: ignore[arg-type]


def test_what_one_visitor_does_without_a_long_pause_is_one_visit() -> None:
    accesses = [make(50), make(21, action="update", names=CHANGED), make(20, department="Saúde"), make(10), make(0)]
    visits = group_by_visit(accesses)
    assert [[one.at.minute for one in visit.accesses] for visit in visits] == [[50], [21, 10, 0], [20]]
    assert describe_accesses(visits[1].accesses) == "Leu o cadastro; mudou o e-mail"


@pytest.mark.parametrize("other", [{"reason": "senha 48"}, {"actor_kind": "citizen"}, {"outcome": "denied"}])
def test_another_reason_another_kind_and_a_refusal_are_visits_of_their_own(other: dict[str, object]) -> None:
    assert len(group_by_visit([make(2, **other), make(1)])) == 2


def test_reads_by_one_system_on_one_day_are_one_visit_if_the_zone_is_known() -> None:
    # Midnight in São Paulo is 3h UTC, which is 15 hours after noon.
    system = {"actor_kind": "client", "department": None, "reason": None}
    accesses = [make(minute, **system) for minute in (15 * 60 + 30, 14 * 60, 60, 0)]
    assert [len(visit.accesses) for visit in group_by_visit(accesses)] == [1, 1, 1, 1]
    visits = group_by_visit(accesses, ZoneInfo("America/Sao_Paulo"))
    assert [len(visit.accesses) for visit in visits] == [1, 3]
    assert [visit.repeats for visit in visits] == [0, 3]
    staff = [make(60), make(0)]
    assert [visit.repeats for visit in group_by_visit(staff, ZoneInfo("America/Sao_Paulo"))] == [0, 0]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({}, "senha 47"),
        ({"reason": None}, "sem motivo informado"),
        ({"reason": None, "actor_kind": "owner"}, ""),
        ({"reason": None, "actor_kind": "client"}, ""),
        (
            {"reason": None, "actor_kind": "client", "grant": "client:BALCAO_PLATFORM_CLIENTS"},
            "para mostrar e conferir as suas candidaturas e o seu currículo",
        ),
    ],
)
def test_an_access_without_a_reason_has_a_purpose_or_nothing_except_by_staff(
    members: dict[str, object], reason: str
) -> None:
    assert describe_reason(make(0, **members)) == reason


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"reason": "senha 47", "actor_kind": "operator"}, "senha 47"),
        ({}, "sem motivo informado"),
        ({"actor_kind": "operator", "grant": "operator"}, "manutenção do sistema, como carregar ou corrigir dados"),
        (
            {"actor_kind": "worker", "grant": "worker"},
            "tarefa automática, para concluir o que foi pedido ou manter os dados em dia",
        ),
        ({"actor_kind": "crm", "grant": "crm"}, "mudança feita na central de atendimento"),
        ({"actor_kind": "citizen", "grant": "vehicle_link"}, "vínculo com um veículo"),
        ({"actor_kind": "client", "grant": "scope:sms:read"}, "sistema autorizado a ler dados da saúde"),
        ({"actor_kind": "client", "grant": "client:BALCAO_MESSENGER_CLIENTS"}, "sistema autorizado pela prefeitura"),
        ({"actor_kind": "citizen", "outcome": "denied"}, "tentativa recusada, que não mostrou nenhum dado"),
        ({"actor_kind": "owner"}, ""),
    ],
)
def test_every_access_by_another_actor_says_why(members: dict[str, object], why: str) -> None:
    access = make(0, **({"reason": None} | members))
    access.names.grant = name_grant(access.grant, {})
    assert explain_access(access) == why


def test_only_the_reads_of_a_known_system_have_its_name() -> None:
    known = make(0, actor_kind="client", grant="client:BALCAO_PLATFORM_CLIENTS")
    assert describe_actor(known) == "Sistema de vagas da prefeitura"
    other = make(0, actor_kind="client", grant="client:BALCAO_PLATFORM_CLIENTS", operation="registry.check_recipients")
    assert describe_actor(other) == "Secretaria de Cidadania"


@pytest.fixture
def attended(sandbox: Sandbox, panel: PanelClient) -> str:
    """As Luiz, who belongs to two departments, read several parts of Carla's record. Return the departments' names."""

    async def work() -> None:
        platform = assemble(sandbox.settings, sandbox.database_url)
        async with opened(platform):
            await hash_staff(platform, {})

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()
    with PanelClient(sandbox.url) as luiz:
        luiz.login("luiz")
        luiz.attend(CARLA)
        for link in [link for link in luiz.page.links if re.fullmatch(r"/painel/atendimento/\d+/\w+", link)]:
            luiz.get(link)
    return "Secretaria de Saúde, Vigilância em Saúde"


def read_rows(page: str) -> list[str]:
    body = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body[-1], re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", row)) for row in rows]


@pytest.mark.long
def test_the_citizen_reads_the_department_once_for_a_visit(attended: str, panel: PanelClient) -> None:
    panel.login("carla")
    rows = read_rows(panel.get("/painel/meus-dados/quem-viu").text)
    of_visit = [row for row in rows if "senha 47" in row]
    assert len(of_visit) == 1
    assert "Leu o cadastro" in of_visit[0]
    assert "os pedidos" in of_visit[0]
    assert attended in of_visit[0]
    assert "Luiz" not in panel.page.text


def test_the_officer_reads_name_and_department(attended: str, panel: PanelClient) -> None:
    panel.login("debora")
    subject = panel.submit("/painel/dados/titular", cpf=CARLA, reason="Pedido do titular dos dados").text
    trail = next(link for link in panel.page.links if "trilha?" in link)
    for text in (subject, panel.get(trail).text):
        (row, *_) = [row for row in read_rows(text) if "senha 47" in row]
        assert "Luiz Estrela" in row
        assert attended in row


def test_the_trail_shows_the_data_of_people_unless_everything_is_asked_for(panel: PanelClient) -> None:
    panel.login("debora")
    of_nobody = " de ninguém "  # shown in each row about access to the whole trail
    assert of_nobody not in " ".join(read_rows(panel.get("/painel/dados/trilha").text))
    assert "a dados de pessoas" in panel.page.text
    assert of_nobody in " ".join(read_rows(panel.get("/painel/dados/trilha?sobre=tudo").text))
    assert "a dados de pessoas" not in panel.page.text
