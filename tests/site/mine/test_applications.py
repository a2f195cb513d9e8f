"""The page of an application: the steps of the selection, what happens now, and whether it can be withdrawn."""

import re

import pytest

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.site.mine.test_my_pages import find_job
from tests.support.issuer import bearer
from tests.support.panel import CitizenClient
from tests.support.sandbox import ADMIN, Sandbox

JOBS = "/jobs/api/v1/empregabilidade"


def open_application(citizen: CitizenClient, job: str) -> str:
    """Open the citizen's application for the job with this title, and return its id."""
    citizen.get(f"{PREFIX}/candidaturas")
    for address in [link for link in citizen.page.links if link.startswith(f"{PREFIX}/candidaturas/")]:
        citizen.get(address)
        if citizen.page.heading == job:
            return address.rpartition("/")[2]
    pytest.fail(f"no application for {job}")


def test_a_refused_person_reads_why_and_finds_other_jobs(enter: Enter) -> None:
    bruno = enter("bruno")
    open_application(bruno, "Confeiteiro")
    assert "Não foi desta vez A empresa não seguiu com a sua candidatura" in bruno.page.text
    assert "O que a empresa escreveu: Nesta vaga precisamos de quem já trabalhou com confeitaria." in bruno.page.text
    assert "Última mudança: " in bruno.page.text
    others = [link for link in bruno.page.links if link.startswith("/vagas/") and "confeiteiro" not in link]
    assert len(others) == 3
    assert not [link for link in bruno.page.links if link.endswith("/retirar")]


def test_a_refused_person_who_applies_again_sees_no_green_notice(enter: Enter) -> None:
    bruno = enter("bruno")
    open_application(bruno, "Confeiteiro")
    slug = next(link for link in bruno.page.links if link.startswith("/vagas/confeiteiro")).rpartition("/")[2]
    bruno.get(f"{PREFIX}/candidatar/{slug}")
    assert bruno.page.heading == "Confeiteiro"
    assert "Você já se candidatou" not in bruno.page.text
    ana = enter("ana")
    ana.get(f"{PREFIX}/candidatar/{slug}")
    assert "Você já se candidatou a esta vaga." in ana.page.text


def test_an_approved_person_knows_the_step_the_call_and_that_it_cannot_be_withdrawn(enter: Enter) -> None:
    ana = enter("ana")
    open_application(ana, "Confeiteiro")
    assert "Você está na etapa Entrevista. A empresa entra em contato pelo seu telefone (21) 9" in ana.page.text
    assert "Última mudança: " in ana.page.text
    assert "A empresa aprovou a candidatura: Entrevista" in ana.page.text
    assert "não dá para retirar a candidatura por aqui" in ana.page.text
    assert not [link for link in ana.page.links if link.endswith("/retirar")]


def test_an_application_for_a_paused_job_can_be_withdrawn(enter: Enter) -> None:
    carla = enter("carla")
    carla.get(f"{PREFIX}/candidaturas")
    carla.get(next(link for link in carla.page.links if link.startswith(f"{PREFIX}/candidaturas/")))
    assert "A seleção parou por enquanto." in carla.page.text
    assert [link for link in carla.page.links if link.endswith("/retirar")]


def test_the_steps_are_shown_from_the_sending_and_each_move_is_in_the_history(enter: Enter, sandbox: Sandbox) -> None:
    davi = people_by_login()["davi"].cpf
    own, staff = ({"Authorization": f"Bearer {sandbox.tokens.person(cpf)}"} for cpf in (davi, ADMIN))
    job = sandbox.http.get(f"{JOBS}/vagas/{sandbox_job_id('V1')}", headers=staff).json()
    question = next(one for one in job["informacoes_complementares"] if one["obrigatorio"])
    answers = [{"id_info": question["id"], "resposta": "Gosto de confeitaria."}]
    body = {"id_vaga": job["id"], "respostas_info_complementares": answers}
    made = sandbox.http.post(f"{JOBS}/candidaturas", json=body, headers=own)
    assert made.status_code == 201, made.text
    citizen = enter("davi")
    id_ = open_application(citizen, job["titulo"])
    assert "Envio, etapa atual Análise do currículo, por fazer Entrevista, por fazer" in citizen.page.text
    assert "chama quem segue para a próxima etapa: Análise do currículo." in citizen.page.text
    interview = next(one["id"] for one in job["etapas"] if one["titulo"] == "Entrevista")
    moved = sandbox.http.put(f"{JOBS}/candidaturas/{id_}/etapa", json={"id_etapa_atual": interview}, headers=staff)
    assert moved.status_code == 200, moved.text
    open_application(citizen, job["titulo"])
    assert "Análise do currículo, etapa feita Entrevista, etapa atual Teste prático, por fazer" in citizen.page.text
    assert "Você mudou de etapa: Entrevista" in citizen.page.text
    assert [link for link in citizen.page.links if link.endswith("/retirar")]


