"""The public search over HTTP (rules: search 2.3, 2.6, 4.6)."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao.core.values.text import fold_text
from tests.search.freshness import Freshness
from tests.search.staff import EDITOR, Staff
from tests.search.support import refusal
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import size
from tests.support.rules import read_values
from tests.support.server import RunningServer

V1, V2 = "/search/api/v1/search", "/search/api/v2/search"
CITIZEN = ANA
# Replaces the digits in random words with letters, because the search does not correct words with digits.
LETTERS = str.maketrans("0123456789", "ghijklmnop")


class Search:
    """Makes searches that wait for every committed change."""

    def __init__(self, http: httpx.Client, settle: Callable[[], None]) -> None:
        self.http = http
        self._settle = settle

    def __call__(self, q: str, path: str = V1, **parameters: Any) -> dict[str, Any]:
        self._settle()
        answer = self.http.get(path, params={"q": q, **parameters})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def titles(self, q: str, **parameters: Any) -> list[str]:
        return [hit["title"] for hit in self(q, **parameters)["results"]]


@pytest.fixture
def search(http: httpx.Client, freshness: Freshness, sql: Sql) -> Search:
    return Search(http, lambda: freshness.wait(sql))


CATALOGUE = [
    ("Poda de árvore", "Cidade", "Corta galhos de árvores em ruas e praças.", True),
    ("Plantio de árvores", "Meio Ambiente", "Planta mudas nativas nas calçadas.", True),
    ("Vacinação de cães e gatos", "Animais", "Aplica a vacina antirrábica em animais.", True),
    ("Castração gratuita de gatos", "Animais", "Cirurgia para animais com tutor.", True),
    ("Segunda via do carnê do IPTU", "Tributos", "Emite a guia do imposto predial.", True),
    ("Isenção do imposto predial", "Tributos", "Dispensa idosos do pagamento.", False),
    ("Cartão do idoso no ônibus", "Transporte", "Libera a catraca para quem tem 65 anos.", True),
    ("Matrícula em creche", "Educação", "Inscreve crianças pequenas <b>na rede</b>.", True),
]


@pytest.fixture(scope="module", autouse=True)
def catalogue(module_staff: Staff) -> None:
    """Publish the catalogue that this module searches."""
    for name, theme, summary, is_free in CATALOGUE:
        module_staff.publish(nome_servico=name, tema_geral=theme, resumo=summary, is_free=is_free)
    module_staff.create(nome_servico="Poda de árvore em terreno particular", tema_geral="Cidade")
    module_staff.publish(
        nome_servico="Poda de árvore por agentes", tema_geral="Cidade", agents={"exclusive_for_agents": True}
    )


@pytest.mark.cases("search", "50")
@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("poda de arvores", "Poda de árvore"),
        ("PODA ÁRVORE", "Poda de árvore"),
        ("plantio arvore", "Plantio de árvores"),
        ("vacinar cão", "Vacinação de cães e gatos"),
        ("vacina para cachorros gatos", "Vacinação de cães e gatos"),
        ("castrações", "Castração gratuita de gatos"),
        ("2a via iptu", "Segunda via do carnê do IPTU"),
        ("2ª via do carne", "Segunda via do carnê do IPTU"),
        ("isençoes", "Isenção do imposto predial"),
        ("cartao idosos onibus", "Cartão do idoso no ônibus"),
        ("matriculas em creches", "Matrícula em creche"),
        ("matric", "Matrícula em creche"),
    ],
)
def test_inflected_and_unaccented_queries_find_their_service_first(search: Search, typed: str, first: str) -> None:
    assert search.titles(typed)[:1] == [first]


@pytest.mark.cases("search", "48")
@pytest.mark.parametrize("name", [name for name, *_ in CATALOGUE])
def test_the_exact_name_is_first(search: Search, name: str) -> None:
    assert search.titles(name)[0] == name


@pytest.mark.cases("search", "49")
def test_a_misspelt_name_is_found(search: Search) -> None:
    found = search("castrassao de gatos")
    assert found["results"][0]["title"] == "Castração gratuita de gatos"
    assert found["metadata"]["match"] in {"any_term", "similar"}


def test_a_mistyped_word_is_corrected(search: Search) -> None:
    found = search("vacinasao")
    assert found["metadata"]["suggestion"] == "vacinação"
    assert found["results"][0]["title"] == "Vacinação de cães e gatos"


def test_the_words_of_a_service_are_known_as_soon_as_it_is_saved(staff: Staff, search: Search) -> None:
    word = f"zarabatana{uuid4().hex[:8]}kp".translate(LETTERS)
    staff.publish(nome_servico=f"Aula de {word}", is_free=True)
    assert search(f"{word[:-2]}{word[-1]}{word[-2]}")["metadata"]["suggestion"] == word


def test_a_name_of_people_is_not_corrected(staff: Staff, search: Search) -> None:
    staff.publish(nome_servico="Aula de mariama", is_free=True)
    assert search("marriama")["metadata"]["suggestion"] == "mariama"
    assert search("mariana")["metadata"]["suggestion"] is None


@pytest.mark.parametrize("typed", ["estupro", "Estupros", "sofri estupro", '"estupro"', "ESTUPRADA"])
def test_a_sensitive_word_finds_nothing_that_only_looks_like_it(staff: Staff, search: Search, typed: str) -> None:
    names = ("Cartão de ônibus do estudante", "Estufa de produção", "Estudo da estrada")
    made = [staff.publish(nome_servico=name) for name in names]
    found = search(typed)
    for service in made:
        staff("DELETE", f"/services/{service['id']}")
    assert (found["results"], found["metadata"]["match"], found["metadata"]["suggestion"]) == ([], "none", None)


def test_a_sensitive_word_that_a_service_has_is_found(staff: Staff, search: Search) -> None:
    service = staff.publish(nome_servico="Atendimento a vítimas de estupro")
    assert search.titles("estupro") == [service["nome_servico"]]
    staff("DELETE", f"/services/{service['id']}")


def test_of_words_equally_near_the_most_frequent_is_suggested(staff: Staff, search: Search) -> None:
    word = f"fagote{uuid4().hex[:8]}".translate(LETTERS)
    for name in (f"Aula de {word}ab", f"Aula de {word}ad", f"Oficina de {word}ad"):
        staff.publish(nome_servico=name, is_free=True)
    assert search(f"{word}ac")["metadata"]["suggestion"] == f"{word}ad"


def test_a_word_that_has_synonyms_is_not_corrected(staff: Staff, search: Search) -> None:
    # The word ends in k. One more letter therefore cannot make it a form of a verb with the same root.
    word = f"bandolim{uuid4().hex[:8]}k".translate(LETTERS)
    staff.publish(nome_servico=f"Aula de {word}", is_free=True)
    assert search(f"{word}m")["metadata"]["suggestion"] == word
    group = f"/synonyms/{uuid4()}"
    assert staff("PUT", group, json={"terms": [f"{word}m", f"rabeca {word[8:]}"]}).status_code == 200
    until_now(lambda: search(f"{word}m")["metadata"]["suggestion"] is None)
    assert staff("DELETE", group).status_code == 204


def test_phrases_exclusions_and_alternatives_are_understood(search: Search) -> None:
    assert search.titles('"imposto predial" -isenção') == ["Segunda via do carnê do IPTU"]
    assert set(search.titles("plantio OR castração")) == {"Plantio de árvores", "Castração gratuita de gatos"}
    assert search('"predial imposto"')["metadata"]["match"] == "none"


def test_the_members_are_those_of_the_rules(search: Search) -> None:
    found = search("poda", facets="tema_geral", recency_boost="true")
    assert set(found) == {
        "results", "total_count", "filtered_count", "page", "per_page", "search_type", "facets", "metadata",
    }  # fmt: skip
    assert set(found["metadata"]) == {"match", "suggestion", "total_is_lower_bound", "took_ms"}
    hit = found["results"][0]
    assert set(hit) == {
        "id", "title", "description", "category", "subcategory", "slug", "status", "created_at", "updated_at",
        "metadata", "highlights", "score_info",
    }  # fmt: skip
    assert set(hit["score_info"]) == {"text_match_normalized", "recency_factor", "final_score", "passed_threshold"}
    assert not {"autor", "version"} & set(hit["metadata"])


def test_a_unified_result_holds_the_whole_service(search: Search) -> None:
    found = search("poda de arvore", V2, search_fields="nome_servico,resumo", search_weights="10,2")
    hit = found["results"][0]
    assert (found["collections"], hit["collection"], hit["type"]) == (["services"], "services", "service")
    assert hit["data"]["nome_servico"] == "Poda de árvore"
    assert (hit["data"]["autor"], "version" in hit["data"]) == ("", False)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("poda de arv", ["Poda de árvore"]),
        ("CASTRA", ["Castração gratuita de gatos"]),
        ("imposto pre", ["Isenção do imposto predial"]),
        ("' % _", []),
        ("rvore", []),
    ],
)
def test_what_is_typed_so_far_is_completed(http: httpx.Client, typed: str, names: list[str]) -> None:
    answer = http.get(f"{V1}/suggest", params={"q": typed})
    assert answer.json() == {"suggestions": names}
    assert answer.headers["Cache-Control"] == "public, max-age=30"
    assert refusal(http.get(f"{V1}/suggest")) == (400, "q-length")


def test_a_field_that_is_not_searched_matches_nothing(search: Search) -> None:
    assert search("galhos", V2, search_fields="resumo")["total_count"] == 1
    assert search("galhos", V2, search_fields="nome_servico")["total_count"] == 0


@pytest.mark.cases("search", "46", "55")
@pytest.mark.parametrize(
    ("path", "parameters", "code"),
    [
        *((V1, *refused) for refused in read_values("search", "46")),
        (V1, {"q": "x" * 201}, "q-length"),
        *((V2, *refused) for refused in read_values("search", "55")),
    ],
)
def test_what_is_not_allowed_is_refused(http: httpx.Client, path: str, parameters: dict[str, str], code: str) -> None:
    answer = http.get(path, params=parameters)
    assert (*refusal(answer), list(answer.json())) == (400, code, ["error"])


@pytest.mark.cases("search", "54")
def test_another_type_of_search_falls_back_to_words(search: Search) -> None:
    found = search("poda", type="semantic")
    assert (found["search_type"], found["metadata"]["fallback"]) == ("keyword", True)


def test_what_older_clients_send_has_no_effect(search: Search) -> None:
    older = {
        "alpha": "x",
        "threshold_semantic": "9",
        "threshold_hybrid": "",
        "threshold_ai": "x",
        "generate_scores": "1",
    }
    for path in (V1, V2):
        assert search("poda", path, **older)["results"] == search("poda", path)["results"] != []


@pytest.mark.cases("search", "36", "37")
def test_drafts_are_for_staff_who_ask_for_them(
    http: httpx.Client, issuer: Issuer, staff: Staff, freshness: Freshness, sql: Sql
) -> None:
    staff.create(nome_servico="Rascunho da ronda escolar", tema_geral="Segredo")
    freshness.wait(sql)
    asked = {"q": "rascunho da ronda", "facets": "tema_geral"}
    assert http.get(V1, params=asked).json()["total_count"] == 0
    assert http.get(V1, params=asked, headers=bearer(issuer.person(CITIZEN))).json()["total_count"] == 0
    wider = asked | {"include_inactive": "true"}
    assert http.get(V1, params=wider).status_code == 401
    assert http.get(V1, params=wider, headers=bearer(issuer.person(CITIZEN))).status_code == 403
    editor = issuer.person("90000020281", realm_access={"roles": [EDITOR]})
    seen = http.get(V1, params=wider, headers=bearer(editor))
    assert (seen.json()["total_count"], seen.headers["Cache-Control"]) == (1, "no-store")
    assert http.get(V1, params=asked).json()["facets"] == {"tema_geral": []}


def test_services_for_agents_are_for_machines_with_the_scope(http: httpx.Client, issuer: Issuer) -> None:
    asked = {"q": "poda por agentes"}
    assert "Poda de árvore por agentes" not in [hit["title"] for hit in http.get(V1, params=asked).json()["results"]]
    wider = asked | {"exclude_agent_exclusive": "false"}
    assert http.get(V1, params=wider).status_code == 401
    assert http.get(V1, params=wider, headers=bearer(issuer.machine("painel-saude", "outro"))).status_code == 403
    seen = http.get(V1, params=wider, headers=bearer(issuer.machine("painel-saude", "busca:search")))
    assert seen.json()["results"][0]["title"] == "Poda de árvore por agentes"


def test_filters_match_without_accents_and_never_more_than_they_say(search: Search) -> None:
    assert set(search.titles("*", category="meio-AMBIENTE")) == {"Plantio de árvores"}
    assert search.titles("imposto", is_free="false") == ["Isenção do imposto predial"]
    assert search.titles("*", orgao="1' OR '1'='1") == []
    assert search.titles("*", category="x" * 300) == []
    assert search.titles("*", publico="publico em GERAL", per_page=100) != []


def test_highlighted_services_are_listed_by_popularity(staff: Staff, search: Search) -> None:
    name = f"Feira {uuid4().hex[:6]}"
    staff.publish(nome_servico=name, fixar_destaque=True, is_free=True)
    until_now(lambda: name in search.titles("*", fixar_destaque="true"))
    highlighted = search("*", fixar_destaque="true", per_page=100)["results"]
    assert all(hit["metadata"]["fixar_destaque"] for hit in highlighted)
    everything = [hit["id"] for hit in search("*", per_page=100)["results"]]
    assert [hit["id"] for hit in highlighted] == [each for each in everything if each in {h["id"] for h in highlighted}]
    others = search("*", fixar_destaque="0", per_page=100)["results"]
    assert not any(hit["metadata"]["fixar_destaque"] for hit in others)
    assert len(highlighted) + len(others) == len(everything)


@pytest.mark.cases("search", "52")
def test_facets_add_up(search: Search) -> None:
    found = search("*", facets="tema_geral,orgao_gestor,publico_especifico,is_free", per_page=100)
    for field in ("tema_geral", "is_free"):
        counts = found["facets"][field]
        assert sum(each["count"] for each in counts) == found["total_count"]
        assert counts == sorted(counts, key=lambda each: (-each["count"], fold_text(str(each["value"]))))


@pytest.mark.cases("search", "51")
def test_highlights_are_escaped_text_and_marks(staff: Staff, search: Search) -> None:
    word = f"xilofone{uuid4().hex[:6]}"
    staff.publish(nome_servico=f"Aula de {word} & <i>flauta</i>", resumo=f'Toca **{word}** "bem" 1 < 2 ' + "la " * 200)
    hit = search(word)["results"][0]
    assert hit["highlights"]["title"] == f"Aula de <mark>{word}</mark> &amp; &lt;i&gt;flauta&lt;/i&gt;"
    for text in hit["highlights"].values():
        assert html.escape(html.unescape(re.sub("</?mark>", "", text))) == re.sub("</?mark>", "", text)
        assert "<mark>" in text


def test_a_threshold_removes_what_is_below_it(search: Search) -> None:
    whole = search("arvore")
    assert whole["filtered_count"] == whole["total_count"] > 1
    scores = [hit["score_info"]["final_score"] for hit in whole["results"]]
    cut = search("arvore", threshold_keyword=str(scores[0]))
    assert [hit["id"] for hit in cut["results"]] == [whole["results"][0]["id"]]
    assert (cut["total_count"], cut["filtered_count"]) == (whole["total_count"], 1)


@pytest.mark.cases("search", "53")
def test_pages_have_everything_once_in_the_order_of_the_score(search: Search) -> None:
    whole = search("*", per_page=100)["results"]
    pages = [hit for page in range(1, 8) for hit in search("*", per_page=3, page=page)["results"]]
    assert [hit["id"] for hit in pages] == [hit["id"] for hit in whole][:21]
    assert len({hit["id"] for hit in whole}) == len(whole)
    for hits in (whole, search("de árvore gatos imposto")["results"]):
        scores = [hit["score_info"]["final_score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
    assert search("*", page=500)["results"] == []


def test_a_change_is_seen_in_the_next_search_of_every_process(staff: Staff, search: Search) -> None:
    word = f"zimbro{uuid4().hex[:6]}"
    assert search.titles(word) == []
    made = staff.publish(nome_servico=f"Colheita de {word}")
    until_now(lambda: search.titles(word) == [f"Colheita de {word}"])
    staff("PATCH", f"/services/{made['id']}/unpublish")
    until_now(lambda: search.titles(word) == [])


def test_an_answer_is_kept_with_its_weak_tag(http: httpx.Client) -> None:
    def ask(headers: dict[str, str] | None = None) -> httpx.Response:
        return http.get(V1, params={"q": "poda de arvore etiqueta"}, headers=headers)

    until_now(lambda: ask().content == ask().content)  # equal only if cached, as a body contains a duration
    first = ask()
    assert first.headers["Cache-Control"] == "public, max-age=30"
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    unchanged = ask({"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
OPERATORS = st.text("ab \"'()&|!:*-<>\\%_áç0.@OR", min_size=1, max_size=30)


@pytest.mark.cases("search", "47")
@examples(max_examples=size(60, 2000))
@given(q=ANYTHING | OPERATORS)
def test_no_query_breaks_the_search(http: httpx.Client, q: str) -> None:
    answer = http.get(V1, params={"q": q, "facets": "tema_geral"})
    assert answer.status_code in {200, 400}
    if answer.status_code == 200:
        found = answer.json()
        assert found["metadata"]["match"] in {"all_terms", "any_term", "similar", "none"}
        assert (found["metadata"]["match"] == "none") <= (found["results"] == [])
        for hit in found["results"]:
            assert re.sub("</?mark>", "", hit["highlights"]["title"]) == html.escape(hit["title"])


@pytest.fixture(scope="module")
def module_staff(server: RunningServer, issuer: Issuer) -> Iterator[Staff]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield Staff(client, issuer)
