"""Refusals under production's limits during a flood from an address that other callers share."""

import asyncio
import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from balcao import app
from balcao.core.access import keys, refusals
from balcao.core.access.caller import TokenRefused
from balcao.core.access.counts import Counts
from balcao.core.access.keys import KeyPending
from balcao.core.access.refusals import PATH, TOKEN, Refusals
from balcao.settings import Settings
from tests.invariants.test_hostile_tokens import HOSTILE
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import PATIENCE
from tests.support.refused_tokens import GUARDED
from tests.support.server import RunningServer

ANA, BRUNO = "90000000175", "90000000256"
WHO = "/agent/api/v1/auth"
NOWHERE = "/agent/api/v1/nada"
BURST = 300
REFUSED_RATE = f"{BURST}/minute"
ROOT = Path(__file__).parents[2]


# ---- the counts ---------------------------------------------------------------------------------------------------


def count_many(counted: Refusals, times: int, kind: str = TOKEN, who: str = "192.0.2.1") -> list[bool]:
    return [counted.count(kind, who) > 0 for _ in range(times)]


def test_three_hundred_refusals_a_minute_of_one_address_are_answered_in_full() -> None:
    assert Settings().refused_rate == REFUSED_RATE
    counted = Refusals(Counts(), REFUSED_RATE)
    assert count_many(counted, BURST + 2) == [False] * BURST + [True] * 2
    assert 0 < counted.count(TOKEN, "192.0.2.1") <= 60
    assert count_many(counted, 1, who="192.0.2.2") == count_many(counted, 1, kind=PATH) == [False]


def test_the_processes_of_a_machine_count_together(tmp_path: Path) -> None:
    one, other = (Refusals(Counts(b"x", tmp_path / "counts", number, 2), "10/minute") for number in (0, 1))
    assert not any(count_many(one, 5) + count_many(other, 5))
    assert all(count_many(one, 1) + count_many(other, 1))


def test_a_rate_that_changes_counts_anew() -> None:
    counted = Refusals(Counts(), "1/minute")
    assert count_many(counted, 2) == [False, True]
    counted.change_rate("2/minute")
    assert count_many(counted, 3) == [False, False, True]


def test_a_genuine_token_is_counted_by_itself_and_any_other_by_its_address() -> None:
    counted = Refusals(Counts(), "1/minute")
    genuine, forged = TokenRefused("token-expired"), TokenRefused("token-signature")
    genuine.is_genuine = True
    forgeries = [counted.count_token("192.0.2.1", forged, b"Bearer %d" % number) > 0 for number in range(3)]
    assert forgeries == [False, True, True]
    expired = [
        counted.count_token("192.0.2.1", genuine, token) > 0 for token in (b"Bearer a", b"Bearer b", b"Bearer a")
    ]
    assert expired == [False, False, True]


def test_five_tokens_a_minute_of_one_address_may_have_a_new_key_and_the_others_are_forged() -> None:
    counted, pending = Refusals(Counts(), REFUSED_RATE), KeyPending(retry_after=3)
    judged = [counted.judge_pending("192.0.2.1", pending) for _ in range(7)]
    assert judged[:5] == [pending] * 5
    assert [fault.reason for fault in judged[5:] if isinstance(fault, TokenRefused)] == ["token-key-unknown"] * 2
    assert counted.judge_pending("192.0.2.2", pending) is pending
    assert (refusals.PENDING_KEYS, refusals.PENDING_SECONDS) == (5, 60)


async def test_lines_are_added_up_in_one_and_no_more_than_five_hundred_are_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counted = Refusals(Counts(), REFUSED_RATE)
    assert [counted.may_write() for _ in range(501)] == [True] * 500 + [False]
    for code in ("token-missing", "not-found", "token-missing"):
        counted.add_up(code)
    with caplog.at_level("INFO"):
        counted.flush()
        counted.flush()
    (line,) = (json.loads(record.getMessage()) for record in caplog.records)
    assert (line["event"], line["count"]) == ("request.refusals", 3)
    assert line["codes"] == {"token-missing": 2, "not-found": 1}
    assert counted.may_write()
    counted.flush()
    assert refusals.SUMMARY_SECONDS == 10


