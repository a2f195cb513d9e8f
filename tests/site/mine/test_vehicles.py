"""Vehicles in Minha página: what owners, drivers, invited people and strangers may see and change."""

from collections.abc import Callable

import pytest

from balcao.core.values.cpf import Cpf
from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.support.fixture_types import Sql
from tests.support.panel import CitizenClient

LIST = f"{PREFIX}/veiculos"
STORED = "SELECT count(*) AS links FROM registry.vehicle_conductor WHERE status IN ('pending', 'accepted')"
Invite = Callable[..., str]


@pytest.fixture
def ana(enter: Enter) -> CitizenClient:
    return enter("ana")


@pytest.fixture
def address(ana: CitizenClient) -> str:
    """Return the address of Ana's vehicle without drivers."""
    ana.get(LIST)
    own = [link for link in ana.page.links if link.startswith(f"{LIST}/") and link.count("/") == LIST.count("/") + 1]
    return next(link for link in own if "Só você." in ana.get(link).text)


@pytest.fixture
def invite(ana: CitizenClient, address: str) -> Invite:
    """Return a function that invites a demo person and returns the address of the receipt."""

    def send(username: str, **values: str) -> str:
        form = {"cpf": people_by_login()[username].cpf, "email": f"{username}@pessoa.example", "name": "Vizinha"}
        ana.submit(f"{address}/autorizar", **form | values)
        assert ana.page.heading == "Confira antes de enviar"
        check = ana.find_form(f"{address}/autorizar")
        return ana.post(check.action, check.values | {"passo": "enviar"}).url.path

    return send


def find_invitation(citizen: CitizenClient) -> str:
    citizen.get(PREFIX)
    return next(link for link in citizen.page.links if link.startswith(f"{PREFIX}/convites/"))


def remove(ana: CitizenClient, receipt: str) -> None:
    ana.submit(receipt)
    assert "não está mais na lista" in ana.page.text


def test_a_vehicle_of_someone_else_does_not_exist(enter: Enter, ana: CitizenClient, address: str) -> None:
    carla = enter("carla")
    assert ana.get(address).status_code == 200
    for tail in ("", "/mudar/nome", "/excluir", "/autorizar", "/deixar", "/condutores/1"):
        assert carla.get(address + tail).status_code == 404


def test_an_owner_invites_a_person_who_accepts_and_is_later_removed(
    enter: Enter, ana: CitizenClient, address: str, invite: Invite
) -> None:
    carla = enter("carla")
    receipt = invite("carla")
    assert (ana.page.heading, "O convite foi enviado." in ana.page.text) == ("Vizinha", True)
    carla.submit(find_invitation(carla), resposta="aceitar")
    assert "o veículo está na sua lista" in carla.page.text
    carla.get(address)
    assert "De quem é" in carla.page.text
    for tail in ("/mudar/nome", "/excluir", "/autorizar", f"/condutores/{receipt.rpartition('/')[2]}"):
        assert carla.get(address + tail).status_code == 404  # only the owner may do that
    ana.get(receipt)
    assert "Pode conduzir" in ana.page.text
    form = ana.find_form(receipt)
    remove(ana, receipt)
    ana.post(receipt, form.values)  # the second press of the button
    assert "não está mais na lista" in ana.page.text
    assert carla.get(address).status_code == 404


def test_a_driver_leaves_and_the_second_press_changes_nothing(
    enter: Enter, ana: CitizenClient, address: str, invite: Invite
) -> None:
    carla = enter("carla")
    invite("carla")
    carla.submit(find_invitation(carla), resposta="aceitar")
    carla.get(f"{address}/deixar")
    form = carla.find_form(f"{address}/deixar")
    for said in ("Você não conduz mais", "Você não conduz este veículo"):
        assert carla.post(form.action, form.values).url.path == LIST
        assert said in carla.page.text
    ana.get(address)
    assert "Só você." in ana.page.text
    assert ana.get(f"{address}/deixar").status_code == 404


