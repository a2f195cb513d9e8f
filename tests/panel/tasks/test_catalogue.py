"""Tasks of the catalogue's editors and curators, in a real browser, starting from the first page."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import expect

from tests.panel.catalogue.conftest import Alter, Ask, Make
from tests.search.support import REQUIRED
from tests.support.panel_person import Person
from tests.support.polling import until_now
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.page

PersonOf = Callable[..., Person]
EDITOR, CURATOR = "editora", "gestor"


def find(http: httpx.Client, word: str) -> list[str]:
    """Return the names of the services that a citizen finds with this word."""
    found = http.get("/search/api/v1/search", params={"q": word}).json()
    return [each["title"] for each in found["results"]]


def change(ask: Ask, service: dict[str, Any], **members: Any) -> None:
    """Save a change to the service as another editor."""
    body = REQUIRED | {"nome_servico": service["nome_servico"]} | members
    assert ask("PUT", f"/admin/services/{service['id']}", json=body).status_code == 200


@pytest.mark.task(1)
def test_an_editor_creates_a_service_from_nothing(person_of: PersonOf) -> None:
    name = f"Plantio na calçada {uuid4().hex[:8]}"
    person = person_of(EDITOR, "/painel/servicos")
    person.follow("Novo serviço")
    person.fill("Nome", name)
    person.fill("Resumo", "Planta árvores na calçada de quem pede.")
    person.select("Tema", "Cidade")
    person.select("Órgãos responsáveis: 1º", "Secretaria de Conservação")
    person.fill("Para quem é", "Público em geral")
    person.press("Ver como cidadão")
    expect(person.page.get_by_role("heading", name="Como o cidadão vê")).to_be_visible()
    person.press("Gravar")
    expect(person.heading).to_have_text(name)
    expect(person.page.locator(".head")).to_contain_text("Em edição")
    expect(person.page.locator(".head")).to_contain_text("versão 1")


def test_the_form_asks_only_for_what_the_chosen_cost_has(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make()
    person = person_of(EDITOR, f"/painel/servicos/{service['id']}/editar")
    fields = {"Valor em reais", "Até quanto, em reais", "Quem não paga", "Quanto tempo, no máximo"}

    def expect_fields(*shown: str) -> None:
        for label in fields:
            expect(person.page.get_by_label(label)).to_be_visible(visible=label in shown)

    expect_fields()
    person.select("Quanto custa", "De um valor a outro")
    expect_fields("Valor em reais", "Até quanto, em reais", "Quem não paga")
    person.select("Quanto custa", "Gratuito")
    person.select("Quanto demora", "Na hora")
    expect_fields()
    person.select("Quanto custa", "Um valor fixo")
    person.select("Quanto demora", "Em dias úteis")
    expect_fields("Valor em reais", "Quem não paga", "Quanto tempo, no máximo")
    person.fill("Valor em reais", "35,20")
    person.fill("Quanto tempo, no máximo", "5")
    person.press("Gravar")
    expect(person.page.locator(".head")).to_contain_text("versão 2")
    for text in ("R$ 35,20", "Até 5 dias úteis"):
        expect(person.page.locator(".public")).to_contain_text(text)
    assert ask("GET", f"/admin/services/{service['id']}").json()["custo"]["valor_centavos"] == 3520


@pytest.mark.task(2)
def test_a_name_is_found_without_its_accent(person_of: PersonOf, make: Make) -> None:
    make(nome_servico="Limpeza de lâmpião antigo")
    person = person_of(EDITOR, "/painel/servicos")
    person.screen.unfold_filters()
    person.fill("Nome contém", "lampiao")
    person.press("Filtrar")
    expect(person.page.locator("tbody tr")).to_have_count(1)
    assert "nome=lampiao" in person.page.url


@pytest.mark.task(3, 4)
def test_a_summary_is_changed_and_sent_to_approval(person_of: PersonOf, make: Make) -> None:
    service = make()
    person = person_of(EDITOR, f"/painel/servicos/{service['id']}")
    person.follow("Editar")
    person.fill("Resumo", "Outro resumo.")
    person.press("Gravar")
    expect(person.page.locator(".head")).to_contain_text("versão 2")
    person.follow("Editar")
    person.press("Gravar e enviar para aprovação")
    expect(person.page.locator(".head")).to_contain_text("Espera aprovação")


@pytest.mark.task(5)
def test_an_editor_is_told_who_publishes_and_proposes_instead(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make(status=1)
    person = person_of(EDITOR, f"/painel/servicos/{service['id']}/editar")
    person.expect_text("quem publica serviços é outra pessoa")
    person.fill("Resumo", "Poda também em escolas.")
    person.press("Enviar a proposta")
    expect(person.page.locator(".head")).to_contain_text("Espera aprovação")
    expect(person.page.locator("ins").last).to_contain_text("escolas")
    assert ask("GET", f"/admin/services/{service['id']}").json()["version"] == 1


@pytest.mark.task(6)
def test_two_versions_are_compared_word_by_word(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make()
    change(ask, service, resumo="Poda de árvores.", tempo_atendimento="Na hora", documentos_necessarios=["CPF"])
    person = person_of(EDITOR, f"/painel/servicos/{service['id']}/versoes")
    person.press("Comparar")
    expect(person.heading).to_have_text("O que mudou da versão 1 para a 2")
    expect(person.page.locator(".changes dt")).to_have_count(3)
    expect(person.page.locator("del")).to_contain_text(["Solicita a **"])
    expect(person.page.locator(".changes")).to_contain_text("entrou: Na hora")
    copied = person.page.evaluate("""() => {
        getSelection().selectAllChildren(document.querySelector(".changes"));
        return getSelection().toString();
    }""")
    assert re.search(r"\[saiu:\s[^]]+\] \[entrou:\s[^]]+\]", copied)


@pytest.mark.task(7)
def test_what_was_typed_survives_the_end_of_the_session(person_of: PersonOf, make: Make, alter: Alter) -> None:
    service = make()
    person = person_of(EDITOR, f"/painel/servicos/{service['id']}/editar")
    person.fill("Resumo", "Escrito antes do fim.")
    alter("UPDATE panel.session SET used_at = now() - interval '2 hours'")
    person.press("Gravar")
    person.follow("Entrar e continuar")
    expect(person.page.get_by_label("Resumo", exact=True)).to_have_value("Escrito antes do fim.")


@pytest.mark.task(8)
def test_a_curator_publishes_from_the_queue(person_of: PersonOf, make: Make, sandbox: Sandbox) -> None:
    word = f"zelkova{uuid4().hex[:8]}"
    service = make(nome_servico=f"Cuidado da {word}", awaiting_approval=True)
    person = person_of(CURATOR, "/painel/aprovacoes")
    person.follow(service["nome_servico"])
    person.press("Publicar a versão 1")
    expect(person.page.get_by_role("status")).to_contain_text("está no ar")
    until_now(lambda: find(sandbox.http, word) == [service["nome_servico"]])


@pytest.mark.task(9)
def test_an_editor_sees_why_a_service_came_back(person_of: PersonOf, make: Make) -> None:
    service = make(awaiting_approval=True)
    curator = person_of(CURATOR, f"/painel/aprovacoes/{service['id']}")
    curator.follow("Devolver")
    curator.fill("O que falta", "Falta o horário do posto.")
    curator.press("Devolver para edição")
    expect(curator.page.get_by_role("status")).to_contain_text("voltou para edição")
    editor = person_of(EDITOR, f"/painel/servicos/{service['id']}")
    editor.expect_text("Jorge Valente devolveu o serviço: Falta o horário do posto.")


@pytest.mark.task(10)
def test_of_two_who_save_the_second_joins_both(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make()
    person = person_of(CURATOR, f"/painel/servicos/{service['id']}/editar")
    person.fill("Resumo", "O meu resumo.")
    person.fill("Prazo em palavras", "Na hora")
    change(ask, service, resumo="O resumo da colega.", documentos_necessarios=["CPF"])
    person.press("Gravar")
    expect(person.heading).to_have_text("Alguém gravou antes de você")
    expect(person.page.get_by_role("alert")).to_contain_text("Jorge Valente gravou a versão 2")
    expect(person.page.locator("fieldset")).to_have_count(1)
    person.press("Gravar com estas escolhas")
    expect(person.page.locator(".head")).to_contain_text("versão 3")
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert (saved["resumo"], saved["tempo_atendimento"]) == ("O meu resumo.", "Na hora")
    assert saved["documentos_necessarios"] == ["CPF"]


@pytest.mark.task(11)
def test_what_was_saved_during_the_review_is_not_published_unseen(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make(awaiting_approval=True)
    person = person_of(CURATOR, f"/painel/aprovacoes/{service['id']}")
    change(ask, service, resumo="Salvo durante a leitura.", awaiting_approval=True)
    person.press("Publicar a versão 1")
    expect(person.page.get_by_role("status")).to_contain_text("Nada foi publicado")
    expect(person.page.locator(".changes")).to_contain_text("durante")
    assert ask("GET", f"/admin/services/{service['id']}").json()["status"] == 0


@pytest.mark.task(12)
def test_an_older_version_comes_back_as_a_new_one(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service = make(resumo="O texto certo.")
    change(ask, service, resumo="O texto errado.")
    person = person_of(CURATOR, f"/painel/servicos/{service['id']}/versoes")
    person.follow("Voltar a esta")
    person.press("Voltar à versão 1")
    expect(person.page.get_by_role("status")).to_contain_text("como versão 3")
    expect(person.page.locator("article")).to_contain_text("O texto certo.")


@pytest.mark.task(13)
def test_a_service_is_taken_down(person_of: PersonOf, make: Make, sandbox: Sandbox) -> None:
    word = f"guapuruvu{uuid4().hex[:8]}"
    service = make(nome_servico=f"Poda do {word}", status=1)
    until_now(lambda: find(sandbox.http, word) != [])
    person = person_of(CURATOR, f"/painel/servicos/{service['id']}")
    person.follow("Tirar do ar")
    person.press("Tirar do ar")
    expect(person.page.locator(".head")).to_contain_text("Espera aprovação")
    until_now(lambda: find(sandbox.http, word) == [])


@pytest.mark.task(14)
def test_a_number_that_is_taken_leads_to_what_has_it(person_of: PersonOf, make: Make, ask: Ask) -> None:
    service, number = make(), uuid4().hex[:10]
    body = {"origem": "1746_v2_llm", "id_servico_antigo": number, "id_servico_novo": make()["id"]}
    assert ask("POST", "/admin/tombamentos", json=body).status_code == 201
    person = person_of(CURATOR, "/painel/numeros-antigos/novo")
    person.select("Sistema antigo", "1746_v2_llm")
    person.fill("Número no sistema antigo", number)
    person.fill("Serviço que é agora", service["nome_servico"])
    person.press("Gravar")
    person.follow("Ver o número que está no caminho")
    expect(person.heading).to_have_text(f"Número antigo {number}")


@pytest.mark.task(15)
def test_a_search_that_found_nothing_becomes_a_synonym(
    person_of: PersonOf, make: Make, sandbox: Sandbox, alter: Alter
) -> None:
    letters = uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))
    known, unknown = f"jequitiba{letters[:6]}", f"xylofo{letters[6:12]}"
    service = make(nome_servico=f"Muda de {known}", status=1)
    alter(f"INSERT INTO search.zero_results (folded, day, times) VALUES ('{unknown}', current_date, 900)")
    person = person_of(CURATOR, "/painel/buscas-sem-servico")
    person.follow(f"Fazer sinônimo de {unknown}")
    expect(person.page.locator("tbody")).to_contain_text("nada")
    person.fill("Termos que valem um pelo outro", f"{unknown}\n{known}")
    person.press("Gravar")
    expect(person.page.get_by_role("status")).to_contain_text("O grupo vale desde já.")
    until_now(lambda: find(sandbox.http, unknown) == [service["nome_servico"]])
    person.press("Experimentar as buscas")
    expect(person.page.get_by_role("row", name=unknown)).to_contain_text(service["nome_servico"])


@pytest.mark.task(15)
def test_a_search_that_found_nothing_becomes_a_phrase(
    person_of: PersonOf, make: Make, sandbox: Sandbox, alter: Alter
) -> None:
    word = uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))
    service = make(status=1)
    alter(f"INSERT INTO search.zero_results (folded, day, times) VALUES ('{word}', current_date, 900)")
    person = person_of(CURATOR, "/painel/buscas-sem-servico")
    person.follow(f"Usar em um serviço a busca {word}")
    person.screen.unfold_filters()
    person.fill("Nome contém", service["nome_servico"])
    person.press("Filtrar")
    person.follow(f"Escolher {service['nome_servico']}")
    expect(person.page.get_by_label("Frases das pessoas")).to_have_value(word)
    person.press("Gravar as frases")
    expect(person.page.get_by_role("status")).to_contain_text("Gravado: 1 frase.")
    until_now(lambda: find(sandbox.http, word) == [service["nome_servico"]])
