"""The CRM gets the caller's request id, and also a value that staff declared for the citizen."""

from collections.abc import Callable

import httpx
import pytest

from balcao.settings import Settings
from tests.support.crm import RunningCrm
from tests.support.issuer import Issuer, bearer


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


def test_the_request_id_goes_through_to_the_crm(
    http: httpx.Client, issuer: Issuer, send: Callable[..., None], crm: RunningCrm, person: str
) -> None:
    headers = bearer(issuer.person(person)) | {"X-Request-ID": "origem-da-mudanca"}
    answer = http.put(f"/registry/v1/citizen/{person}/gender", json={"valor": "x"}, headers=headers)
    send()
    [change] = [entry for entry in crm.requests(cpf=person) if entry["operation"] == "upsert"]
    assert change["request_id"] == answer.headers["X-Request-ID"]


def test_only_the_citizens_own_word_is_sent_although_staff_wrote_it(
    http: httpx.Client, issuer: Issuer, send: Callable[..., None], crm: RunningCrm, person: str
) -> None:
    path = f"/registry/v1/citizen/{person}/gender"
    assert http.put(path, json={"valor": "Não binário"}, headers=bearer(issuer.admin())).status_code == 200
    send()
    [account] = crm.accounts(person)
    assert account["Genero__c"] == "Nao_binario"
