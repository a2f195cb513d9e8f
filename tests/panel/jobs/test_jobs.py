"""Tests for the jobs' pages over HTTP, on the running platform with its demo data."""

import asyncio
import csv
import io
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.paths import sandbox_application_id
from balcao.panel.jobs import candidate_pages
from balcao.panel.jobs.bulk import service as bulk
from balcao.panel.jobs.candidates_client import Candidate
from tests.support.panel import PanelClient
from tests.support.polling import PATIENCE, until_now

Sql = Callable[..., list[dict[str, object]]]

KITCHEN, FOREIGN, CLOSED = sandbox_job_id("V9"), sandbox_job_id("V7"), sandbox_job_id("V8")
CANDIDATES = f"/painel/vagas/{KITCHEN}/candidaturas"


def test_the_list_counts_each_state_and_keeps_its_filters_in_the_address(panel: PanelClient) -> None:
    panel.login("helio", "/painel/vagas?aba=publicado_ativo&busca=auxiliar")
    assert "Auxiliar de cozinha" in panel.page.text
    assert "Motorista" not in panel.page.text
    assert "1 vaga" in panel.page.text


def test_a_job_of_another_department_is_said_to_be_perhaps_that(panel: PanelClient) -> None:
    panel.login("helio")
    answer = panel.get(f"/painel/vagas/{FOREIGN}")
    assert answer.status_code == 404
    assert "de um órgão a que você não tem acesso" in panel.page.text


def test_what_is_missing_is_listed_when_a_job_is_to_move_on(panel: PanelClient) -> None:
    panel.login("gilda")
    path = f"/painel/vagas/{sandbox_job_id('V6')}/mudar/enviar"
    answer = panel.submit(path, reason="Pronta")
    assert answer.status_code == 422
    assert "Faltam 5 campos" in panel.page.text
    assert f"/painel/vagas/{sandbox_job_id('V6')}/editar#bairro" in panel.page.links


def test_a_new_draft_without_a_department_shows_no_error(panel: PanelClient) -> None:
    panel.login("helio", "/painel/vagas/nova")
    form = panel.find_form("/painel/vagas/nova")
    chosen = {name: form.choices[name][1] for name in ("id_regime_contratacao", "id_modelo_trabalho")}
    unset = dict.fromkeys(("id_orgao_parceiro", "id_escolaridade_minima", "acessibilidade_pcd"), "")
    texts = {"titulo": "Pintor de escolas", "descricao": "Pinta escolas.", "id_contratante": "90000002000173"}
    answer = panel.post("/painel/vagas/nova", form.values | chosen | unset | texts)
    assert panel.page.heading == "Pintor de escolas"
    assert "sem órgão ainda" in panel.page.text
    assert "Não foi possível ler" not in panel.page.text
    assert "Antes, a vaga precisa de um órgão" in panel.page.text
    assert panel.get(f"{answer.url.path}/editar").status_code == 200


def test_after_an_approval_the_next_job_opens_and_at_the_end_the_empty_list(panel: PanelClient) -> None:
    first = f"/painel/vagas/{sandbox_job_id('V11')}"
    panel.login("helio", first)
    form = panel.find_form(f"{first}/duplicar")
    second = panel.post(form.action, form.values).url.path.removesuffix("/editar")
    panel.submit(f"{second}/mudar/enviar", reason="Pronta")
    following = panel.submit(f"{first}/mudar/devolver", reason="Falta o salário.")
    assert following.url.path == second
    assert "A vaga “Eletricista predial” voltou para edição. Esta é a próxima que espera." in panel.page.text
    last = panel.submit(f"{second}/mudar/devolver", reason="Falta o salário.")
    assert str(last.url).endswith("/painel/vagas?aba=em_aprovacao")
    assert "Nenhuma outra espera aprovação." in panel.page.text
    assert "Nenhuma vaga espera aprovação." in panel.page.text


def test_a_copy_of_a_job_is_a_draft_and_a_second_press_makes_no_second_one(panel: PanelClient) -> None:
    panel.login("helio", f"/painel/vagas/{KITCHEN}")
    form = panel.find_form(f"/painel/vagas/{KITCHEN}/duplicar")
    copies = {str(panel.post(form.action, form.values).url) for _ in range(2)}
    assert len(copies) == 1
    assert panel.page.heading == "Editar “Auxiliar de cozinha (cópia)”"