def test_a_second_press_after_the_withdrawal_leads_to_the_list(enter: Enter, sandbox: Sandbox) -> None:
    own = bearer(sandbox.tokens.person(people_by_login()["carla"].cpf))
    job = sandbox.http.get(f"/jobs/api/public/empregabilidade/vagas/{sandbox_job_id('V9')}").json()
    answers = [{"id_info": job["informacoes_complementares"][0]["id"], "resposta": "Sim"}]
    body = {"id_vaga": job["id"], "respostas_info_complementares": answers}
    made = sandbox.http.post(f"{JOBS}/candidaturas", json=body, headers=own)
    assert made.status_code == 201, made.text
    carla, list_ = enter("carla"), f"{PREFIX}/candidaturas"
    address = f"{list_}/{open_application(carla, job['titulo'])}"
    carla.get(f"{address}/retirar")
    form = carla.find_form(f"{address}/retirar")
    for said in ("foi retirada por você.", "Esta candidatura não está mais na sua lista."):
        assert carla.post(form.action, form.values).url.path == list_
        assert said in carla.page.text


def test_the_missing_schooling_is_added_on_the_way_to_the_application(enter: Enter) -> None:
    elisa = enter("elisa")
    slug = elisa.http.get(f"/jobs/api/public/empregabilidade/vagas/{sandbox_job_id('V9')}").json()["slug"]
    begin = f"{PREFIX}/candidatar/{slug}"
    elisa.get(begin)
    assert "Por enquanto você não pode se candidatar" in elisa.page.text
    form_page = f"{PREFIX}/curriculo/formacoes/incluir"
    elisa.get(next(link for link in elisa.page.links if link.startswith(form_page)))
    assert "Falta no seu currículo para a vaga Auxiliar de cozinha: Fundamental completo" in elisa.page.text
    assert begin in elisa.page.links
    form = elisa.find_form(form_page)
    assert not any(form.values.get(name) for name in form.choices)  # one press stores nothing untrue
    empty = {"id_escolaridade": "", "situation": ""}
    assert elisa.post(form.action, form.values | empty).status_code == 422
    assert "Nível: Escolha o nível." in elisa.page.text
    assert "Situação: Escolha a situação." in elisa.page.text
    levels = form.choices["id_escolaridade"]
    refused = elisa.post(
        form.action,
        form.values | {"id_escolaridade": levels[-1], "situation": "Completo", "ano_conclusao": "ontem"},
    )
    assert refused.status_code == 422
    assert begin in elisa.page.links
    form = elisa.find_form(form_page)
    answer = elisa.post(form.action, form.values | {"situation": "Completo", "ano_conclusao": "2001"})
    assert answer.url.path == begin
    assert "Pronto, está no seu currículo." in elisa.page.text
    assert "Começar" in elisa.page.text


def answer(citizen: CitizenClient, page: str, **pressed: str) -> str:
    """Answer a question, and return the path of the page that follows."""
    citizen.get(page)
    form = citizen.find_form(page)
    given = {"answer": form.choices.get("answer", ["2"])[0]}
    return citizen.post(page, form.values | given | pressed).url.path


def list_steps(citizen: CitizenClient, begin: str) -> list[str]:
    """Return the addresses to which the page before the questions leads."""
    citizen.get(begin)
    return [link for link in citizen.page.links if link.startswith(f"{begin}/")]


def test_an_application_continues_with_the_first_question_without_an_answer(enter: Enter) -> None:
    gabi = enter("gabriela")
    slug, questions = find_job(gabi)
    begin = f"{PREFIX}/candidatar/{slug}"
    first, second, *others = [f"{begin}/pergunta/{number}" for number in range(1, questions + 1)]
    assert answer(gabi, first, depois="1") == PREFIX
    assert list_steps(gabi, begin) == [second]
    assert "Continuar de onde parou As suas respostas estão guardadas." in gabi.page.text
    assert answer(gabi, second, answer="", depois="1") == PREFIX
    assert list_steps(gabi, begin) == [second]
    for page in (second, *others):
        answer(gabi, page)
    assert gabi.page.heading == "Confira antes de enviar"
    assert "Guardar e sair" in gabi.page.text
    assert list_steps(gabi, begin) == [f"{begin}/conferir"]
    assert answer(gabi, first) == f"{begin}/conferir"  # a changed answer needs no second look at the others


