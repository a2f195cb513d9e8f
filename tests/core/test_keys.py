"""Issuers' signing keys are fetched while many callers need them, and from providers that send faulty responses."""

import asyncio
import json
import math
import time
from collections.abc import Callable

import httpx
import pytest
from joserfc import jwt

from balcao.core.access import keys
from balcao.core.access.caller import TokenRefused
from balcao.core.access.keys import IssuerKeys, KeyPending, KeysAway
from balcao.core.access.tokens import LEEWAY_SECONDS, TokenVerifier
from balcao.core.errors import Unavailable
from tests.support.issuer import Issuer, new_key
from tests.support.polling import PATIENCE


async def test_who_comes_while_the_keys_are_fetched_waits_for_them(issuer: Issuer) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        tokens = [issuer.machine("portal", sub=str(number)) for number in range(5)]
        callers = await asyncio.gather(*(verifier.caller(f"Bearer {token}".encode()) for token in tokens))
    assert [caller.subject for caller in callers] == [str(number) for number in range(5)]


async def test_the_keys_are_asked_for_once_however_many_wait(issuer: Issuer) -> None:
    asked: list[str] = []

    async def note(request: httpx.Request) -> None:
        asked.append(request.url.path)

    async with httpx.AsyncClient(event_hooks={"request": [note]}, timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        tokens = [issuer.token(key=new_key()) for _ in range(3)]
        await asyncio.gather(*(verifier.caller(f"Bearer {token}".encode()) for token in tokens), return_exceptions=True)
    assert len(asked) == len(set(asked)) == 2


ADDRESS = "https://login.example/realms/x"
# The `iat` of two tokens: one was issued before every fetch of the keys, the other after every fetch.
EARLIER, LATER = 0.0, math.inf
DISCOVERY = {"issuer": ADDRESS, "jwks_uri": f"{ADDRESS}/certs"}


def document(content: bytes) -> httpx.Response:
    """Return an HTTP response whose body has not been read yet."""
    return httpx.Response(200, stream=httpx.ByteStream(content))


class Provider:
    """A provider controlled by a test.

    It publishes the keys in `published`, unless `answer` returns another response.
    """

    def __init__(self) -> None:
        self.published = [new_key()]
        self.answer: Callable[[], httpx.Response] | None = None
        self.asked = 0
        self.rotations = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("openid-configuration"):
            return document(json.dumps(DISCOVERY).encode())
        self.asked += 1
        return self.answer() if self.answer else document(self.key_set())

    def key_set(self, *others: object) -> bytes:
        return json.dumps({"keys": [*others, *(key.as_dict(private=False) for key in self.published)]}).encode()

    def rotated(self) -> None:
        self.rotations += 1

    def keys(self) -> IssuerKeys:
        return IssuerKeys(ADDRESS, httpx.AsyncClient(transport=httpx.MockTransport(self)), self.rotated)


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list with one item, the time, which replaces the clock of the keys."""
    now = [1000.0]
    monkeypatch.setattr(keys, "monotonic", lambda: now[0])
    monkeypatch.setattr(keys, "UNKNOWN_KEY_SECONDS", 3.0)
    return now


def failures() -> int:
    return keys.failed_fetches.counts[()]


NO_KEY_SETS = {
    "a list": b"[]",
    "a text": b'"keys"',
    "no keys": b'{"keys": []}',
    "keys no list": b'{"keys": {"kty": "RSA"}}',
    "keys no objects": b'{"keys": [1]}',
    "a broken key": b'{"keys": [{"kty": "RSA", "kid": "x", "n": 5}]}',
    "nothing": b"",
    "a page": b"<html>",
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", NO_KEY_SETS.values(), ids=NO_KEY_SETS)
async def test_whatever_is_no_key_set_is_a_counted_failure_and_the_known_keys_stay(
    provider: Provider, content: bytes
) -> None:
    known = provider.keys()
    assert await known.refresh()
    counted = failures()
    provider.answer = lambda: document(content)
    assert not await known.refresh()
    assert failures() == counted + 1
    assert await known.get(str(provider.published[0].kid), LATER) is not None
    provider.answer = None
    assert await known.refresh()


async def test_a_fetch_that_an_unknown_key_asked_for_pages_nobody_while_others_are_known(
    provider: Provider, clock: list[float]
) -> None:
    known = provider.keys()
    assert await known.refresh()
    counted = failures()
    provider.answer = lambda: httpx.Response(503)
    for _ in range(3):
        clock[0] += 3
        with pytest.raises(KeyPending):
            await known.get("x", LATER)
    assert (provider.asked, failures()) == (4, counted)
    with pytest.raises(KeysAway):
        await provider.keys().get("x", LATER)
    assert failures() == counted + 1


async def test_a_key_set_beyond_the_bound_is_none(provider: Provider) -> None:
    whole = provider.key_set()
    provider.answer = lambda: document(whole + b" " * (keys.MAX_DOCUMENT_BYTES - len(whole)))
    assert await provider.keys().refresh()
    provider.answer = lambda: document(whole + b" " * (keys.MAX_DOCUMENT_BYTES + 1 - len(whole)))
    assert not await provider.keys().refresh()


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"jwks_uri": "x"}'], ids=str)
async def test_a_discovery_that_is_none_is_a_failure_too(provider: Provider, content: bytes) -> None:
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: document(content)))
    assert not await IssuerKeys(ADDRESS, client, provider.rotated).refresh()


async def test_one_broken_key_takes_no_other_away(provider: Provider) -> None:
    broken = {"kty": "RSA", "kid": "x", "n": "?"}
    provider.answer = lambda: document(provider.key_set(broken))
    assert await provider.keys().get(str(provider.published[0].kid), LATER) is not None


async def test_a_key_that_does_not_say_what_it_is_for_signs(provider: Provider) -> None:
    (key,) = provider.published
    plain = {name: value for name, value in key.as_dict(private=False).items() if name != "use"}
    provider.answer = lambda: document(json.dumps({"keys": [plain, plain | {"kid": "sealing", "use": "enc"}]}).encode())
    keys = provider.keys()
    assert await keys.get(str(key.kid), LATER) is not None
    assert await keys.get("sealing", LATER) is None


async def test_a_document_that_never_ends_is_given_up(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(keys, "FETCH_SECONDS", 0.0)
    client = httpx.AsyncClient(transport=httpx.MockTransport(endless))
    assert not await IssuerKeys(ADDRESS, client, provider.rotated).refresh()


async def test_an_unknown_key_is_unknown_once_asked_for_and_unavailable_until_it_may_be_asked_for_again(
    provider: Provider, clock: list[float]
) -> None:
    known = provider.keys()
    assert await known.get("x", LATER) is None
    for _ in range(3):
        with pytest.raises(Unavailable) as refused:
            await known.get("x", LATER)
        assert (refused.value.code, refused.value.retry_after) == ("identity-away", 3)
    assert provider.asked == 1
    provider.published.append(new_key())
    clock[0] += 3
    assert await known.get(str(provider.published[-1].kid), LATER) is not None
    assert provider.asked == 2


async def test_an_unknown_key_of_a_token_from_before_the_last_fetch_is_no_new_one(
    provider: Provider, clock: list[float]
) -> None:
    known = provider.keys()
    assert [await known.get("x", EARLIER) for _ in range(3)] == [None] * 3
    provider.answer = lambda: httpx.Response(503)
    clock[0] += 3
    assert await known.get("x", EARLIER) is None
    assert provider.asked == 2


async def test_a_key_of_a_token_from_the_second_of_the_last_fetch_may_be_new(
    provider: Provider, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "time", lambda: 5000.9)
    known = provider.keys()
    await known.refresh()
    with pytest.raises(Unavailable):
        await known.get("x", 5001.0)
    assert await known.get("x", 5000.0) is None


async def test_tokens_with_invented_keys_are_refused_however_many_come(issuer: Issuer) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        for iat in (1, "yesterday", -1, None, 1e300):
            with pytest.raises(TokenRefused) as refused:
                await verifier.caller(f"Bearer {issuer.token(key=new_key(), iat=iat)}".encode())
            assert refused.value.reason == "token-key-unknown"


async def test_a_token_may_be_new_by_a_clock_behind_ours_and_where_it_does_not_say(
    issuer: Issuer, clock: list[float]
) -> None:
    """The issuer may have added the unknown key since the last fetch, so the platform asks the caller to retry."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        before = time.time()
        await verifier.caller(f"Bearer {issuer.person('90000000175')}".encode())
        after = time.time()
        unknown = new_key()
        earlier = issuer.token(key=unknown, iat=before - LEEWAY_SECONDS - 1)
        behind = issuer.token(key=unknown, iat=after - LEEWAY_SECONDS + 1)
        claims = {"iss": issuer.address, "aud": "account", "exp": after + PATIENCE}
        silent = jwt.encode({"alg": "RS256", "kid": unknown.kid}, claims, unknown)
        for token in (behind, silent):
            with pytest.raises(Unavailable):
                await verifier.caller(f"Bearer {token}".encode())
        with pytest.raises(TokenRefused):
            await verifier.caller(f"Bearer {earlier}".encode())


async def test_a_provider_that_is_away_makes_an_unknown_key_no_refusal(provider: Provider, clock: list[float]) -> None:
    known = provider.keys()
    await known.refresh()
    clock[0] += 10
    provider.answer = lambda: httpx.Response(503)
    with pytest.raises(Unavailable):
        await known.get("x", LATER)


async def test_a_deleted_key_loses_trust_with_the_next_fetch_and_so_do_the_tokens_it_signed(issuer: Issuer) -> None:
    key = new_key()
    issuer.keys.append(key)
    token = f"Bearer {issuer.person('90000000175')}".encode()
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        await verifier.caller(token)
        issuer.keys.remove(key)
        assert verifier.known(token) is not None
        await verifier.refresh_keys()
        assert verifier.known(token) is None
        with pytest.raises(TokenRefused):
            await verifier.caller(token)


async def test_keys_that_cannot_be_confirmed_are_dropped_after_a_bounded_time(
    provider: Provider, clock: list[float]
) -> None:
    known = provider.keys()
    await known.refresh()
    provider.answer = lambda: httpx.Response(500)
    clock[0] += keys.LONGEST_AGE_SECONDS
    await known.refresh()
    known.drop_outdated()
    assert await known.get(str(provider.published[0].kid), LATER) is not None
    clock[0] += 1
    known.drop_outdated()
    assert provider.rotations == 2
    for issued_at in (EARLIER, LATER):
        with pytest.raises(Unavailable):
            await known.get(str(provider.published[0].kid), issued_at)


async def test_another_key_under_a_known_name_is_another_key(provider: Provider) -> None:
    known = provider.keys()
    await known.refresh()
    other = new_key().as_dict(private=False) | {"kid": provider.published[0].kid}
    provider.answer = lambda: document(json.dumps({"keys": [other]}).encode())
    await known.refresh()
    assert provider.rotations == 2
