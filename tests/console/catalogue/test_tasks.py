"""What editors and curators do with the catalogue, in a real browser, from the first page on."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import expect

from tests.console.catalogue.conftest import Alter, Ask, Make
from tests.search.support import REQUIRED
from tests.support.patience import until_now
from tests.support.sandbox import Sandbox
from tests.support.screen import Screen

pytestmark = pytest.mark.page

EDITOR, CURATOR = "editora", "gestor"


def heading(screen: Screen) -> Any:
    return screen.page.get_by_role("heading", level=1)


def press(screen: Screen, name: str) -> None:
    screen.page.get_by_role("button", name=name, exact=True).click()


def follow(screen: Screen, name: str) -> None:
    screen.page.locator("main").get_by_role("link", name=name).first.click()


def fill(screen: Screen, label: str, text: str) -> None:
    screen.page.get_by_label(label, exact=True).fill(text)


def text_of(screen: Screen) -> str:
    return screen.page.locator("main").inner_text()


def find(http: httpx.Client, word: str) -> list[str]:
    """What a citizen finds, by name."""
    found = http.get("/search/api/v1/search", params={"q": word}).json()
    return [each["title"] for each in found["results"]]


def change(ask: Ask, service: dict[str, Any], **members: Any) -> None:
    """Save as a colleague."""
    body = REQUIRED | {"nome_servico": service["nome_servico"]} | members
    assert ask("PUT", f"/admin/services/{service['id']}", json=body).status_code == 200


def test_1_an_editor_creates_a_service_from_nothing(screen: Screen) -> None:
    name = f"Plantio na calçada {uuid4().hex[:8]}"
    screen.login(EDITOR, "/painel/servicos")
    follow(screen, "Novo serviço")
    fill(screen, "Nome", name)
    fill(screen, "Resumo", "Planta árvores na calçada de quem pede.")
    screen.page.get_by_label("Tema", exact=True).select_option("Cidade")
    fill(screen, "Órgãos responsáveis", "Secretaria de Conservação")
    fill(screen, "Para quem é", "Público em geral")
    press(screen, "Ver como cidadão")
    expect(screen.page.get_by_role("heading", name="Como o cidadão vê")).to_be_visible()
    press(screen, "Guardar")
    expect(heading(screen)).to_have_text(name)
    expect(screen.page.locator(".head")).to_contain_text("Em edição")
    expect(screen.page.locator(".head")).to_contain_text("versão 1")


def test_2_a_name_is_found_without_its_accent(screen: Screen, make: Make) -> None:
    make(nome_servico="Limpeza de lâmpião antigo")
    screen.login(EDITOR, "/painel/servicos")
    fill(screen, "Nome contém", "lampiao")
    press(screen, "Filtrar")
    expect(screen.page.locator("tbody tr")).to_have_count(1)
    assert "nome=lampiao" in screen.page.url


def test_3_and_4_a_summary_is_changed_and_sent_to_approval(screen: Screen, make: Make) -> None:
    service = make()
    screen.login(EDITOR, f"/painel/servicos/{service['id']}")
    follow(screen, "Editar")
    fill(screen, "Resumo", "Outro resumo.")
    press(screen, "Guardar")
    expect(screen.page.locator(".head")).to_contain_text("versão 2")
    follow(screen, "Editar")
    press(screen, "Guardar e enviar para aprovação")
    expect(screen.page.locator(".head")).to_contain_text("Espera aprovação")


def test_5_an_editor_is_told_who_publishes_and_proposes_instead(screen: Screen, make: Make, ask: Ask) -> None:
    service = make(status=1)
    screen.login(EDITOR, f"/painel/servicos/{service['id']}/editar")
    expect(screen.page.locator("main")).to_contain_text("quem publica serviços é outra pessoa")
    fill(screen, "Resumo", "Poda também em escolas.")
    press(screen, "Enviar a proposta")
    expect(screen.page.locator(".head")).to_contain_text("Espera aprovação")
    expect(screen.page.locator("ins").last).to_contain_text("escolas")
    assert ask("GET", f"/admin/services/{service['id']}").json()["version"] == 1


def test_6_two_versions_are_compared_word_by_word(screen: Screen, make: Make, ask: Ask) -> None:
    service = make()
    change(ask, service, resumo="Poda de árvores.", tempo_atendimento="Na hora", documentos_necessarios=["CPF"])
    screen.login(EDITOR, f"/painel/servicos/{service['id']}/versoes")
    press(screen, "Comparar")
    expect(heading(screen)).to_have_text("O que mudou da versão 1 para a 2")
    expect(screen.page.locator(".changes dt")).to_have_count(3)
    expect(screen.page.locator("del")).to_contain_text(["Solicita a **"])
    expect(screen.page.locator(".changes")).to_contain_text("entrou: Na hora")


def test_7_what_was_typed_survives_the_end_of_the_session(screen: Screen, make: Make, alter: Alter) -> None:
    service = make()
    screen.login(EDITOR, f"/painel/servicos/{service['id']}/editar")
    fill(screen, "Resumo", "Escrito antes do fim.")
    alter("UPDATE console.session SET used_at = now() - interval '2 hours'")
    press(screen, "Guardar")
    screen.page.get_by_role("link", name="Entrar e continuar").click()
    follow(screen, "Editar o serviço")
    screen.page.locator("main a[href*='rascunho=']").click()
    expect(screen.page.get_by_label("Resumo", exact=True)).to_have_value("Escrito antes do fim.")


def test_8_a_curator_publishes_from_the_queue(screen: Screen, make: Make, sandbox: Sandbox) -> None:
    word = f"zelkova{uuid4().hex[:8]}"
    service = make(nome_servico=f"Cuidado da {word}", awaiting_approval=True)
    screen.login(CURATOR, "/painel/aprovacoes")
    follow(screen, service["nome_servico"])
    press(screen, "Publicar a versão 1")
    expect(screen.page.get_by_role("status")).to_contain_text("está no ar")
    until_now(lambda: find(sandbox.http, word) == [service["nome_servico"]])


def test_9_an_editor_sees_why_a_service_came_back(screen_of: Callable[..., Screen], make: Make) -> None:
    service = make(awaiting_approval=True)
    curator = screen_of()
    curator.login(CURATOR, f"/painel/aprovacoes/{service['id']}")
    follow(curator, "Devolver")
    fill(curator, "O que falta", "Falta o horário do posto.")
    press(curator, "Devolver para edição")
    expect(curator.page.get_by_role("status")).to_contain_text("voltou para edição")
    editor = screen_of()
    editor.login(EDITOR, f"/painel/servicos/{service['id']}")
    expect(editor.page.locator("main")).to_contain_text("Gestor Demo devolveu o serviço: Falta o horário do posto.")


def test_10_of_two_who_save_the_second_joins_both(screen: Screen, make: Make, ask: Ask) -> None:
    service = make()
    screen.login(CURATOR, f"/painel/servicos/{service['id']}/editar")
    fill(screen, "Resumo", "O meu resumo.")
    fill(screen, "Tempo de atendimento", "Na hora")
    change(ask, service, resumo="O resumo da colega.", documentos_necessarios=["CPF"])
    press(screen, "Guardar")
    expect(heading(screen)).to_have_text("Alguém salvou antes de você")
    expect(screen.page.get_by_role("alert")).to_contain_text("Gestor Demo salvou a versão 2")
    expect(screen.page.locator("fieldset")).to_have_count(1)
    press(screen, "Salvar com estas escolhas")
    expect(screen.page.locator(".head")).to_contain_text("versão 3")
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert (saved["resumo"], saved["tempo_atendimento"]) == ("O meu resumo.", "Na hora")
    assert saved["documentos_necessarios"] == ["CPF"]


def test_11_what_was_saved_during_the_review_is_not_published_unseen(screen: Screen, make: Make, ask: Ask) -> None:
    service = make(awaiting_approval=True)
    screen.login(CURATOR, f"/painel/aprovacoes/{service['id']}")
    change(ask, service, resumo="Salvo durante a leitura.", awaiting_approval=True)
    press(screen, "Publicar a versão 1")
    expect(screen.page.get_by_role("status")).to_contain_text("Nada foi publicado")
    expect(screen.page.locator(".changes")).to_contain_text("durante")
    assert ask("GET", f"/admin/services/{service['id']}").json()["status"] == 0


def test_12_an_older_version_comes_back_as_a_new_one(screen: Screen, make: Make, ask: Ask) -> None:
    service = make(resumo="O texto certo.")
    change(ask, service, resumo="O texto errado.")
    screen.login(CURATOR, f"/painel/servicos/{service['id']}/versoes")
    follow(screen, "Voltar a esta")
    press(screen, "Voltar à versão 1")
    expect(screen.page.get_by_role("status")).to_contain_text("como versão 3")
    expect(screen.page.locator("article")).to_contain_text("O texto certo.")


def test_13_a_service_is_taken_down(screen: Screen, make: Make, sandbox: Sandbox) -> None:
    word = f"guapuruvu{uuid4().hex[:8]}"
    service = make(nome_servico=f"Poda do {word}", status=1)
    assert find(sandbox.http, word) != []
    screen.login(CURATOR, f"/painel/servicos/{service['id']}")
    follow(screen, "Tirar do ar")
    press(screen, "Tirar do ar")
    expect(screen.page.locator(".head")).to_contain_text("Espera aprovação")
    until_now(lambda: find(sandbox.http, word) == [])


def test_14_a_number_that_is_taken_leads_to_what_has_it(screen: Screen, make: Make, ask: Ask) -> None:
    service, number = make(), uuid4().hex[:10]
    body = {"origem": "1746_v2_llm", "id_servico_antigo": number, "id_servico_novo": make()["id"]}
    assert ask("POST", "/admin/tombamentos", json=body).status_code == 201
    screen.login(CURATOR, "/painel/numeros-antigos/novo")
    screen.page.get_by_label("Sistema antigo", exact=True).select_option("1746_v2_llm")
    fill(screen, "Número no sistema antigo", number)
    fill(screen, "Serviço que é agora", service["nome_servico"])
    press(screen, "Gravar")
    follow(screen, "Ver o número que está no caminho")
    expect(heading(screen)).to_have_text(f"Número antigo {number}")


def test_15_a_search_that_found_nothing_becomes_a_synonym(
    screen: Screen, make: Make, sandbox: Sandbox, alter: Alter
) -> None:
    letters = uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))
    known, unknown = f"jequitiba{letters[:6]}", f"xylofo{letters[6:12]}"
    service = make(nome_servico=f"Muda de {known}", status=1)
    alter(f"INSERT INTO search.zero_results (folded, day, times) VALUES ('{unknown}', current_date, 900)")
    screen.login(CURATOR, "/painel/buscas-vazias")
    follow(screen, f"Fazer sinônimo de {unknown}")
    expect(screen.page.locator("tbody")).to_contain_text("nada")
    fill(screen, "Termos que valem um pelo outro", f"{unknown}\n{known}")
    press(screen, "Gravar")
    expect(screen.page.get_by_role("status")).to_contain_text("O grupo vale desde já.")
    until_now(lambda: find(sandbox.http, unknown) == [service["nome_servico"]])
    press(screen, "Experimentar as buscas")
    expect(screen.page.get_by_role("row", name=unknown)).to_contain_text(service["nome_servico"])


@pytest.mark.node
def test_axe_finds_nothing_in_any_state_of_a_service(screen_of: Callable[..., Screen], make: Make, ask: Ask) -> None:
    screen = screen_of()
    service, draft = make(status=1), make(awaiting_approval=True)
    change(ask, service, resumo="Outro resumo.")
    body = REQUIRED | {"nome_servico": service["nome_servico"], "resumo": "Proposto."}
    proposal = ask("POST", f"/admin/services/{service['id']}/proposals", json=body).json()["id"]
    run = ask("GET", "/admin/migration/history").json()["migrations"][0]["id"]
    here = f"/painel/servicos/{service['id']}"
    screen.login(CURATOR)
    for address in (
        here,
        f"{here}/editar",
        f"{here}/versoes",
        f"{here}/diferenca?de=1&para=2",
        f"{here}/voltar/1",
        f"{here}/tirar-do-ar",
        f"{here}/excluir",
        f"{here}/propostas/{proposal}",
        f"{here}/propostas/{proposal}/editar",
        f"{here}/propostas/{proposal}/devolver",
        f"{here}/propostas/{proposal}/retirar",
        f"/painel/aprovacoes/{draft['id']}",
        "/painel/servicos?nome=nenhum-tem-este-nome",
        "/painel/numeros-antigos/novo",
        "/painel/categorias/Cidade",
        "/painel/sinonimos/novo?termo=iptu",
        f"/painel/migracao/{run}",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    screen.open(f"{here}/editar")
    fill(screen, "Resumo", "O meu.")
    change(ask, service, resumo="O da colega.")
    press(screen, "Salvar e pôr no ar")
    expect(heading(screen)).to_have_text("Alguém salvou antes de você")
    assert screen.axe() == []
