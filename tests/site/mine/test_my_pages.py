"""Minha página over HTTP: the data that citizens see and change, others' access to their data, and lost sessions."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from balcao.site.mine.declaration import PREFIX
from balcao.site.mine.parts import PARTS
from balcao_sandbox.identity.demo import people_by_login
from tests.registry.person.phones.numbers import AGE_COUNTS
from tests.site.mine.conftest import Enter
from tests.support.issuer import bearer
from tests.support.panel import CitizenClient, PanelClient
from tests.support.sandbox import Sandbox

Sql = Callable[..., list[dict[str, object]]]
PAGES = [page for part in PARTS for page in part.declared]
PLAIN = [page for page in PAGES if page.method == "GET" and not page.parameters]


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.name)
def test_a_page_shows_a_citizen_their_own_data(enter: Enter, page: object) -> None:
    ana = enter("ana")
    for path in {found.path for found in PLAIN if found is page}:
        answer = ana.get(PREFIX + path)
        assert answer.status_code == 200
        assert ana.page.heading
        assert answer.headers["cache-control"] == "no-store"
        assert "script-src" not in answer.headers["content-security-policy"]


def test_a_page_leads_to_the_login_and_back(sandbox: Sandbox) -> None:
    with CitizenClient(sandbox.url) as visitor:
        asked = visitor.http.get(f"{PREFIX}/veiculos")
        assert asked.status_code == 303
        assert asked.headers["location"] == f"{PREFIX}/entrar?para={PREFIX}/veiculos"
        answer = visitor.login("ana", f"{PREFIX}/veiculos")
        assert answer.url.path == f"{PREFIX}/veiculos"
        assert "Bicicleta do trabalho" in visitor.page.text


def test_a_public_page_is_the_same_before_and_after_the_login(enter: Enter, sandbox: Sandbox) -> None:
    with CitizenClient(sandbox.url) as visitor:
        before = visitor.get("/ajuda").text
    assert before == enter("ana").get("/ajuda").text
    (button,) = re.findall(r'<a class="btn s" href="/minha-pagina">.*?</a>', before, re.DOTALL)
    assert "<span>Minha página</span>" in button


def test_a_session_of_the_panel_opens_no_page_of_a_citizen_and_the_reverse(sandbox: Sandbox, enter: Enter) -> None:
    with PanelClient(sandbox.url) as kleber:
        kleber.login("kleber")
        assert kleber.http.get(PREFIX).status_code == 303
    ana = enter("ana")
    assert ana.http.get("/painel").status_code == 303


def test_a_choice_about_messages_is_kept_with_its_history(enter: Enter) -> None:
    ana = enter("ana")
    ana.get(f"{PREFIX}/mensagens")
    form = ana.find_form(f"{PREFIX}/mensagens")
    wanted = [name for name in form.choices["assuntos"] if name != "events"]
    values = {**form.values, "opt_in": "y", "reason": "Recebo demais"}
    origin = {"Origin": ana.url, "Sec-Fetch-Site": "same-origin"}
    sent = ana.http.post(f"{PREFIX}/mensagens", data=values | {"assuntos": wanted}, headers=origin)
    assert sent.status_code == 303
    ana.get(f"{PREFIX}/mensagens")
    assert re.search(r"A escolha foi gravada e está no histórico: agora (aceita .*; )?recusa Eventos\.", ana.page.text)
    assert ana.page.text.count("recusou Eventos Motivo: “Recebo demais”") == 1
    form = ana.find_form(f"{PREFIX}/mensagens")
    again = {**form.values, "assuntos": wanted} | ({"opt_in": "y"} if "opt_in" not in form.values else {})
    assert ana.http.post(f"{PREFIX}/mensagens", data=again, headers=origin).status_code == 303
    ana.get(f"{PREFIX}/mensagens")
    assert "Nada mudou" in ana.page.text
    assert ana.page.text.count("recusou Eventos") == 1


def test_subjects_are_shown_as_off_while_the_person_accepts_no_messages(enter: Enter, sandbox: Sandbox) -> None:
    bruno, path, off = enter("bruno"), f"{PREFIX}/mensagens", "A marca fica guardada, mas nada chega"
    cpf = people_by_login()["bruno"].cpf
    token = {"Authorization": f"Bearer {sandbox.tokens.person(cpf)}"}
    address = f"/registry/v1/citizen/{cpf}/notification-preferences"
    for is_in, shown in [(True, 0), (False, 1)]:
        choices = {"channel": "email", "opt_in": is_in, "category_opt_ins": {"events": is_in, "courses": True}}
        reason = {"reason": "Cansei." if is_in else "too_many_messages"}
        assert sandbox.http.put(address, json=choices | reason, headers=token).status_code == 200
        opened = bruno.get(path)
        assert bruno.page.text.count("Hoje você não aceita mensagens da prefeitura") == shown
        assert bruno.page.text.count(off) == shown * len(
            re.findall(r'name="assuntos" value="\w+" checked', opened.text)
        )
        assert '<details class="mt">' in opened.text  # nothing was changed on the page
    assert "recusou Eventos Motivo: mensagens demais" in bruno.page.text
    bruno.post(path, bruno.find_form(path).values | {"opt_in": "y", "assuntos": "courses"})
    text = r"agora aceita mensagens da prefeitura(; recusa [^.]*)?\. Assuntos que chegam agora: Cursos\."
    assert re.search(text, bruno.page.text)


def test_the_preferred_name_is_in_its_form_and_in_the_greeting(enter: Enter) -> None:
    elisa, path = enter("elisa"), f"{PREFIX}/dados/nome"
    elisa.submit(path, name="Lisa do Cais")
    assert "O nome foi guardado." in elisa.page.text
    elisa.get(path)
    assert elisa.find_form(path).values["name"] == "Lisa do Cais"
    elisa.get(PREFIX)
    assert elisa.page.heading == "Olá, Lisa"


def test_ticked_subjects_survive_the_end_of_the_session(enter: Enter, sql: Sql) -> None:
    carla, path = enter("carla"), f"{PREFIX}/mensagens"
    ticked = r'name="assuntos" value="(\w+)" checked'
    before = re.findall(ticked, carla.get(path).text)
    form = carla.find_form(path)
    wanted = [name for name in form.choices["assuntos"] if name not in before]
    assert wanted != before
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = carla.remember(carla.http.post(path, data=form.values | {"assuntos": wanted, "opt_in": "y"}))
    assert over.status_code == 401
    opened = carla.get(next(link for link in carla.page.links if "/entrar?para=" in link))
    assert re.findall(ticked, opened.text) == wanted


def test_the_hint_and_the_error_of_a_reason_belong_to_its_field(enter: Enter) -> None:
    carla, path = enter("carla"), f"{PREFIX}/mensagens"
    carla.get(path)
    assert "Sem CPF, telefone ou e-mail." in carla.page.text
    form = carla.find_form(path)
    changed = form.values | {"reason": "x" * 501}
    if "opt_in" in form.values:
        del changed["opt_in"]
    else:
        changed["opt_in"] = "y"
    refused = carla.post(path, changed)
    assert refused.status_code == 422
    control = re.search(r'<input[^>]* name="reason"[^>]*>', refused.text)
    assert control is not None
    assert 'aria-describedby="reason-dica reason-erro"' in control[0]
    assert 'aria-invalid="true"' in control[0]


def test_reads_by_a_system_are_one_entry_with_its_name_and_purpose(enter: Enter, sandbox: Sandbox) -> None:
    path = f"/registry/v1/citizen/{people_by_login()['ana'].cpf}"
    token = {"Authorization": f"Bearer {sandbox.tokens.client('balcao-platform')}"}
    for _ in range(2):
        assert sandbox.http.get(path, headers=token).status_code == 200
    ana = enter("ana")
    ana.get(f"{PREFIX}/quem-viu")
    purpose = "para mostrar e conferir as suas candidaturas e o seu currículo"
    entry = (
        rf"Sistema de vagas da prefeitura Leu o cadastro, automaticamente Motivo: {purpose} ?hoje, \w+ · \d+ acessos"
    )
    assert len(re.findall(entry, ana.page.text)) == 1
    assert "não precisa" not in ana.page.text
    ana.get(PREFIX)
    assert f"acessos neste dia · motivo: {purpose}" in ana.page.text
    assert "não precisa" not in ana.page.text


def test_every_entry_of_another_actor_says_why(enter: Enter) -> None:
    ana = enter("ana")
    listed = ana.get(f"{PREFIX}/quem-viu").text
    entries = re.findall(r'<h2 class="grande">(.*?)</h2>(.*?)</li>', listed, re.DOTALL)
    assert {"Você", "Equipe técnica da prefeitura"} <= {who for who, _ in entries}
    assert all(("Motivo: " in rest) == (who != "Você") for who, rest in entries)


def test_sensitive_values_appear_at_the_link_that_shows_them(enter: Enter) -> None:
    ana = enter("ana")
    hidden = ana.get(f"{PREFIX}/dados")
    link = f"{PREFIX}/dados?sensiveis=sim#sensiveis"
    assert link in ana.page.links
    shown = ana.get(link)
    assert "Raça ou cor" in shown.text.partition('id="sensiveis"')[2]
    assert f"{PREFIX}/dados#sensiveis" in ana.page.links
    for answer in (hidden, shown):
        before, target, _ = answer.text.partition('id="sensiveis"')
        assert target
        assert "Raça ou cor" not in before


def test_a_value_that_is_not_recorded_is_shown_as_such(enter: Enter) -> None:
    fabio = enter("fabio")
    fabio.get(f"{PREFIX}/dados?sensiveis=sim")
    assert "Escolaridade não consta" in fabio.page.text
    sensitive = fabio.page.text.partition("Gênero, raça ou cor, deficiência e renda")[2]
    for label in ("Gênero", "Raça ou cor", "Deficiência", "Renda familiar"):
        assert sensitive.count(f" {label} ") == 1
    assert "Renda familiar não consta" in sensitive


def test_the_clinic_has_its_state_and_a_telephone_link(enter: Enter) -> None:
    ana = enter("ana")
    for path in (PREFIX, f"{PREFIX}/carteira"):
        text = ana.get(path).text
        assert '<a href="tel:+552122220004">(21) 2222-0004</a>' in text
        assert "Vermelho: não atende agora" in text


def test_text_of_a_form_survives_the_end_of_the_session(enter: Enter, sql: Sql) -> None:
    ana = enter("ana")
    ana.get(f"{PREFIX}/dados/nome")
    form = ana.find_form(f"{PREFIX}/dados/nome")
    sql("UPDATE site.session SET ended_at = now(), tokens = NULL")
    over = ana.post(form.action, form.values | {"name": "Bia do Farol"})
    assert over.status_code == 401
    assert "guardado por 7 dias" in ana.page.text
    back = next(link for link in ana.page.links if "/entrar?para=" in link)
    ana.get(back)
    again = ana.find_form(f"{PREFIX}/dados/nome")
    assert again.values["name"] == "Bia do Farol"
    assert "não se perdeu" not in ana.page.text


def test_a_wrong_value_is_explained_and_nothing_is_stored(enter: Enter) -> None:
    ana = enter("ana")
    answer = ana.submit(f"{PREFIX}/dados/email", email="sem arroba")
    assert answer.status_code == 422
    assert "Falta acertar um campo" in ana.page.text
    assert ana.find_form(f"{PREFIX}/dados/email").values["email"] == "sem arroba"


def test_the_page_for_a_code_names_the_number_and_sends_another_code(enter: Enter, sandbox: Sandbox, sql: Sql) -> None:
    bruno, path = enter("bruno"), f"{PREFIX}/dados/telefone"
    bruno.submit(path, number="21 98888-0404")
    assert "O código foi para (21) 98888-0404." in bruno.page.text
    assert sandbox.settings.phone_code_url in bruno.page.links
    confirming = bruno.find_form(f"{path}/codigo")
    assert bruno.post(confirming.action, confirming.values | {"code": "12345"}).status_code == 422
    assert "São 6 algarismos." in bruno.page.text
    bruno.post(confirming.action, confirming.values | {"code": "000000"})
    assert "O código não confere ou já venceu. Confira e tente de novo, ou peça outro." in bruno.page.text
    assert "Falta acertar" not in bruno.page.text
    again = bruno.find_form(path).values | {"passo": "outro-codigo"}
    assert bruno.post(path, again).status_code == 422
    assert "Ainda não dá para mandar outro código. Espere " in bruno.page.text
    assert bruno.find_form(f"{path}/codigo").values["valor"] == "988880404"
    sql(AGE_COUNTS, 120)
    assert bruno.post(path, again).status_code == 200
    assert "Mandamos outro código. O anterior não vale mais." in bruno.page.text


def test_leaving_ends_the_session(enter: Enter) -> None:
    ana = enter("ana")
    ana.get(PREFIX)
    form = ana.find_form(f"{PREFIX}/sair")
    left = ana.post(form.action, form.values)
    assert urlsplit(str(left.url)).path.endswith("/saiu")
    assert ana.http.get(PREFIX).status_code == 303


def test_no_address_contains_a_cpf(enter: Enter) -> None:
    ana = enter("ana")
    cpf = people_by_login()["ana"].cpf
    for page in PLAIN:
        ana.get(PREFIX + page.path)
        assert not [link for link in ana.page.links if cpf in link]


def test_a_citizen_adds_changes_and_removes_a_job_of_the_resume(enter: Enter) -> None:
    ana = enter("ana")
    job = {"cargo": "Confeiteira", "empresa": "Doces da Vila", "tempo_experiencia_meses": "um ano"}
    refused = ana.submit(f"{PREFIX}/curriculo/experiencias/incluir", **job)
    assert refused.status_code == 422
    ana.submit(f"{PREFIX}/curriculo/experiencias/incluir", **job | {"tempo_experiencia_meses": "12"})
    assert "Confeiteira, Doces da Vila" in ana.page.text
    for address in [link for link in ana.page.links if "/curriculo/experiencias/" in link]:
        ana.get(address)
        if address.endswith("/incluir") or ana.page.forms[1].values["cargo"] != "Confeiteira":
            continue
        ana.submit(address, cargo="Confeiteira-chefe")
        assert "Confeiteira-chefe, Doces da Vila" in ana.page.text
        ana.post(address, {"_csrf": ana.read_secret(), "passo": "retirar"})
        assert "Doces da Vila" not in ana.page.text
        return
    pytest.fail("the job was not in the list")


def test_a_change_of_a_job_keeps_that_the_work_card_proves_it(enter: Enter, sandbox: Sandbox) -> None:
    ana, cpf = enter("ana"), people_by_login()["ana"].cpf
    base, headers = "/jobs/api/v1/empregabilidade/curriculo", bearer(sandbox.tokens.person(cpf))
    job = {"cargo": "Costureira", "empresa": "Ateliê do Porto", "experiencia_comprovada_ct": True}
    made = sandbox.http.post(f"{base}/experiencias", json=job, headers=headers)
    address = f"{PREFIX}/curriculo/experiencias/{made.json()['id']}"
    ana.submit(address, cargo="Modista")
    stored = sandbox.http.get(f"{base}/{cpf}", headers=headers).json()["experiencias"]
    proven = [one["experiencia_comprovada_ct"] for one in stored if one["cargo"] == "Modista"]
    ana.post(address, {"_csrf": ana.read_secret(), "passo": "retirar"})
    assert proven == [True]


@pytest.mark.parametrize("part", ["formacoes", "idiomas", "cursos-complementares"])
def test_each_part_of_the_resume_takes_an_item(enter: Enter, part: str) -> None:
    carla = enter("carla")
    address = f"{PREFIX}/curriculo/{part}/incluir"
    carla.get(address)
    form = carla.find_form(address)
    typed = {"nome_curso": "Primeiros socorros", "nome_instituicao": "Cruz Vermelha", "ano_conclusao": "2021"}
    chosen = {name: next(value for value in options if value) for name, options in form.choices.items()}
    assert not any(form.values.get(name) for name in form.choices)
    carla.post(address, form.values | {name: typed[name] for name in form.values if name in typed} | chosen)
    assert "está no seu currículo" in carla.page.text


def list_applications(citizen: CitizenClient) -> list[str]:
    citizen.get(f"{PREFIX}/candidaturas")
    return [link for link in citizen.page.links if link.startswith(f"{PREFIX}/candidaturas/")]


def find_job(citizen: CitizenClient) -> tuple[str, int]:
    """Return the slug of a job for which the citizen may apply, and the number of its questions."""
    listed = citizen.http.get(
        "/jobs/api/public/empregabilidade/vagas", params={"status": "publicado_ativo", "pageSize": 50}
    )
    for job in listed.json()["data"]:
        answer = citizen.http.get(f"/jobs/api/public/empregabilidade/vagas/slug/{job['slug']}")
        questions = answer.json()["informacoes_complementares"]
        if len(questions) > 1:
            citizen.get(f"{PREFIX}/candidatar/{job['slug']}")
            for form in [form for form in citizen.page.forms if form.action.endswith("/termos")]:
                citizen.post(form.action, form.values)
            if "Começar" in citizen.page.text:
                return job["slug"], len(questions)
    pytest.fail("no job asks this citizen a question")


def open_application(citizen: CitizenClient, title: str) -> str:
    """Open the page before an application for the open job with this title. Return its text."""
    found = citizen.http.get("/jobs/api/public/empregabilidade/vagas", params={"search": title}).json()["data"]
    [slug] = [job["slug"] for job in found if job["titulo"] == title]
    citizen.get(f"{PREFIX}/candidatar/{slug}")
    return str(citizen.page.text)


def test_a_job_only_for_people_with_a_disability_does_not_say_that_everyone_meets_it(enter: Enter) -> None:
    text = open_application(enter("bruno"), "Assistente")
    assert "Ser pessoa com deficiência: a empresa confere" in text
    assert "exclusivo" not in text
    assert "A prefeitura não confere mais nada: o resto é com a empresa." in text
    assert "Começar" in text


def test_a_minor_sees_which_criteria_he_does_not_meet(enter: Enter) -> None:
    davi = enter("davi")
    text = open_application(davi, "Atendente")
    assert "Ter pelo menos 18 anos: você não atende Conferir a data de nascimento" in text
    assert "Falar inglês, nível básico ou mais: falta" in text
    assert "Começar" not in text
    davi.get(next(link for link in davi.page.links if link.startswith(f"{PREFIX}/dados?vaga=atendente-")))
    assert "Você estava se candidatando à vaga Atendente. Voltar à candidatura" in davi.page.text
    assert [link for link in davi.page.links if link.startswith(f"{PREFIX}/candidatar/atendente-")]


def test_sessions_are_told_apart_and_closing_them_names_their_number(enter: Enter) -> None:
    here, end = enter("joao"), f"{PREFIX}/sessoes/encerrar"
    for count, notice in (
        (1, "a sua conta foi fechada no outro aparelho."),
        (2, "a sua conta foi fechada nos outros 2 aparelhos."),
    ):
        others = [enter("joao") for _ in range(count)]
        here.get(f"{PREFIX}/sessoes")
        assert len(re.findall(r"Outro aparelho \(último uso: hoje, [0-9h]+\)", here.page.text)) == count
        here.post(end, {"_csrf": here.read_secret()})
        assert f"Pronto: {notice}" in here.page.text
        assert "Outro aparelho" not in here.page.text
        assert all(other.http.get(PREFIX).status_code == 303 for other in others)
    here.post(end, {"_csrf": here.read_secret()})
    assert "A sua conta não estava aberta em outro aparelho." in here.page.text


def test_a_citizen_applies_with_stops_and_sends_once(enter: Enter) -> None:
    gabi = enter("gabriela")
    slug, questions = find_job(gabi)
    address = f"{PREFIX}/candidatar/{slug}"
    gabi.get(f"{address}/conferir")
    assert "/pergunta/1" in str(gabi.page.forms[-1].action)
    for number in range(1, questions + 1):
        page = f"{address}/pergunta/{number}"
        gabi.get(page)
        form = gabi.find_form(page)
        options = form.choices.get("answer")
        if number == 1:
            gabi.post(page, form.values | {"answer": ""})
            assert "Falta acertar um campo" in gabi.page.text
        gabi.post(page, form.values | {"answer": options[0] if options else "2", "depois": "1"})
        assert "Continue de onde parou" in gabi.page.text
    gabi.get(f"{address}/conferir")
    form = gabi.find_form(f"{address}/conferir")
    gabi.post(form.action, form.values)
    assert re.search(r"Candidatura enviada\. Próximo passo: (Análise do currículo|Triagem)\.", gabi.page.text)
    sent = len(list_applications(gabi))
    gabi.post(form.action, form.values)
    assert len(list_applications(gabi)) == sent