def test_the_file_has_what_the_filters_find_in_the_citys_time(panel: PanelClient) -> None:
    panel.login("helio", CANDIDATES)
    answer = panel.get(f"{CANDIDATES}/planilha?situacao=reprovada")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert {row["Situação"] for row in rows} == {"Reprovada"}
    assert {row["Você tem curso de manipulação de alimentos?"] for row in rows} <= {"Sim", "Não"}
    panel.get(f"/painel/candidaturas/{sandbox_application_id('7-V9')}")
    shown = next(row for row in rows if row["Nome"] == panel.page.heading)
    assert shown["Candidatou-se em"].replace(" ", ", ") in panel.page.text


def test_no_whole_cpf_stands_in_the_list_of_candidates(panel: PanelClient) -> None:
    panel.login("helio")
    shown = panel.get(CANDIDATES).text
    assert "***.022." in shown
    assert "90002" not in shown


def test_who_does_not_decide_sees_no_button_and_is_refused(panel: PanelClient) -> None:
    panel.login("ana")
    assert panel.get(CANDIDATES).status_code == 403


def test_nothing_is_decided_while_the_selection_is_closed(panel: PanelClient) -> None:
    panel.login("helio")
    panel.get(f"/painel/vagas/{CLOSED}/candidaturas")
    assert "Aprovar" not in panel.page.text


def test_a_notice_that_nothing_was_done_does_not_look_like_a_success(panel: PanelClient) -> None:
    panel.login("helio", CANDIDATES)
    form = next(form for form in panel.page.forms if "pessoa" in form.choices)
    answer = panel.post(form.action, form.values | {"_acao": "reprovar"})
    assert "Nenhuma pessoa estava marcada" in panel.page.text
    assert 'class="note at" role="status"' in answer.text
    assert "! " not in panel.page.text
    assert 'role="status"' not in panel.get(CANDIDATES).text


def test_a_candidate_is_decided_on_once_and_the_slower_one_is_told(panel: PanelClient) -> None:
    path = f"/painel/candidaturas/{sandbox_application_id('12-V9')}"
    panel.login("helio", path)
    opened = dict(panel.find_form(path).values)
    following = panel.post(path, opened | {"_acao": "aprovar", "reason": "Tem experiência"})
    assert "está aprovada" in following.text
    assert 'class="note ok" role="status"' in following.text
    assert re.fullmatch(r"/painel/candidaturas/[0-9a-f-]{36}", following.url.path)
    assert following.url.path != path
    slower = panel.post(path, opened | {"_acao": "reprovar", "reason": ""})
    assert slower.status_code == 412
    assert "Alguém decidiu antes" in panel.page.text
    assert "Tem experiência" in panel.get(path).text


@pytest.mark.parametrize(
    ("action", "said"),
    [("reabrir", "O motivo só é guardado ao aprovar ou reprovar"), ("etapa", "apague o texto"), ("", "botões")],
)
def test_a_button_that_keeps_no_reason_refuses_one_and_loses_nothing(
    panel: PanelClient, action: str, said: str
) -> None:
    path = f"/painel/candidaturas/{sandbox_application_id('12-V9')}"
    panel.login("helio", path)
    reason = "Falta um documento" if action else ""
    answer = panel.post(path, {**panel.find_form(path).values, "_acao": action, "reason": reason})
    assert answer.status_code == 422
    assert said in panel.page.text
    assert panel.find_form(path).values["reason"].strip() == reason


@pytest.mark.parametrize(
    ("cleared", "reason"),
    [
        ({}, "chegou sem currículo"),
        ({"nome": None}, "pediu que os seus dados fossem apagados"),
        ({"nome": None, "cpf": None}, "o prazo para guardá-los passou"),
    ],
)
def test_a_missing_resume_has_its_true_reason(cleared: dict[str, None], reason: str) -> None:
    known: dict[str, Any] = dict.fromkeys(Candidate.__struct_fields__)
    candidate = Candidate(**{**known, "cpf": "90000000175", "nome": "Ana", **cleared})
    assert reason in candidate.why_without_resume