async def test_the_summary_writes_itself(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(refusals, "SUMMARY_SECONDS", 0.0)
    with caplog.at_level("INFO"):
        Refusals(Counts(), REFUSED_RATE).add_up("token-missing")
        turned = asyncio.Event()
        asyncio.get_running_loop().call_later(0.0, turned.set)
        await turned.wait()
    assert "request.refusals" in caplog.text


# ---- over HTTP ----------------------------------------------------------------------------------------------------


@pytest.fixture
def production_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze the clock of the keys, so that the keys count as recently fetched during the whole test."""
    monkeypatch.setattr(keys, "UNKNOWN_KEY_SECONDS", 3.0)
    monkeypatch.setattr(keys, "monotonic", lambda: 1000.0)


@pytest.fixture
def flooded(
    settings: Settings, database_url: str, production_window: None, issuer: Issuer
) -> Iterator[tuple[httpx.Client, Callable[..., dict[str, str]]]]:
    """Yield a client of a process with production's limits, and a function that makes the headers for an address."""
    bounded = settings.model_copy(update={"refused_rate": REFUSED_RATE, "trusted_proxies_csv": "127.0.0.1"})

    def sent(address: str, token: str | None = None) -> dict[str, str]:
        return {"X-Forwarded-For": address} | (bearer(token) if token else {})

    with (
        RunningServer(app.build_application(bounded, database_url)) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        assert client.get(WHO, headers=sent("192.0.2.9", issuer.person(ANA))).status_code == 200  # fetches the keys
        yield client, sent


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


ADDRESSES = {"version 4": ["192.0.2.1"], "a network of version 6": [f"2001:db8:0:1::{n:x}" for n in range(1, 9)]}


@pytest.mark.parametrize("addresses", ADDRESSES.values(), ids=ADDRESSES)
def test_beyond_the_burst_a_refusal_is_429_and_leaves_no_line_and_whoever_shares_the_address_goes_on(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]],
    issuer: Issuer,
    caplog: pytest.LogCaptureFixture,
    addresses: list[str],
) -> None:
    http, sent = flooded
    known = issuer.person(ANA)
    assert http.get(WHO, headers=sent(addresses[0], known)).status_code == 200
    with caplog.at_level("INFO"):
        answers = [
            http.get(WHO, headers=sent(addresses[n % len(addresses)], "a.b.c" if n % 2 else None))
            for n in range(BURST + 50)
        ]
    assert [answer.status_code for answer in answers] == [401] * BURST + [429] * 50
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert (answers[-1].headers["Error-Code"], list(answers[-1].json())) == ("too-many", ["detail"])
    assert sum("request.unauthenticated" in line for line in lines_of(caplog)) == BURST
    # First, callers at the same address with a known token, a new token and an expired token. Then a caller at another
    # address.
    neighbour = addresses[-1]
    assert http.get(WHO, headers=sent(neighbour, known)).status_code == 200
    assert http.get(WHO, headers=sent(neighbour, issuer.person(BRUNO))).status_code == 200
    expired = issuer.person(BRUNO, exp=int(time.time()) - 60)
    assert http.get(WHO, headers=sent(neighbour, expired)).status_code == 401
    assert http.get(WHO, headers=sent("198.51.100.1")).status_code == 401
    assert http.get("/agent/liveness", headers=sent(neighbour)).status_code == 200


@pytest.mark.long
def test_an_operation_without_a_rate_knows_no_429_and_leaves_no_line_all_the_same(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]], caplog: pytest.LogCaptureFixture
) -> None:
    http, sent = flooded
    with caplog.at_level("INFO"):
        found = {
            http.post("/registry/v1/webhooks/crm/cidadao", headers=sent("192.0.2.1")).status_code
            for _ in range(BURST + 50)
        }
    assert found == {401}
    assert sum("request.unauthenticated" in line for line in lines_of(caplog)) == BURST


def test_paths_that_are_not_there_are_counted_as_well_and_apart(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]],
) -> None:
    http, sent = flooded
    found = Counter(http.get(NOWHERE, headers=sent("192.0.2.1")).status_code for _ in range(BURST + 20))
    assert found == {404: BURST, 429: 20}
    assert http.post(WHO, headers=sent("192.0.2.1")).status_code == 429
    assert http.get(WHO, headers=sent("192.0.2.1")).status_code == 401
    assert http.get(NOWHERE, headers=sent("192.0.2.2")).status_code == 404