def test_a_refused_invitation_can_be_repeated(enter: Enter, ana: CitizenClient, address: str, invite: Invite) -> None:
    carla = enter("carla")
    invite("carla")
    invitation = find_invitation(carla)
    for answer in ({}, {"resposta": "talvez"}):
        assert carla.submit(invitation, **answer).status_code == 422
        assert "Escolha aceitar ou recusar." in carla.page.text
    carla.submit(invitation, resposta="recusar")
    assert "Você recusou o convite." in carla.page.text
    for link in (invitation, f"{PREFIX}/convites/1"):
        assert carla.get(link).url.path == LIST
        assert "Não há convite para responder" in carla.page.text
    remove(ana, invite("carla"))


def test_an_invitation_is_answered_only_by_the_invited_person(
    enter: Enter, ana: CitizenClient, address: str, invite: Invite
) -> None:
    carla, bruno = enter("carla"), enter("bruno")
    receipt = invite("carla")
    invitation = find_invitation(carla)
    assert bruno.get(invitation).url.path == LIST
    for resposta in ("aceitar", "recusar", ""):
        assert bruno.post(invitation, {"_csrf": bruno.read_secret(), "resposta": resposta}).status_code == 404
    carla.get(invitation)
    form = carla.find_form(invitation)
    remove(ana, receipt)
    carla.post(invitation, form.values | {"resposta": "aceitar"})  # the owner was faster
    assert "Não há convite para responder" in carla.page.text
    assert carla.get(address).status_code == 404


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cpf": ""}, "Escreva o CPF."),
        ({"cpf": "90000000176"}, "Confira o CPF"),
        ({"cpf": "900.000.001-75"}, "Este CPF é o seu"),
        ({"email": "sem arroba"}, "Confira o e-mail."),
        ({"email": ""}, "Escreva o e-mail."),
        ({"name": "x" * 101}, "No máximo 100 caracteres."),
    ],
)
def test_a_wrong_invitation_is_explained_before_the_check(
    ana: CitizenClient, address: str, sql: Sql, values: dict[str, str], said: str
) -> None:
    before = sql(STORED)
    typed = {"cpf": Cpf.with_stem("945670032").digits, "email": "a@pessoa.example", "name": "Ana", **values}
    for step in ("conferir", "enviar"):
        answer = ana.submit(f"{address}/autorizar", **typed, passo=step)
        assert answer.status_code == 422
        assert said in ana.page.text
        assert ana.find_form(f"{address}/autorizar").values["email"] == typed["email"]
    assert sql(STORED) == before


def test_what_the_registry_refuses_is_explained_and_nothing_is_sent_twice(
    ana: CitizenClient, address: str, invite: Invite, sql: Sql
) -> None:
    before = sql(STORED)[0]["links"]
    receipt = invite("carla")
    check = {"_csrf": ana.read_secret(), "passo": "enviar", "cpf": people_by_login()["carla"].cpf}
    again = ana.post(f"{address}/autorizar", check | {"email": "outra@pessoa.example", "name": ""})
    assert again.status_code == 422
    assert "Esta pessoa já foi convidada ou já pode conduzir este veículo." in ana.page.text
    assert ana.find_form(f"{address}/autorizar").values["email"] == "outra@pessoa.example"
    ana.submit(f"{address}/autorizar", cpf=Cpf.with_stem("945670033").digits, email="b@pessoa.example")
    form = ana.find_form(f"{address}/autorizar")
    receipts = {ana.post(form.action, form.values | {"passo": "enviar"}).url.path for _ in range(2)}
    assert len(receipts) == 1
    assert sql(STORED)[0]["links"] == before + 2
    for one in (receipt, *receipts):
        remove(ana, one)


def test_a_driver_without_a_name_is_shown_by_the_masked_cpf(ana: CitizenClient, address: str, invite: Invite) -> None:
    receipt = invite("davi", name="")
    assert ana.page.heading.startswith("CPF ***.")
    remove(ana, receipt)


def test_an_email_that_could_not_be_delivered_is_shown(
    ana: CitizenClient, address: str, invite: Invite, sql: Sql
) -> None:
    receipt = invite("davi")
    sql("UPDATE registry.vehicle_conductor SET email_status = 'failed' WHERE id = $1", receipt.rpartition("/")[2])
    ana.get(receipt)
    assert "O e-mail não pôde ser entregue." in ana.page.text
    remove(ana, receipt)
