"""Tests for the quotas of senders (rules: registry 4.17)."""

import httpx
import pytest

from balcao.settings import Settings
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.registry.senders.sender_calls import Sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.server import NOWHERE

ASKED, REFUSED, CAMPAIGNS = 40, 10, 5


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        port=NOWHERE,
        recipients_limit=f"{ASKED}/day",
        refused_recipients_limit=f"{REFUSED}/day",
        campaigns_limit=f"{CAMPAIGNS}/day",
    )


def accepting(sql: Sql) -> str:
    cpf = new_cpf()
    sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{}', 'test')", cpf)
    return cpf


@pytest.mark.cases("registry", "U13")
def test_a_client_has_a_quota_of_recipients(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    sender, cpf = Sender(http, issuer, "portal-servidor"), accepting(sql)
    assert sender.send(cpfs=[cpf] * ASKED).status_code == 200
    answer = sender.send(cpfs=[cpf])
    assert refusal(answer) == (429, "too-many")
    assert int(answer.headers["Retry-After"]) > 0
    assert Sender(http, issuer, "crm-sandbox").send(cpfs=[cpf]).status_code == 200


@pytest.mark.cases("registry", "U14")
def test_recipients_who_do_not_accept_have_a_smaller_quota_whether_they_are_known_or_not(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    def ask(client: str, cpf: str) -> list[int]:
        sender = Sender(http, issuer, client)
        return [sender.send(cpfs=[cpf] * 5).status_code for _ in range(4)]

    refusing = accepting(sql)
    citizen = RegistryClient(http, issuer.person(refusing))
    citizen.ok("PUT", f"/citizen/{refusing}/notification-preferences", {"channel": "web", "opt_in": False})
    assert ask("portal-cidadao", new_cpf()) == ask("painel-saude", refusing) == [200, 200, 200, 429]


@pytest.mark.cases("registry", "U15")
def test_a_client_cannot_fill_the_list_of_a_person_with_new_mailings(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    sender, cpf = Sender(http, issuer, "agentes-runtime"), accepting(sql)
    statuses = [sender.send(campaign=f"envio-{number}", cpfs=[cpf]).status_code for number in range(CAMPAIGNS + 2)]
    assert statuses == [200] * CAMPAIGNS + [429] * 2
    assert sender.send(campaign="envio-0", cpfs=[cpf]).status_code == 200
    seen = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/data-access")["data"]
    assert len(seen) == CAMPAIGNS


def test_the_platform_itself_has_no_quota(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    platform = Sender(http, issuer, "balcao-platform")
    assert [platform.send(cpfs=[new_cpf()] * 30).status_code for _ in range(3)] == [200] * 3