def test_a_chosen_option_with_a_comma_stays_chosen(enter: Enter) -> None:
    elisa = enter("elisa")
    slug = elisa.http.get(f"/jobs/api/public/empregabilidade/vagas/{sandbox_job_id('V1')}").json()["slug"]
    begin = f"{PREFIX}/candidatar/{slug}"
    page, chosen = f"{begin}/pergunta/4", ["Bolos", "Salgados, fritos"]
    elisa.get(page)
    elisa.http.post(page, data=elisa.find_form(page).values | {"answer": chosen})
    ticked = re.findall(r'value="([^"]+)" checked', elisa.get(page).text)
    assert ticked == chosen
    fill = {"1": "Gosto de confeitaria.", "2": "3", "3": "Às vezes"}
    for number, text in fill.items():
        elisa.submit(f"{begin}/pergunta/{number}", answer=text)
    elisa.get(f"{begin}/conferir")
    assert "O que você sabe preparar? Bolos, Salgados, fritos" in elisa.page.text


def test_an_error_and_a_hint_belong_to_the_field_of_a_question(enter: Enter) -> None:
    elisa = enter("elisa")
    jobs = "/jobs/api/public/empregabilidade/vagas"
    baking, cooking = (elisa.http.get(f"{jobs}/{sandbox_job_id(job)}").json()["slug"] for job in ("V1", "V9"))
    for page, typed, notes in [
        (f"{baking}/pergunta/1", "", "answer-erro"),
        (f"{baking}/pergunta/2", "muitos", "answer-dica answer-erro"),
        (f"{baking}/pergunta/4", "Tortas", "answer-erro"),
        (f"{cooking}/pergunta/1", "", "answer-erro"),
    ]:
        path = f"{PREFIX}/candidatar/{page}"
        elisa.get(path)
        text = elisa.post(path, elisa.find_form(path).values | {"answer": typed}).text
        controls = re.findall(r"<(?:fieldset|input|textarea)[^>]*>", text)
        control = next(one for one in controls if "aria-describedby" in one)
        assert re.findall(r'aria-describedby="([^"]*)"', control) == [notes], page
        assert control.startswith("<fieldset") or 'aria-invalid="true"' in control, page
        assert all(f'id="{note}"' in text for note in notes.split()), page


def test_the_data_and_the_resume_lead_back_to_the_application(enter: Enter) -> None:
    carla = enter("carla")
    slug, questions = find_job(carla)
    check = f"{PREFIX}/candidatar/{slug}/conferir"
    for number in range(1, questions + 1):
        answer(carla, f"{PREFIX}/candidatar/{slug}/pergunta/{number}")
    carla.get(check)
    asked = f"?vaga={slug}"
    pages = [link.removesuffix(asked) for link in carla.page.links if link.endswith(asked)]
    assert pages == [f"{PREFIX}/{page}" for page in ("dados", "dados/email", "dados/telefone", "curriculo")]
    for page in (*pages, f"{PREFIX}/dados/nome", f"{PREFIX}/dados/endereco"):
        carla.get(page + asked)
        assert "Voltar à candidatura" in carla.page.text
        assert check in carla.page.links
    carla.get(f"{PREFIX}/dados{asked}")
    assert f"{PREFIX}/dados/endereco{asked}" in carla.page.links
    for page, typed in [("email", {"email": "carla@example.com"}), ("nome", {"name": "Carlinha"}), ("endereco", {})]:
        path = f"{PREFIX}/dados/{page}"
        carla.get(path + asked)
        assert carla.post(path, carla.find_form(path).values | typed).url.path == check
        assert "foi g" in carla.page.text
    path = f"{PREFIX}/dados/telefone"
    carla.get(path + asked)
    carla.post(path, carla.find_form(path).values | {"number": "(21) 98888-0909"})
    assert carla.find_form(f"{path}/codigo").values["vaga"] == slug
    assert path + asked in carla.page.links


def test_the_resume_shows_the_level_of_a_course_and_separates_what_it_lists(enter: Enter) -> None:
    ana = enter("ana")
    ana.get(f"{PREFIX}/curriculo")
    assert "14 meses · trabalho atual" in ana.page.text
    assert "Administração Superior completo, Escola Modelo, 2018" in ana.page.text


@pytest.mark.parametrize("carried", ["https://example.org/", "//example.org", "../../sair", "unknown-000000000000"])
@pytest.mark.parametrize(
    ("path", "typed", "after"),
    [
        ("/curriculo/cursos-complementares/incluir", {"nome_curso": "Primeiros socorros"}, "/curriculo"),
        ("/dados/nome", {"name": "Ana"}, "/dados"),
    ],
)
def test_the_resume_and_the_data_never_lead_to_another_address(
    enter: Enter, carried: str, path: str, typed: dict[str, str], after: str
) -> None:
    ana = enter("ana")
    assert ana.get(f"{PREFIX}{path}?vaga={carried}").status_code == 200
    assert not [link for link in ana.page.links if "example" in link]
    form = ana.find_form(PREFIX + path)
    assert ana.post(form.action, form.values | typed | {"vaga": carried}).url.path == PREFIX + after
