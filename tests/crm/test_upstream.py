"""The CRM client's behaviour with CRMs whose faults the sandbox cannot simulate."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from balcao.core.client_credentials import Token
from balcao.core.values.cpf import Cpf
from balcao.crm.client import CrmClient, Upserted, open_crm_client
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.crm.transport import Transport
from balcao.settings import Settings
from tests.support import demo_people
from tests.support.polling import PATIENCE
from tests.support.uvicorn_server import RunningForeign

DAVI = Cpf(demo_people.DAVI)
FIELDS = {"nome": "Davi Furtado"}
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class Foreign:
    """A CRM that issues tokens and returns the same response to every other call."""

    def __init__(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.status, self.body, self.headers = status, body, headers
        self.instance_url = ""
        self.lifetime: int | None = None
        self.token: Any = "t"
        self.calls = self.tokens = 0

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["path"].endswith("/token"):
            self.tokens += 1
            token = {"access_token": self.token, "instance_url": self.instance_url, "expires_in": self.lifetime}
            await self.answer(send, 200, json.dumps(token).encode(), {})
        else:
            self.calls += 1
            await self.answer(send, self.status, self.body, self.headers)

    async def answer(self, send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
        raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": body})


class Dripping(Foreign):
    """A CRM that sends its response in small parts for as long as the client reads."""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].endswith("/token"):
            return await super().__call__(scope, receive, send)
        self.calls += 1
        await receive()
        gone = asyncio.ensure_future(receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not gone.done():
            await send({"type": "http.response.body", "body": b" ", "more_body": True})
            await asyncio.sleep(0.05)
        return None


@asynccontextmanager
async def open_client(foreign: Foreign, limits: httpx.Timeout | None = None) -> AsyncIterator[CrmClient]:
    with RunningForeign(foreign) as running:
        settings = Settings(crm_url_override=running.url)
        async with open_crm_client(settings, *([limits] if limits else [])) as client:
            yield client


async def upsert(client: CrmClient) -> Upserted:
    return await client.upsert(DAVI, FIELDS, Deadline.within(PATIENCE))


async def test_an_answer_over_one_mebibyte_is_a_failure() -> None:
    foreign = Foreign(200, b'"' + b"x" * 1_048_576 + b'"')
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway):
            await upsert(client)
    assert foreign.calls == 1


async def test_an_answer_in_drops_is_cut_off() -> None:
    foreign = Dripping(200)
    async with open_client(foreign, httpx.Timeout(0.2, connect=0.2)) as client, asyncio.timeout(PATIENCE / 2):
        with pytest.raises(CrmAway):
            await upsert(client)
    assert foreign.calls == 3


async def test_a_retry_after_may_be_a_date() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    foreign = Foreign(429, Retry_After=format_datetime(later, usegmt=True))
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway) as raised:
            await upsert(client)
    assert raised.value.retry_after is not None
    assert 3_500 < raised.value.retry_after <= 3_600
    assert foreign.calls == 1


async def test_a_retry_after_that_makes_no_sense_is_passed_over() -> None:
    foreign = Foreign(429, Retry_After="logo")
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway):
            await upsert(client)
    assert foreign.calls == 3


@pytest.mark.parametrize("status", [301, 400, 403, 404])
@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b"[5]", b'{"error": "blocked"}'])
async def test_an_error_in_another_form_is_not_from_the_crm_and_may_pass(status: int, body: bytes) -> None:
    foreign = Foreign(status, body)
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway):
            await upsert(client)
    assert foreign.calls == 1


@pytest.mark.parametrize("records", [b"[]", b"{}", b'{"records": {}}', b'{"records": [5]}', b"null", b""])
async def test_a_look_up_without_records_is_a_failure(records: bytes) -> None:
    async with open_client(Foreign(200, records)) as client:
        with pytest.raises(CrmAway):
            await client.look_up(DAVI, Deadline.within(PATIENCE))


ACCOUNT = {"Id": "0010000000DEMO", "CPF__c": DAVI.digits, "LastName": "Furtado", "PersonEmail": "davi@casa.example"}
OTHER_ACCOUNT = ACCOUNT | {"CPF__c": "90000000337"}


@pytest.mark.parametrize(
    "records",
    [
        [OTHER_ACCOUNT],
        [ACCOUNT, OTHER_ACCOUNT],
        [OTHER_ACCOUNT, ACCOUNT],
        [ACCOUNT | {"CPF__c": None}],
        [{name: value for name, value in ACCOUNT.items() if name != "CPF__c"}],
        [ACCOUNT | {"CPF__c": ""}],
        [ACCOUNT | {"CPF__c": int(DAVI.digits)}],
        [ACCOUNT | {"CPF__c": [DAVI.digits]}],
        [ACCOUNT | {"CPF__c": f" {DAVI.digits}"}],
        [ACCOUNT | {"CPF__c": DAVI.digits[:-1]}],
    ],
    ids=str,
)
async def test_an_answer_with_a_record_that_does_not_bear_the_persons_cpf_is_a_failure(records: list[Any]) -> None:
    """The record is rejected, so a look-up does not return it and a push does not write to the account."""
    async with open_client(Foreign(200, json.dumps({"done": True, "records": records}).encode())) as client:
        for ask in (client.look_up, client.find):
            with pytest.raises(CrmAway) as raised:
                await ask(DAVI, Deadline.within(PATIENCE))
            assert raised.value.error_code == "ANSWER_MISDIRECTED"


async def test_a_cpf_that_the_crm_punctuates_is_the_same_person() -> None:
    body = json.dumps({"records": [ACCOUNT | {"CPF__c": "900.000.004-18"}]}).encode()
    async with open_client(Foreign(200, body)) as client:
        found = await client.find(DAVI, Deadline.within(PATIENCE))
        assert found == ACCOUNT["Id"]
        (records,) = await client.select(Deadline.within(PATIENCE), client.query_accounts(DAVI))
        assert records == [ACCOUNT]


async def test_an_answer_that_is_not_the_whole_list_is_a_failure() -> None:
    """If the client returned the incomplete list, its callers would treat the missing records as deleted."""
    body = json.dumps({"done": False, "nextRecordsUrl": "/services/data/v60.0/query/01g", "records": [ACCOUNT]})
    async with open_client(Foreign(200, body.encode())) as client:
        with pytest.raises(CrmAway) as raised:
            await client.find(DAVI, Deadline.within(PATIENCE))
        assert raised.value.error_code == "ANSWER_INCOMPLETE"


async def test_calls_go_where_the_token_says() -> None:
    there = Foreign(201, b'{"id": "001"}')
    here = Foreign(500)
    with RunningForeign(there) as instance:
        here.instance_url = instance.url
        async with open_client(here) as client:
            assert await upsert(client) is Upserted.CREATED
    assert (here.calls, there.calls) == (0, 1)


@pytest.mark.parametrize(
    "instance",
    [
        "https://evil.example",
        "https://127.0.0.1.evil.example",
        "http://evil.example",
        "https://127.0.0.1@evil.example",
        "ftp://127.0.0.1",
        "https://127.0.0.1/other",
        "https://[::1",
        "//127.0.0.1",
    ],
)
async def test_calls_follow_a_token_to_no_other_host(instance: str) -> None:
    foreign = Foreign(201, b'{"id": "001"}')
    foreign.instance_url = instance
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway) as raised:
            await upsert(client)
        assert client.circuit.failures == 1
    assert (raised.value.error_code, foreign.calls) == ("INSTANCE_REFUSED", 0)


def test_a_host_may_be_allowed_with_its_subdomains_but_never_without_tls() -> None:
    def instance_of(url: str) -> str:
        transport = Transport(httpx.AsyncClient(), "https://login.crm.example", "id", "secret", ["my.crm.example"])
        return transport.find_instance(Token("t", url, 0.0))

    for allowed in ("https://city.my.crm.example", "https://my.crm.example", "https://login.crm.example", ""):
        assert instance_of(allowed) == (allowed or "https://login.crm.example")
    for refused in ("http://city.my.crm.example", "https://crm.example", "https://citymy.crm.example"):
        with pytest.raises(CrmAway):
            instance_of(refused)


@pytest.mark.parametrize("asked", ["86400000", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "\u00b2"])
async def test_a_retry_after_is_an_hour_at_most(asked: str) -> None:
    foreign = Foreign(429, Retry_After=asked)
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway) as raised:
            await client.upsert(DAVI, FIELDS, Deadline.within(PATIENCE, tries=1))
    assert raised.value.retry_after in {None, 3_600}


@pytest.mark.parametrize(
    "record",
    [{}, {"Id": None}, {"Id": ""}, {"Id": {"a": 1}}, {"Id": "a b"}, {"Id": [5]}, {"Id": "x" * 100}],
    ids=str,
)
async def test_an_account_without_a_usable_id_is_a_failure_of_the_crm(record: dict[str, Any]) -> None:
    async with open_client(Foreign(200, json.dumps({"records": [record]}).encode())) as client:
        for failures in (1, 2):
            with pytest.raises(CrmAway):
                await client.look_up(DAVI, Deadline.within(PATIENCE))
            assert client.circuit.failures == failures
        with pytest.raises(CrmAway):
            await client.find(DAVI, Deadline.within(PATIENCE))
        assert client.circuit.failures == 3


async def test_what_cannot_be_unpacked_is_a_failure_of_the_crm() -> None:
    async with open_client(Foreign(200, b"no gzip", Content_Encoding="gzip")) as client:
        with pytest.raises(CrmAway):
            await upsert(client)
        assert client.circuit.failures == 1


@pytest.mark.parametrize(
    "token", [5, "", "a b", "\u00e9", "a\r\nX: y", ["t"], "x" * 20_000], ids=lambda word: repr(word)[:20]
)
async def test_a_token_that_no_header_can_carry_is_a_failure_of_the_crm(token: Any) -> None:
    foreign = Foreign(201, b'{"id": "001"}')
    foreign.token = token
    async with open_client(foreign) as client:
        with pytest.raises(CrmAway):
            await upsert(client)
        assert client.circuit.failures == 1
    assert foreign.calls == 0


@pytest.mark.parametrize(("lifetime", "asked"), [(None, 1), (300, 1), (60, 2), (1, 2)])
async def test_a_token_is_used_until_a_minute_before_its_end(lifetime: int | None, asked: int) -> None:
    foreign = Foreign(201, b'{"id": "001"}')
    foreign.lifetime = lifetime
    async with open_client(foreign) as client:
        await upsert(client)
        await upsert(client)
    assert (foreign.calls, foreign.tokens) == (2, asked)


@pytest.mark.parametrize("code", ["STRING_TOO_LONG", "Davi Furtado 90000000418"])
async def test_what_a_crm_says_of_a_person_is_not_logged(caplog: pytest.LogCaptureFixture, code: str) -> None:
    private = {"message": "Davi Furtado", "errorCode": code, "fields": ["PersonEmail", "davi@exemplo.example"]}
    with caplog.at_level(logging.DEBUG):
        async with open_client(Foreign(400, json.dumps([private]).encode())) as client:
            with pytest.raises(CrmRefused) as raised:
                await upsert(client)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("balcao")]
    told = " ".join([*ours, str(raised.value), raised.value.error_code, *raised.value.fields])
    assert "PersonEmail" in told
    assert not any(word in told for word in ("Davi", "90000000418", "davi@"))
