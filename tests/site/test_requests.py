"""Requests without a login over HTTP: the form, its check, the receipt, and the state, found by number and code."""

import re
from collections.abc import Callable

import pytest

from tests.support.panel import PageContent, PageForm
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient, SitePage

Sql = Callable[..., list[dict[str, object]]]
FORM = "/pedidos/tipo/lampada_apagada/sem-conta"
LAMP = {
    "r-problema": "apagada",
    "r-local-address": "Rua das Acácias, 120",
    "r-local-district": "Centro",
    "r-quantas": "2",
}
OWN = {"Sec-Fetch-Site": "same-origin"}


def post(site: SiteClient, path: str, values: dict[str, str], status: int = 200) -> SitePage:
    page = SitePage(site.http.post(path, data=values, headers={"Accept": "text/html", **OWN}))
    assert page.status == status, (page.status, page.text[:500])
    return page


def find_form(page: SitePage, action: str) -> PageForm:
    return next(form for form in PageContent(page.answer.text).forms if form.action == action)


def check(site: SiteClient, **changes: str) -> PageForm:
    """Return the form on the page that shows the answers before they are sent."""
    start = find_form(site.open(FORM), FORM)
    page = post(site, FORM, {**start.values, **LAMP, **changes, "passo": "conferir"})
    assert page.heading == "Confira antes de enviar"
    return find_form(page, FORM)


def send(site: SiteClient, **changes: str) -> tuple[str, str]:
    """Make a request and return its number and code."""
    receipt = post(site, FORM, {**check(site, **changes).values, "passo": "enviar"})
    assert receipt.heading == "Pedido feito"
    found = re.search(r"(PED-\d+-\d) Código ([A-Z0-9-]{14})", receipt.text)
    assert found is not None, receipt.text
    return found[1], found[2]


def test_a_request_without_login_gets_a_number_and_a_code_that_show_its_state(site: SiteClient) -> None:
    checked = check(site)
    assert checked.values["r-local-address"] == "Rua das Acácias, 120"
    number, code = send(site)
    page = post(site, "/pedidos/acompanhar", {"number": number.lower().replace("-", " "), "code": code.lower()})
    assert page.heading == f"Pedido {number}"
    assert "Recebido" in page.text
    assert re.search(r"Prazo da prefeitura Até \d+º? de \w+( de \d+)? Faltam \d+ dias\.", page.text)
    assert "Acácias" not in page.text
    assert page.answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in page.answer.headers


def test_a_second_press_makes_no_second_request(site: SiteClient) -> None:
    form = check(site, **{"r-local-address": "Rua do Farol, 7"}).values | {"passo": "enviar"}
    first, second = (post(site, FORM, form).text for _ in range(2))
    assert re.findall(r"PED-\d+-\d", first) == re.findall(r"PED-\d+-\d", second)


def test_answers_can_be_changed_after_the_check(site: SiteClient) -> None:
    page = post(site, FORM, {**check(site).values, "passo": "mudar"})
    assert find_form(page, FORM).values["r-local-address"] == "Rua das Acácias, 120"
    assert find_form(page, FORM).checked["r-problema"] == "apagada"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"r-problema": ""}, "Responda a esta pergunta."),
        ({"r-problema": "roubada"}, "Escolha inválida."),
        ({"r-local-address": "  "}, "Escreva a rua e o número."),
        ({"r-local-address": "x" * 201}, "No máximo 200 caracteres."),
        ({"r-quantas": "duas"}, "Escreva só um número inteiro."),
        ({"r-quantas": "51"}, "O maior número é 50."),
        ({"r-detalhes": "x" * 301}, "De 1 a 300 caracteres."),
    ],
)
def test_a_wrong_answer_is_explained_at_its_question(site: SiteClient, changes: dict[str, str], text: str) -> None:
    start = find_form(site.open(FORM), FORM)
    page = post(site, FORM, {**start.values, **LAMP, **changes, "passo": "conferir"}, 422)
    assert text in page.text
    assert "Falta acertar um campo" in page.text
    # The link at the top of the page names the question, so that it makes sense alone.
    label = re.search(r'<li><a href="#r-[^"]+">(O que há com a lâmpada[?]|[^<:]+[:?]) [^<]+</a></li>', page.answer.text)
    assert label
    assert text in label[0]
    assert find_form(page, FORM).values["r-local-district"] == "Centro"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("2026-02-31", "Escreva uma data que existe."),
        ("2001-01-01", "O primeiro dia é"),
        ("ontem", "Escreva uma data que existe."),
    ],
)
def test_a_wrong_day_is_explained(site: SiteClient, typed: str, text: str) -> None:
    address = "/pedidos/tipo/buraco_na_rua/sem-conta"
    start = find_form(site.open(address), address)
    typed_in = {"r-local-address": "Rua do Cais", "r-tamanho": "medio", "r-desde": typed, "passo": "conferir"}
    assert text in post(site, address, start.values | typed_in, 422).text


def test_personal_data_in_a_text_is_refused_at_its_question(site: SiteClient) -> None:
    form = check(site, **{"r-detalhes": "Meu e-mail é ana@pessoa.example"}).values
    page = post(site, FORM, {**form, "passo": "enviar"}, 422)
    assert "“Algo mais que ajude a achar? (opcional)” não pode conter CPF, e-mail ou telefone" in page.text
    assert find_form(page, FORM).values["r-detalhes"].strip().startswith("Meu e-mail")


