"""Imported service tickets: listed newest first, with totals for the citizen (rules: registry 2.2, 3.3)."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.registry.person.tickets.api import PERSONAL_DATA
from balcao.settings import Settings
from tests.registry.import_runs import Load, importing, written
from tests.support.demo_people import ANA, BRUNO
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal

STATUSES = ("Aberto", "Em andamento", "Fechado com solução", "Não constatado", "Cancelado")
MEMBERS = {
    "id", "cpf", "id_chamado", "categoria", "tipo", "subtipo", "status", "descricao", "endereco",
    "nome_unidade_organizacional", "origem_ocorrencia", "data_inicio", "data_alvo_finalizacao", "data_fim", "indicador",
    "total_chamados", "total_fechados",
}  # fmt: skip


def path(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/maintenance-request"


def line(number: int, **members: Any) -> dict[str, Any]:
    begun = f"2026-03-{1 + number // 5:02}T10:00:00-03:00"
    return {"cpf": ANA, "id": f"t{number:02}", "status": STATUSES[number % 5], "data_inicio": begun, **members}


@pytest.fixture(scope="module", autouse=True)
def load(settings: Settings, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """Import twenty-five tickets for Ana, five for each of five start times."""
    with importing(settings, database_url) as running:
        running(written(tmp_path_factory.mktemp("tickets") / "a", map(line, range(25))), "tickets")
        yield running


@pytest.fixture
def listed(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.person(ANA))
    return lambda **query: http.get(path(ANA), params=query, headers=token)


def test_every_page_continues_the_one_before(listed: Callable[..., httpx.Response]) -> None:
    pages = [listed(page=page, per_page=7).json() for page in range(1, 6)]
    assert [len(page["data"]) for page in pages] == [7, 7, 7, 4, 0]
    found = [(datetime.fromisoformat(ticket["data_inicio"]), ticket["id"]) for page in pages for ticket in page["data"]]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 25
    assert {tuple(page["pagination"].items()) for page in pages[:1]} == {
        (("page", 1), ("per_page", 7), ("total", 25), ("total_pages", 4))
    }


def test_the_totals_are_the_citizens_on_each_ticket(listed: Callable[..., httpx.Response]) -> None:
    answer = listed(per_page=2)
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert [set(ticket) for ticket in answer.json()["data"]] == [MEMBERS, MEMBERS]
    assert {(ticket["total_chamados"], ticket["total_fechados"]) for ticket in answer.json()["data"]} == {(25, 15)}


def test_a_date_without_time_begins_the_citys_day(
    listed: Callable[..., httpx.Response], load: Load, tmp_path: Path
) -> None:
    load(
        written(tmp_path / "a", [line(0, data_fim="2026-04-01", data_alvo_finalizacao="2026-04-01T05:06:07Z")]),
        "tickets",
    )
    (ticket,) = (ticket for ticket in listed(per_page=100).json()["data"] if ticket["id"] == "t00")
    assert (ticket["data_fim"], ticket["data_alvo_finalizacao"]) == ("2026-04-01T03:00:00Z", "2026-04-01T05:06:07Z")


@pytest.mark.parametrize("query", [{"page": 0}, {"per_page": 101}, {"per_page": "x"}], ids=str)
def test_a_bad_page_is_refused_by_name(listed: Callable[..., httpx.Response], query: dict[str, Any]) -> None:
    answer = listed(**query)
    assert answer.status_code == 400
    assert next(iter(query)) in answer.json()["error"]


def test_who_has_no_ticket_has_an_empty_list(http: httpx.Client, issuer: Issuer) -> None:
    answer = http.get(path(BRUNO), headers=bearer(issuer.person(BRUNO)))
    assert (answer.status_code, answer.json()["data"], answer.json()["pagination"]["total"]) == (200, [], 0)


def test_only_owner_and_staff_see_them(http: httpx.Client, issuer: Issuer) -> None:
    tokens = [issuer.person(BRUNO), issuer.machine("painel-saude", "rmi:pessoa-fisica:read"), issuer.admin()]
    assert [http.get(path(ANA), headers=bearer(token)).status_code for token in tokens] == [403, 403, 200]
    assert refusal(http.get(path("123"), headers=bearer(issuer.admin()))) == (400, "cpf-invalid")


def test_the_export_holds_them_all(settings: Settings, database_url: str) -> None:
    async def exported(call: Any) -> Any:
        async with call.platform.database.connection() as connection:
            return await PERSONAL_DATA.export(connection, Cpf(ANA))

    with acting(settings, database_url, "registry.export") as act:
        assert len(act(exported)["chamados"]) == 25
    assert PERSONAL_DATA.erase is None
