"""Every optional question and field says so in its label, and the page to check the answers names the empty ones."""

import re
from collections.abc import Iterator

from balcao.site.mine.declaration import PREFIX
from balcao.site.mine.resume import PARTS
from balcao.web.service_requests.client import TYPES
from tests.site.mine.conftest import Enter
from tests.site.mine.test_my_pages import PLAIN, find_job
from tests.site.test_pages import SERVICE
from tests.support.site import SiteClient

MARK = "(opcional)"
LABEL = re.compile(r'<label for="([^"]+)">(.*?)</label>', re.DOTALL)
FORMS = [page.path for page in PLAIN if page.path != "/mensagens"]  # its boxes have no `aria-required`


def list_labels(page: str) -> Iterator[tuple[str, bool]]:
    """Yield the label of each text field and selection, and whether the field must be filled in."""
    content = page.partition("<main")[2]
    for id_, label in LABEL.findall(content):
        (control,) = re.findall(rf'<(?:input|select|textarea)[^>]*\bid="{id_}"[^>]*>', content)
        options = content.partition(control)[2].partition("</select>")[0] if control.startswith("<select") else ""
        if 'type="file"' not in control:
            yield label, "aria-required" in control or bool(options and 'value=""' not in options)


def test_every_field_of_a_citizens_forms_is_marked_if_it_is_optional(enter: Enter) -> None:
    carla, seen = enter("carla"), set()
    carla.get(f"{PREFIX}/pedidos")
    answers = [link for link in carla.page.links if link.endswith("/responder")]
    assert answers
    items = [f"{PREFIX}/curriculo/{part}/incluir" for part in PARTS]
    for path in [PREFIX + path for path in FORMS] + items + answers:
        for label, is_needed in list_labels(carla.get(path).text):
            assert label.endswith(MARK) != is_needed, (path, label)
            seen.add(label)
    assert {"Complemento (opcional)", "Por quantos meses? (opcional)", "Raça (opcional)", "Onde?"} <= seen
    assert f"Foto ou documento {MARK}" in carla.get(answers[0]).text
    assert f"Se não quer mais, por quê? {MARK}" in carla.get(f"{PREFIX}/mensagens").text


def test_the_list_of_errors_names_an_optional_field_without_its_mark(enter: Enter) -> None:
    carla, page = enter("carla"), f"{PREFIX}/curriculo/cursos-complementares/incluir"
    carla.submit(page, nome_curso="Primeiros socorros", ano_conclusao="ontem")
    assert "Ano em que terminou: Escreva o ano com 4 números." in carla.page.text


def test_every_field_of_the_open_forms_is_marked_if_it_is_optional(site: SiteClient) -> None:
    types = site.http.get(TYPES).json()["types"]
    paths = [f"/pedidos/tipo/{kind['id']}/sem-conta" for kind in types if kind.get("without_login")]
    assert paths
    for path in (*paths, f"{SERVICE}/opiniao"):
        labels = list(list_labels(site.get(path).text))
        assert labels
        for label, is_needed in labels:
            assert label.endswith(MARK) != is_needed, (path, label)


def test_every_question_of_a_request_is_marked_if_it_is_optional(enter: Enter) -> None:
    gabi, marks = enter("gabriela"), set()
    for kind in gabi.http.get(TYPES).json()["types"]:
        for number, question in enumerate(kind["fields"], 1):
            page = gabi.get(f"{PREFIX}/pedir/{kind['id']}/pergunta/{number}").text
            assert gabi.page.heading.strip().endswith(MARK) != question.get("required", False), (kind["id"], number)
            for label, is_needed in list_labels(page):
                assert label.endswith(MARK) != is_needed, (kind["id"], label)
            marks.add((question["kind"], question.get("required", False)))
    assert {("number", True), ("file", False), ("place", True)} <= marks


def test_an_optional_question_of_a_job_is_marked_and_may_stay_empty(enter: Enter) -> None:
    gabi = enter("gabriela")
    slug, _ = find_job(gabi)
    address = f"{PREFIX}/candidatar/{slug}"
    questions = gabi.http.get(f"/jobs/api/public/empregabilidade/vagas/slug/{slug}").json()[
        "informacoes_complementares"
    ]
    assert {question["obrigatorio"] for question in questions} == {True, False}
    for number, question in enumerate(questions, 1):
        page = f"{address}/pergunta/{number}"
        gabi.get(page)
        assert gabi.page.heading.strip().endswith(MARK) != question["obrigatorio"]
        form = gabi.find_form(page)
        given = {"answer": form.choices.get("answer", ["2"])[0]} if question["obrigatorio"] else {}
        gabi.post(page, form.values | given)
    assert gabi.page.heading == "Confira antes de enviar"
    assert "Não respondida" in gabi.page.text
