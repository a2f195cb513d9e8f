"""Tests for the pages about services, queues, processes, imports, limits and maintenance over HTTP."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from balcao.app import list_job_kinds
from balcao.core.database.migrations import platform_migrations
from balcao.panel.operation.labels import KINDS
from tests.support.fixture_types import Sql
from tests.support.panel import PanelClient
from tests.support.polling import until_now
from tests.support.sandbox import Sandbox

LIMITS = "/painel/operacao/limites"
LIMIT = f"{LIMITS}/registry.read_preferences/mudar"
UNDO = f"{LIMITS}/registry.read_preferences/desfazer"
BEGIN = "/painel/operacao/limites/manutencao"
TYPED = {"amount": "1000", "period": "second", "minutes": "60", "reason": "Campanha de vacinação"}
CLOSED = {"service": "search", "message": "A busca volta às 14h.", "minutes": "120", "reason": "Troca de servidor"}


@pytest.fixture(autouse=True)
def _put_back(sql: Sql) -> Iterator[None]:
    yield
    sql("WITH gone AS (DELETE FROM platform.live_change) SELECT pg_notify('balcao_live', '')")


def test_the_parts_the_processes_and_the_versions_are_shown(panel: PanelClient) -> None:
    panel.login("kleber", "/painel/operacao")
    for part in ("PostgreSQL", "Provedor de identidade", "todos ativos", "Filas", "Manutenção"):
        assert part in panel.page.text, part
    panel.get("/painel/operacao/processos")
    assert "Atende chamadas (api 0)" in panel.page.text
    assert "Nenhuma réplica está configurada" in panel.page.text
    last = [each.name for each in platform_migrations() if not each.is_repeatable][-1]
    assert last in panel.page.text


def test_a_process_that_has_fallen_silent_is_said_so(panel: PanelClient, sql: Sql) -> None:
    sql(
        "INSERT INTO platform.process (id, name, host, version, services, beat_at) VALUES (gen_random_uuid(), "
        "'worker-3', 'outra-maquina', '0.0.1', '{}', clock_timestamp() - interval '5 minutes')"
    )
    panel.login("kleber", "/painel/operacao")
    assert "1 sem sinal" in panel.page.text
    panel.get("/painel/operacao/processos")
    assert "outra-maquina" in panel.page.text
    assert "sem sinal" in panel.page.text
    sql("DELETE FROM platform.process WHERE name = 'worker-3'")


def test_queues_are_shown_by_kind_with_the_clock_of_the_recurring_ones(panel: PanelClient) -> None:
    panel.login("kleber", "/painel/operacao/filas")
    assert "Envio ao CRM" in panel.page.text
    assert "Encadeamento da trilha" in panel.page.text


def test_every_kind_of_job_has_words() -> None:
    kinds = {kind.name for kind in list_job_kinds()}
    assert not kinds - KINDS.keys()


def test_imports_say_that_there_are_none_and_how_far_one_is(panel: PanelClient, sql: Sql) -> None:
    sql("DELETE FROM platform.import")
    panel.login("kleber", "/painel/operacao/importacoes")
    assert "Nenhum arquivo foi importado ainda" in panel.page.text
    sql(
        "INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused) "
        "VALUES ('citizens', '', 1000, 'x', 250, 10, 8, 1, 1)"
    )
    panel.get("/painel/operacao/importacoes")
    assert "Cidadãos" in panel.page.text
    assert "interrompida" in panel.page.text
    assert "25 %" in panel.page.text
    sql("DELETE FROM platform.import")


def test_a_limit_changes_once_its_meaning_was_confirmed_and_is_put_back(panel: PanelClient) -> None:
    panel.login("kleber", LIMIT)
    panel.submit(LIMIT, **TYPED)
    assert "De 5.000 por segundo para 1.000 por segundo" in panel.page.text
    panel.get(LIMITS)
    assert UNDO not in [form.action for form in panel.page.forms]
    panel.submit(LIMIT, **TYPED)
    panel.post(LIMIT, panel.find_form(LIMIT).values | {"confirmado": "sim"})
    assert "1.000 por segundo, em todos os processos" in panel.page.text
    assert ", por Kleber Assis" in panel.page.text
    panel.post(UNDO, panel.find_form(UNDO).values)
    assert "volta a valer o configurado" in panel.page.text


def test_a_limit_that_would_shut_people_out_is_refused_at_its_field_and_what_was_typed_stays(
    panel: PanelClient,
) -> None:
    panel.login("kleber", LIMIT)
    panel.submit(LIMIT, **TYPED | {"amount": "3"})
    answer = panel.post(LIMIT, panel.find_form(LIMIT).values | {"confirmado": "sim"})
    assert answer.status_code == 422
    assert "um décimo e dez vezes" in panel.page.text
    assert panel.find_form(LIMIT).values["reason"] == TYPED["reason"]
    panel.submit(LIMIT, **TYPED | {"reason": ""})
    assert "Diga por que o limite muda." in panel.page.text


def test_a_service_stops_once_its_meaning_was_confirmed_and_is_put_back_into_use(panel: PanelClient) -> None:
    panel.login("kleber", BEGIN)
    panel.submit(BEGIN, **CLOSED)
    assert "Busca e catálogo deixa de responder a todos" in panel.page.text
    corrected = panel.post(BEGIN, panel.find_form(BEGIN).values | {"confirmado": "nao"})
    assert corrected.status_code == 200
    assert panel.find_form(BEGIN).values["message"] == CLOSED["message"]
    panel.submit(BEGIN, **CLOSED)
    panel.post(BEGIN, panel.find_form(BEGIN).values | {"confirmado": "sim"})
    assert "em manutenção, em todos os processos" in panel.page.text
    assert CLOSED["message"] in panel.page.text
    end = "/painel/operacao/limites/manutencao/search/encerrar"
    panel.post(end, panel.find_form(end).values)
    assert "Busca e catálogo de novo no ar" in panel.page.text
    assert "todos os serviços no ar" in panel.page.text


@pytest.mark.long
def test_a_maintenance_is_planned_announced_changed_and_given_up(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("kleber", BEGIN)
    for begin, message in (("2035-06-01T22:00", "A busca para à noite."), ("2035-06-02T22:00", "Outra frase.")):
        answer = panel.submit(BEGIN, **CLOSED | {"begins_at": begin, "message": message})
        assert answer.status_code == 200
        answer = panel.post(BEGIN, panel.find_form(BEGIN).values | {"confirmado": "sim"})
        assert answer.status_code == 422  # the start is more than 90 days in the future
        assert "no máximo 90 dias" in panel.page.text
    tomorrow = datetime.now(ZoneInfo("America/Sao_Paulo")) + timedelta(days=1)
    for message in ("A busca para à noite.", "A busca para amanhã à noite."):
        panel.submit(BEGIN, **CLOSED | {"begins_at": f"{tomorrow:%Y-%m-%dT22:00}", "message": message})
        assert f"de {tomorrow:%d/%m/%Y} 22:00 até" in panel.page.text
        panel.post(BEGIN, panel.find_form(BEGIN).values | {"confirmado": "sim"})
        assert "A manutenção está planejada e anunciada" in panel.page.text
    assert "todos os serviços no ar" in panel.page.text
    assert "A busca para à noite." not in panel.page.text  # the later message replaced this one
    until_now(lambda: "A busca para amanhã à noite." in sandbox.http.get("/status").text)
    end = "/painel/operacao/limites/manutencao/search/encerrar"
    panel.post(end, panel.find_form(end).values)
    assert "Manutenções planejadas" not in panel.page.text


def test_the_pages_answer_while_the_services_that_they_stand_on_are_in_maintenance(
    panel: PanelClient, sql: Sql
) -> None:
    panel.login("kleber", BEGIN)
    for service in ("registry", "access"):
        panel.submit(BEGIN, **CLOSED | {"service": service})
        panel.post(BEGIN, panel.find_form(BEGIN).values | {"confirmado": "sim"})
    for service in ("registry", "access"):
        end = f"/painel/operacao/limites/manutencao/{service}/encerrar"
        assert panel.get(LIMITS).status_code == 200
        panel.post(end, panel.find_form(end).values)
    assert "todos os serviços no ar" in panel.page.text


def test_the_calls_of_the_last_day_are_drawn_with_their_table(panel: PanelClient, sql: Sql) -> None:
    panel.login("kleber", "/painel/operacao/chamadas")
    sql("DELETE FROM platform.response_count")
    answer = panel.get("/painel/operacao/chamadas")
    assert "Nenhuma chamada foi contada nas últimas 24 horas" in panel.page.text
    assert '<div class="plot">' not in answer.text
    sql(
        "INSERT INTO platform.response_count SELECT '5m', date_trunc('hour', now()) - each.ago, each.service, 1200, 7, "
        "1, 2, 3.0, '{0, 0, 0, 1000, 0, 0, 200, 0, 0, 0, 0, 0, 0}' "
        "FROM (VALUES (interval '1 hour', 'registry'), ('1 hour', 'search')) AS each (ago, service)"
    )
    drawn = panel.get("/painel/operacao/chamadas")
    assert drawn.text.count('<div class="plot">') == 5
    assert "2.400" in panel.page.text
    assert "2,5 ms 8,0 ms 85,0 ms" in " ".join(panel.page.text.split())  # mean, median and 95th percentile
    panel.get("/painel/operacao/chamadas?servico=search")
    assert "1.200" in panel.page.text
    assert "2.400" not in panel.page.text