def test_invented_keys_are_unavailable_five_times_and_in_no_rate_of_errors(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]], issuer: Issuer
) -> None:
    http, sent = flooded
    invented = [issuer.person(ANA, key=new_key()) for _ in range(4)]
    before = read_counts(http)
    address = "192.0.2.1"
    found = [http.get(WHO, headers=sent(address, invented[n % 4])) for n in range(BURST + 40)]
    statuses = Counter(answer.status_code for answer in found)
    assert [answer.status_code for answer in found[:6]] == [503] * 5 + [401]
    assert {answer.headers["Error-Code"] for answer in found[:5]} == {"identity-away"}
    assert all(1 <= int(answer.headers["Retry-After"]) <= 3 for answer in found[:5])
    assert statuses[503] == 5
    assert statuses.keys() == {503, 401, 429}
    grown = {series: count - before.get(series, 0) for series, count in read_counts(http).items()}
    assert sum(count for series, count in grown.items() if 'status="5' in series) == 0
    assert grown['balcao_token_keys_pending_total{service="agents"}'] == 5
    assert http.get(WHO, headers=sent(address, issuer.person(BRUNO))).status_code == 200


@pytest.mark.long
@pytest.mark.promtool
def test_no_alert_rule_takes_invented_keys_for_an_outage(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]], issuer: Issuer, tmp_path: Path
) -> None:
    """The counts of a simulated flood, repeated every minute for two hours, raise no alert."""
    http, sent = flooded
    invented, known = issuer.person(ANA, key=new_key()), sent("192.0.2.7", issuer.person(BRUNO))
    before = read_counts(http)
    for number in range(200):
        http.get(WHO, headers=sent(f"192.0.2.{number % 5}", invented))
    assert {http.get(WHO, headers=known).status_code for _ in range(20)} == {200}
    grown = {series: count - before.get(series, 0) for series, count in read_counts(http).items()}
    # Leave out series that did not change, because evaluating the rules for them would only take time.
    counted = {series: int(by) for series, by in grown.items() if by and ("_total" in series or "_bucket" in series)}
    rules = ROOT / "deploy" / "monitoring" / "rules.yml"
    alerts = [
        rule["alert"]
        for group in yaml.safe_load(rules.read_text("utf-8"))["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]
    case = {
        "interval": "1m",
        "input_series": [{"series": series, "values": f"0+{by}x120"} for series, by in counted.items()],
        "alert_rule_test": [{"alertname": name, "eval_time": "110m", "exp_alerts": []} for name in alerts],
    }
    test = tmp_path / "test.yml"
    test.write_text(json.dumps({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [case]}))
    promtool = os.environ["BALCAO_PROMTOOL"]
    done = subprocess.run([promtool, "test", "rules", str(test)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        counted['balcao_requests_total{method="GET",operation="agents.check_token",service="agents",status="401"}'] > 0
    )


def read_counts(http: httpx.Client) -> dict[str, float]:
    lines = http.get("/metrics").text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines) if name[:1] != "#"}


def test_notices_of_a_logout_are_bounded_alike(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]], issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    http, sent = flooded
    invented = issuer.token(key=new_key())

    def notify(token: str) -> int:
        data = {"logout_token": token}
        return http.post("/auth/backchannel-logout", data=data, headers=sent("192.0.2.1")).status_code

    assert [notify(invented) for _ in range(7)] == [503] * 5 + [400] * 2
    with caplog.at_level("INFO"):
        assert Counter(notify("rubbish") for _ in range(BURST)) == {400: BURST - 2, 429: 2}
    assert sum("identity.logout_refused" in line for line in lines_of(caplog)) == BURST


def test_a_wrong_metrics_token_is_a_refusal_too(settings: Settings, database_url: str) -> None:
    bounded = settings.model_copy(update={"refused_rate": "2/minute", "profile": "sandbox"})
    bounded = Settings.model_validate(bounded.model_dump() | {"metrics_token": "de-quem-mede"})
    with (
        RunningServer(app.build_application(bounded, database_url)) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        found = [client.get("/metrics", headers=bearer("outro")).status_code for _ in range(4)]
        assert found == [401, 401, 429, 429]
        assert client.get("/metrics", headers=bearer("de-quem-mede")).status_code == 200


SOME = GUARDED[::40]


def test_a_hostile_token_is_refused_in_the_real_window_as_well(
    flooded: tuple[httpx.Client, Callable[..., dict[str, str]]], issuer: Issuer
) -> None:
    """Each kind of token comes from its own address.

    All calls get 401, but the first calls with an unknown key get 503.
    """
    http, sent = flooded
    for number, (name, make) in enumerate(HOSTILE.items()):
        value = make(issuer)
        headers = {key.encode(): text.encode() for key, text in sent(f"198.51.100.{number}").items()}
        if value is not None:
            headers[b"Authorization"] = value.encode("latin-1")
        found = [http.request(one.method, one.filled(), headers=headers).status_code for one in SOME]
        allowed = 5 if name == "an unknown kid" else 0
        assert found.count(503) <= allowed, name
        assert found.count(401) == len(SOME) - found.count(503), name
