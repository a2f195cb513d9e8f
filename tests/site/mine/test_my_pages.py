"""Minha página over HTTP: what citizens see and change, whose data it is, and what happens when a session is lost."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from balcao.site.mine.declaration import PREFIX
from balcao.site.mine.parts import PARTS
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
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


def test_a_session_of_the_panel_opens_no_page_of_a_citizen_and_the_reverse(sandbox: Sandbox, enter: Enter) -> None:
    with PanelClient(sandbox.url) as kleber:
        kleber.login("kleber")
        assert kleber.http.get(PREFIX).status_code == 303
    ana = enter("ana")
    assert ana.http.get("/painel").status_code == 303


@pytest.mark.parametrize("page", [each for each in PAGES if each.method == "POST"], ids=lambda page: page.name)
def test_a_form_of_another_site_is_refused(enter: Enter, page: object) -> None:
    ana = enter("ana")
    declared = next(each for each in PAGES if each is page)
    path = declared.address(**dict.fromkeys(declared.parameters, "1"))
    secret = {"_csrf": ana.read_secret()}
    foreign = {"Origin": "https://outro.example", "Sec-Fetch-Site": "cross-site"}
    assert ana.http.post(path, data=secret, headers=foreign).status_code == 403
    assert ana.http.post(path, data={"_csrf": "x" * 43}, headers={"Origin": ana.url}).status_code == 403


def test_a_vehicle_of_someone_else_does_not_exist(enter: Enter) -> None:
    ana, carla = enter("ana"), enter("carla")
    ana.get(f"{PREFIX}/veiculos")
    (address, *_) = [link for link in ana.page.links if link.startswith(f"{PREFIX}/veiculos/")]
    assert ana.get(address).status_code == 200
    for tail in ("", "/nome", "/excluir", "/autorizar"):
        assert carla.get(address + tail).status_code == 404


def test_an_owner_invites_a_person_who_accepts_and_is_later_removed(enter: Enter) -> None:
    ana, carla = enter("ana"), enter("carla")
    ana.get(f"{PREFIX}/veiculos")
    address = next(link for link in ana.page.links if link.startswith(f"{PREFIX}/veiculos/"))
    form = {"cpf": people_by_login()["carla"].cpf, "email": "carla@pessoa.example", "name": "Carla"}
    ana.submit(f"{address}/autorizar", **form)
    assert ana.page.heading == "Confira antes de enviar"
    check = ana.find_form(f"{address}/autorizar")
    ana.post(check.action, check.values | {"passo": "enviar"})
    assert "O convite foi enviado" in ana.page.text

    carla.get(PREFIX)
    invitation = next(link for link in carla.page.links if link.startswith(f"{PREFIX}/convites/"))
    carla.submit(invitation, resposta="aceitar")
    assert "o veículo está na sua lista" in carla.page.text
    carla.get(address)
    assert carla.page.heading

    ana.get(address)
    removal = next(form for form in ana.page.forms if "/condutores/" in form.action)
    ana.post(removal.action, removal.values)
    assert "A autorização foi retirada" in ana.page.text
    assert carla.get(address).status_code == 404


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
    assert "está no histórico" in ana.page.text
    assert "recusou Eventos" in ana.page.text


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