def test_a_company_beyond_the_suggested_ones_is_found_by_its_name(panel: PanelClient, sql: Sql) -> None:
    sql(
        "INSERT INTO employability.company (cnpj, razao_social)"
        " SELECT 'ZZ' || lpad(place::text, 12, '0'), 'Empresa ' || to_char(place, 'FM000') || ' Ltda.'"
        " FROM generate_series(1, 250) AS place"
        " UNION ALL SELECT '90000099000114', 'Zeladoria do Porto Ltda.'"
    )
    panel.login("helio", "/painel/vagas/nova")
    assert "Zeladoria" not in panel.page.text
    form = panel.find_form("/painel/vagas/nova")
    chosen = {name: form.choices[name][1] for name in ("id_regime_contratacao", "id_modelo_trabalho")}
    unset = dict.fromkeys(("id_orgao_parceiro", "id_escolaridade_minima", "acessibilidade_pcd"), "")
    filled = form.values | chosen | unset | {"titulo": "Pintora de escolas", "descricao": "Pinta escolas."}
    answer = panel.post("/painel/vagas/nova", filled | {"id_contratante": "Empresa 24"})
    assert answer.status_code == 422
    assert "Há várias: Empresa 240 Ltda. (ZZ.000.000/0002-40);" in panel.page.text
    assert "e mais 5. Escreva o nome inteiro ou o CNPJ." in panel.page.text
    panel.post("/painel/vagas/nova", filled | {"id_contratante": "Empresa que não há"})
    assert "Nenhuma empresa cadastrada tem este nome ou CNPJ." in panel.page.text
    panel.post("/painel/vagas/nova", filled | {"id_contratante": "zeladoria do"})
    assert panel.page.heading == "Pintora de escolas"
    assert "Zeladoria do Porto Ltda." in panel.page.text
    sql("DELETE FROM employability.company WHERE cnpj LIKE 'ZZ%'")


def test_a_long_decision_renews_tokens_that_another_request_had_renewed_before(
    panel: PanelClient, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens last less than 400 seconds in the trial, so every request and every part renews them."""
    monkeypatch.setattr("balcao.web.sessions.service.FRESH_SECONDS", 400.0)
    held, call = threading.Event(), bulk._Run._call

    async def call_later(run: bulk._Run, part: Any) -> Any:
        await asyncio.to_thread(held.wait, PATIENCE)
        return await call(run, part)

    monkeypatch.setattr(bulk._Run, "_call", call_later)
    panel.login("helio", f"{CANDIDATES}?situacao=candidatura_enviada")
    form = next(form for form in panel.page.forms if "pessoa" in form.choices)
    panel.post(form.action, form.values | {"pessoa": form.choices["pessoa"][0], "_acao": "reprovar"})
    start = next(form.action for form in panel.page.forms if form.action.endswith("/comecar"))
    panel.post(start, panel.find_form(start).values)
    generation = "SELECT generation FROM panel.session WHERE ended_at IS NULL ORDER BY begun_at DESC LIMIT 1"
    (before,) = sql(generation)
    held.set()
    decision = start.split("/")[-2]
    until_now(lambda: sql("SELECT FROM panel.bulk_decision WHERE id::text = $1 AND state = 'done'", decision) != [])
    (after,) = sql(generation)
    assert after["generation"] == int(str(before["generation"])) + 1


def test_the_file_has_all_candidates_however_many_a_call_returns(
    panel: PanelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.login("helio")
    address = f"{CANDIDATES}/planilha?situacao=reprovada"
    whole = panel.get(address).text.splitlines()
    monkeypatch.setattr(candidate_pages, "IN_FILE_AT_ONCE", 2)
    assert len(whole) > 4
    assert sorted(panel.get(address).text.splitlines()) == sorted(whole)


def test_a_company_is_filled_from_the_registry_and_registered_once(panel: PanelClient) -> None:
    path = "/painel/empresas/nova"
    panel.login("helio", f"{path}?cnpj=90.000.007/0001-04")
    form = panel.find_form(path)
    assert form.values["razao_social"] == "Oficina Beira-Rio Ltda."
    panel.post(path, form.values)
    assert panel.page.heading == "Oficina Beira-Rio"
    again = panel.submit(path, **{name: value for name, value in form.values.items() if name not in {"_csrf", "_key"}})
    assert again.status_code == 422
    assert "/painel/empresas/90000007000104" in panel.page.links


def test_a_value_is_added_renamed_and_removed(panel: PanelClient) -> None:
    path = "/painel/vagas/listas/zonas"
    panel.login("gilda")
    panel.submit(path, descricao="Ilhas")
    assert "O valor “Ilhas” foi incluído." in panel.page.text
    value = next(link for link in reversed(panel.page.links) if link.startswith(f"{path}/"))
    panel.submit(value, descricao="Ilhas da baía")
    assert "Ilhas da baía" in panel.page.text
    panel.submit(value, action=f"{value}/excluir")
    assert "O valor foi excluído." in panel.page.text
    assert "Ilhas" not in panel.get(path).text