def test_a_type_with_personal_data_has_no_form_without_login(site: SiteClient) -> None:
    assert "Pedir sem entrar" not in site.open("/pedidos/tipo/coleta_de_volumosos").text
    for path in ("/pedidos/tipo/coleta_de_volumosos/sem-conta", "/pedidos/tipo/nada", "/pedidos/tipo/Nada!"):
        site.open(path, 404)
    post(site, "/pedidos/tipo/coleta_de_volumosos/sem-conta", {"version": "1"}, 404)


def test_a_new_version_of_the_questions_is_shown_with_the_answers(site: SiteClient) -> None:
    page = post(site, FORM, {**check(site).values, "version": "0", "passo": "enviar"}, 422)
    assert "As perguntas deste pedido mudaram há pouco" in page.text
    assert find_form(page, FORM).values["r-local-address"] == "Rua das Acácias, 120"
    assert find_form(page, FORM).values["version"] == "1"


@pytest.mark.parametrize("change", [{"code": "AAAA-BBBB-CCCC"}, {"number": "PED-00000001-9"}, {"number": "<b>1"}])
def test_a_wrong_number_and_a_wrong_code_look_alike(site: SiteClient, change: dict[str, str]) -> None:
    number, code = send(site)
    page = post(site, "/pedidos/acompanhar", {"number": number, "code": code, **change}, 422)
    assert "Não há pedido com este número e este código." in page.text


def test_an_empty_form_says_what_is_missing(site: SiteClient) -> None:
    page = post(site, "/pedidos/acompanhar", {"number": "", "code": ""}, 422)
    assert "Falta acertar 2 campos" in page.text
    assert "Nada foi guardado ainda" not in page.text  # the page stores nothing in any case


@pytest.mark.parametrize("path", [FORM, "/pedidos/acompanhar"])
def test_a_form_of_another_site_is_refused(site: SiteClient, path: str) -> None:
    for headers in ({"Origin": "https://outro.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = site.http.post(path, data={"version": "1"}, headers={"Accept": "text/html", **headers})
        assert answer.status_code == 403


def test_a_form_that_is_too_large_is_refused(site: SiteClient) -> None:
    answer = site.http.post(FORM, data={"version": "1", "r-detalhes": "x" * 60_000}, headers=OWN)
    assert answer.status_code == 413


@pytest.mark.parametrize("key", ["é" * 24, "a" * 24 + "\n"])
def test_a_key_that_no_header_can_contain_is_replaced(site: SiteClient, key: str) -> None:
    page = post(site, FORM, {**check(site).values, "passo": "enviar", "_key": key})
    assert page.heading == "Confira antes de enviar"
    assert post(site, FORM, {**find_form(page, FORM).values, "passo": "enviar"}).heading == "Pedido feito"


def test_an_address_makes_a_limited_number_of_requests(open_apart: Callable[..., SiteClient]) -> None:
    apart = open_apart(site_request_rate="1/hour", site_url="")
    send(apart)
    page = post(apart, FORM, {**check(apart).values, "passo": "enviar"}, 429)
    assert page.heading == "Muitos pedidos deste lugar em pouco tempo"
    assert re.search(r"Espere \d+ minutos? e tente de novo", page.text)
    assert find_form(page, FORM).values["r-local-address"] == "Rua das Acácias, 120"
    assert int(page.answer.headers["retry-after"]) > 0


def test_a_form_beyond_the_rate_of_calls_keeps_its_text(open_apart: Callable[..., SiteClient]) -> None:
    apart = open_apart(site_read_rate="3/minute")
    form = check(apart).values | {"passo": "enviar", "r-detalhes": "Perto do mercado."}
    answers = [apart.http.post(FORM, data=form, headers={"Accept": "text/html", **OWN}) for _ in range(3)]
    page = SitePage(answers[-1])
    assert page.status == 429
    assert re.search(r"Espere \d+ segundos? e tente de novo", page.text)
    assert int(page.answer.headers["retry-after"]) > 0
    assert find_form(page, FORM).values["r-detalhes"] == "Perto do mercado."


def test_an_address_looks_up_a_limited_number_of_requests(open_apart: Callable[..., SiteClient]) -> None:
    apart, wrong = open_apart(site_follow_rate="1/minute"), {"number": "PED-00000003-4", "code": "AAAA-BBBB-CCCC"}
    post(apart, "/pedidos/acompanhar", wrong, 422)
    assert post(apart, "/pedidos/acompanhar", wrong, 429).heading == "Muitas consultas em pouco tempo"


def test_a_request_that_could_not_be_sent_can_be_sent_again(
    open_apart: Callable[..., SiteClient], relay: ServiceRelay
) -> None:
    apart = open_apart()
    form = check(apart).values | {"passo": "enviar"}
    relay.down |= {"registry"}
    page = post(apart, FORM, form, 503)
    assert page.heading == "Os órgãos e os pedidos da prefeitura não respondem agora"
    assert "O que você escreveu continua nesta página" in page.text
    relay.restore()
    assert post(apart, FORM, find_form(page, FORM).values).heading == "Pedido feito"


def test_search_engines_find_the_types(site: SiteClient) -> None:
    listed = site.get("/sitemap.xml").text
    assert "/pedidos/tipo/lampada_apagada<" in listed
    assert "/pedidos/acompanhar<" in listed
    assert "sem-conta" not in listed
    assert "noindex" in site.open(FORM).metas["robots"]
