"""The pages of the agents on a running platform."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.panel.agents import datasets
from tests.support.panel import PanelClient

AGENT = "/painel/agentes/atendimento_demo"
EDIT = f"{AGENT}/editar"
KEY = "Use a chave AKIAIOSFODNN7EXAMPLE para consultar."


def test_a_text_with_a_key_is_not_saved_before_it_is_removed_then_activated_and_taken_back(panel: PanelClient) -> None:
    panel.login("tereza", EDIT)
    panel.submit(EDIT, prompt=KEY, reason="nova consulta", fazer="salvar")
    assert "Gravar mesmo assim" in panel.page.text
    assert "Linha 1:" in panel.page.text
    form = panel.find_form(EDIT)
    panel.post(EDIT, form.values | {"prompt": "Atenda com calma.", "reason": "nova consulta", "activate": "y"})
    assert "versão 2" in panel.page.text.lower()
    assert panel.page.text.count("em uso") == 1
    panel.submit(f"{AGENT}/voltar", reason="piorou")
    panel.get(f"{AGENT}/versoes/1")
    assert "em uso" in panel.page.text
    panel.submit(f"{AGENT}/versoes/2/ativar", reason="melhorou")
    panel.get(f"{AGENT}/versoes/2")
    assert "em uso" in panel.page.text
    panel.get(f"{AGENT}/diferenca?de=1&para=2")
    assert "Instruções" in panel.page.text


def test_two_editors_of_one_agent_lose_nothing_and_are_told(panel: PanelClient) -> None:
    panel.login("tereza", EDIT)
    opened = panel.find_form(EDIT).values | {"activate": "y", "fazer": "salvar"}
    panel.post(EDIT, opened | {"model_name": "modelo-dela", "prompt": "Texto dela.", "reason": "dela"})
    answer = panel.post(EDIT, opened | {"embedding_name": "vetores-meus", "prompt": "Texto meu.", "reason": "meu"})
    assert answer.status_code == 409
    assert "Outra pessoa gravou antes de você." in panel.page.text
    assert "Texto dela." in panel.page.text
    assert "Texto meu." in answer.text
    form = panel.find_form(EDIT).values
    assert (form["model_name"], form["embedding_name"]) == ("modelo-dela", "vetores-meus")
    panel.post(EDIT, form | {"prompt": "Texto de nós duas.", "activate": "y", "fazer": "salvar"})
    assert panel.page.heading == "Atendimento demo"
    panel.get(EDIT)
    joined = panel.find_form(EDIT).values
    assert (joined["model_name"], joined["embedding_name"]) == ("modelo-dela", "vetores-meus")


def test_a_data_set_is_made_filled_and_deleted(panel: PanelClient) -> None:
    panel.login("tereza", "/painel/agentes/dados/novo")
    panel.submit("/painel/agentes/dados/novo", name="Do painel")
    assert panel.page.heading == "Do painel"
    path = next(link for link in panel.page.links if link.endswith("/exemplos/novos"))
    panel.submit(path, examples='{"input": {"p": "Onde pago o IPTU?"}}\n{"input": {"p": "CPF 900.000.001-75"}}')
    assert "dados pessoais" in panel.page.text
    panel.submit(path, examples='{"input": {"p": "Onde pago o IPTU?"}}')
    assert "1 exemplo acrescentado" in panel.page.text
    assert "Onde pago o IPTU?" in panel.page.text
    many = [f'{{"input": {{"p": "Pergunta {number}"}}}}' for number in range(1_000)]
    panel.submit(path, examples="\r\n".join(["", *many, "", '{"input": {}']))
    assert "linha 1003:" in panel.page.text
    panel.submit(path, examples="\n".join([many[0], '{"input": {"p": "Uma\u2028frase\u0085só"}}']))
    assert "1 exemplo acrescentado; 1 já estavam aqui." in panel.page.text
    panel.submit(path.replace("/exemplos/novos", "/excluir"))
    assert "O conjunto foi excluído." in panel.page.text


@given(st.lists(st.text("a \r\u2028", max_size=6), max_size=20))
def test_examples_are_divided_into_calls_that_the_service_accepts(lines: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "_MOST_EXAMPLES", 3)
        patch.setattr(datasets, "_MOST_BYTES", 12)
        calls = list(datasets.split_examples("\n".join(lines)))
    sent = {before + place: line for before, part in calls for place, line in enumerate(part) if line}
    assert sent == {number: line.strip() for number, line in enumerate(lines) if line.strip()}
    for _, part in calls:
        assert len([line for line in part if line]) <= 3
        assert len("\n".join(part).rstrip().encode()) <= 12


def test_two_experiments_are_compared_example_by_example(panel: PanelClient) -> None:
    panel.login("tereza", "/painel/agentes/dados")
    for dataset in [link for link in panel.page.links if re.fullmatch(r"/painel/agentes/dados/[\w=-]{22}", link)]:
        panel.get(dataset)
        runs = [link for link in panel.page.links if "/experimentos/" in link]
        if runs:
            break
    panel.get(f"{runs[0]}?comparar={runs[1].rpartition('/')[2]}")
    assert "Diferença média" in panel.page.text


def test_an_agent_has_a_name_for_people_and_its_identifier_among_the_details(panel: PanelClient) -> None:
    page = panel.login("tereza", "/painel/agentes").text
    names = re.findall(r'<th scope="row">\s*<a [^>]+>([^<]+)</a>\s*<details.*?<code>([^<]+)<', page, re.DOTALL)
    assert sorted(names) == [("Atendimento demo", "atendimento_demo"), ("Busca assistida", "agentic_search")]
    panel.get(EDIT)
    assert panel.page.heading == "Editar Atendimento demo"


def test_a_reader_sees_no_button_that_would_be_refused(panel: PanelClient) -> None:
    panel.login("paulo", "/painel/agentes")
    assert "agentes" not in " ".join(link for link in panel.page.links if link.startswith("/painel/agentes"))


def test_a_version_does_not_go_live_by_default_and_what_is_not_saved_is_said(panel: PanelClient) -> None:
    panel.login("tereza", EDIT)
    form = panel.find_form(EDIT)
    assert "activate" not in form.checked
    typed = form.values | {"reason": "mais curto"}
    panel.post(EDIT, typed | {"prompt": "Chave AKIAIOSFODNN7EXAMPLE.", "fazer": "salvar"})
    assert "Nada foi gravado." in panel.page.text
    assert "encontrou 1 problema" in panel.page.text
    panel.post(EDIT, typed | {"prompt": "Atenda sem pressa.", "fazer": "conferir"})
    assert "Nada foi gravado. O texto foi só conferido" in panel.page.text
    panel.post(EDIT, typed | {"prompt": "Atenda sem pressa.", "fazer": "salvar"})
    assert "salva, sem ser ativada" in panel.page.text
