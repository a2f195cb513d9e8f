"""The calls that the sandbox CRM itself makes: echoes, events on demand, and the end of an anonymisation request."""

import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from balcao.core.errors import Unauthenticated
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, to_json
from tests.support.crm import RunningCrm, crm_settings
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer
from tests.support.single_services import handlers

BRUNO, CARLA = "90000000256", "90000000337"


class Listener:
    """A server that replaces the registry and the identity provider, and records the calls it receives."""

    def __init__(self) -> None:
        self.arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        self.tokens = 0
        self.valid_from = 1  # the number of the first token that this server accepts

        def token(request: Request) -> Response[Any]:
            [client] = parse_qs(request.content or b"")[b"client_id"]
            self.tokens += 1
            return to_json({"access_token": f"{client.decode()} {self.tokens}", "expires_in": 300})

        def webhook(request: Request) -> Response[None]:
            _, client, number = request.headers[b"authorization"].decode().split(" ")
            if client != "crm-sandbox" or int(number) < self.valid_from:
                raise Unauthenticated()
            self.arrived.put(json.loads(request.content or b""))
            return Response(status=202)

        self.app = handlers(
            {("POST", "/realm/protocol/openid-connect/token"): token, ("POST", "/v1/webhooks/crm/cidadao"): webhook}
        )

    def next(self) -> dict[str, Any]:
        return self.arrived.get(timeout=PATIENCE)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def crm(listener: Listener, tmp_path: Path) -> Iterator[RunningCrm]:
    with RunningServer(listener.app) as registry:
        addresses = {"registry_url_override": f"{registry.url}/v1", "auth_issuer": f"{registry.url}/realm"}
        with RunningCrm(crm_settings(tmp_path, **addresses)) as running:
            yield running


def test_an_accepted_change_is_sent_back(listener: Listener, crm: RunningCrm, rest: httpx.Client) -> None:
    [carla] = crm.accounts(CARLA)
    changed = {
        "PersonEmail": "carla@novo.example",
        "PersonMailingCity": "Niterói",
        "Idioma__c": "A;B",
        "Genero__c": None,
    }
    rest.patch(f"/sobjects/Account/{carla['Id']}", json=changed)
    [carla] = crm.accounts(CARLA)
    assert listener.next() == {
        "cpf": CARLA,
        "evento": "atualizacao",
        "updatedAt": carla["LastModifiedDate"],
        "dados": {
            "email": "carla@novo.example",
            "endereco": {"cidade": "Niterói"},
            "idioma": ["A", "B"],
            "genero": None,
        },
    }


def test_a_consent_is_sent_back_whole(listener: Listener, crm: RunningCrm, rest: httpx.Client) -> None:
    consent = {"Status__c": "OUT", "Motivo__c": "Mensagens demais"}
    rest.patch(f"/sobjects/Consentimento__c/Chave__c/{CARLA}%7Ceventos%7Cwhatsapp", json=consent)
    [sent] = listener.next()["dados"]["consentimento"]
    assert (sent["categoria"], sent["canal"], sent["status"]) == ("eventos", "whatsapp", "OUT")


def test_a_refused_change_is_not_sent_back(listener: Listener, crm: RunningCrm, rest: httpx.Client) -> None:
    rest.patch(f"/sobjects/Account/CPF__c/{CARLA}", json={"PersonEmail": "x" * 81})
    rest.patch(f"/sobjects/Account/CPF__c/{CARLA}", json={"PersonEmail": "carla@novo.example"})
    assert listener.next()["dados"] == {"email": "carla@novo.example"}
    assert listener.arrived.empty()


def test_events_are_sent_as_often_and_in_the_order_told(listener: Listener, crm: RunningCrm) -> None:
    events = [{"cpf": CARLA, "dados": {"email": f"{number}@x.example"}} for number in range(5)]
    orders = []
    for _ in range(2):
        answer = crm.switch.post("/events", json={"events": events, "duplicates": 2, "shuffle": 3})
        assert answer.json() == {"statuses": {"202": 15}}
        orders.append([listener.next() for _ in range(15)])
    assert orders[0] == orders[1]
    assert orders[0] != sorted(orders[0], key=str)
    assert sorted(orders[0], key=str) == [event for event in events for _ in range(3)]


def test_a_refused_token_is_not_used_again(listener: Listener, crm: RunningCrm) -> None:
    events = {"events": [{"cpf": CARLA}] * 2}
    assert crm.switch.post("/events", json=events).json() == {"statuses": {"202": 2}}
    listener.valid_from = 2
    assert crm.switch.post("/events", json=events).json() == {"statuses": {"401": 1, "202": 1}}
    assert listener.tokens == 2


def test_a_filed_anonymisation_empties_the_account_and_says_so(
    listener: Listener, crm: RunningCrm, rest: httpx.Client
) -> None:
    [carla] = crm.accounts(CARLA)
    filed = rest.post("/sobjects/SolicitacaoAnonimizacao__c", json={"Conta__c": carla["Id"], "CPF__c": CARLA})
    event = listener.next()
    assert (event["evento"], event["cpf"]) == ("anonimizacao", CARLA)
    [emptied] = crm.accounts(CARLA)
    assert (emptied["PersonEmail"], emptied["FirstName"], emptied["consents"]) == (None, None, [])
    request = rest.get(f"/sobjects/SolicitacaoAnonimizacao__c/{filed.json()['id']}").json()
    assert (request["Status__c"], request["DataConclusao__c"] is None) == ("concluido", False)


def test_what_is_filed_for_an_account_is_done_to_that_account_whatever_cpf_stands_beside_it(
    listener: Listener, crm: RunningCrm, rest: httpx.Client
) -> None:
    """As in a real CRM, a write to the wrong account changes another person. The sandbox makes this visible."""
    [bruno], [carla] = crm.accounts(BRUNO), crm.accounts(CARLA)
    consent = {"Conta__c": bruno["Id"], "CPF__c": CARLA, "Categoria__c": "saude", "Status__c": "IN"}
    rest.patch(f"/sobjects/Consentimento__c/Chave__c/{CARLA}%7Csaude%7Csms", json=consent).raise_for_status()
    assert listener.next()["cpf"] == BRUNO
    rest.post("/sobjects/SolicitacaoAnonimizacao__c", json={"Conta__c": bruno["Id"], "CPF__c": CARLA})
    assert listener.next()["cpf"] == BRUNO
    assert (crm.accounts(BRUNO)[0]["PersonEmail"], crm.accounts(CARLA)) == (None, [carla])


@pytest.mark.parametrize("entity", ["SolicitacaoAnonimizacao__c", "Consentimento__c"])
def test_nothing_is_filed_for_an_account_that_is_none(rest: httpx.Client, entity: str) -> None:
    filed = rest.post(f"/sobjects/{entity}", json={"Conta__c": "001", "CPF__c": CARLA})
    assert (filed.status_code, filed.json()[0]["errorCode"]) == (400, "INVALID_CROSS_REFERENCE_KEY")


def test_an_absent_registry_does_not_touch_the_answer(tmp_path: Path) -> None:
    nowhere = {"registry_url_override": "http://127.0.0.1:9", "auth_issuer": "http://127.0.0.1:9"}
    with RunningCrm(crm_settings(tmp_path, **nowhere)) as crm:
        assert crm.switch.post("/events", json={"events": [{"cpf": CARLA}]}).json() == {"statuses": {"0": 1}}
