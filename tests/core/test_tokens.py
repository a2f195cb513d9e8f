"""An issuer's tokens are accepted or refused, and its signing keys are fetched."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest
from joserfc import jws

from balcao.core.access import keys as keys_module
from balcao.core.access import tokens as module
from balcao.core.access.authorization import Authorization
from balcao.core.access.caller import ClaimPolicy, TokenRefused
from balcao.core.access.keys import IssuerKeys
from balcao.core.access.tokens import LATEST_INSTANT, LEEWAY_SECONDS, TokenVerifier
from balcao.core.errors import Unauthenticated, Unavailable
from balcao.core.values.cpf import Cpf
from tests.support.issuer import Issuer, new_key
from tests.support.polling import PATIENCE

ISSUER = "https://issuer.example/realms/X"
NOW = 1_800_000_000.0
FAR = 1_000  # seconds, more than the leeway
KEY, OTHER = new_key(), new_key()


class Published:
    """The issuer's documents by URL. None makes the server fail. `asked` lists the requested documents in order."""

    def __init__(self, **documents: Any) -> None:
        self.documents = documents
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = str(request.url).rsplit("/", 1)[-1].replace("-", "_")
        self.asked.append(name)
        if name not in self.documents:
            return httpx.Response(404)
        document = self.documents[name]
        return (
            httpx.Response(503)
            if document is None
            else httpx.Response(200, stream=httpx.ByteStream(msgspec.json.encode(document)))
        )


def document(*keys: Any, **changes: Any) -> dict[str, Any]:
    return {"keys": [key.as_dict(private=False) | changes for key in keys]}


def issuer_keys(published: Published, on_rotation: Callable[[], None] = lambda: None) -> IssuerKeys:
    return IssuerKeys(ISSUER, httpx.AsyncClient(transport=httpx.MockTransport(published)), on_rotation)


def at(**offsets: float) -> dict[str, Any]:
    return {claim: NOW + offset for claim, offset in offsets.items()}


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({}, True),
        ({"aud": ["other", "account"]}, True),
        ({"aud": ["other"]}, False),
        ({"aud": "other"}, False),
        ({"aud": None}, False),
        (at(exp=1 - LEEWAY_SECONDS), True),
        (at(exp=-LEEWAY_SECONDS), False),
        ({"exp": LATEST_INSTANT}, True),
        ({"exp": LATEST_INSTANT + 1}, False),
        ({"exp": True}, False),
        ({"exp": None}, False),
        (at(nbf=LEEWAY_SECONDS), True),
        (at(nbf=LEEWAY_SECONDS + 1), False),
        ({"nbf": 0}, True),
        ({"nbf": "0"}, False),
        (at(iat=LEEWAY_SECONDS), True),
        (at(iat=LEEWAY_SECONDS + 1), False),
        ({"iat": "0"}, False),
        (at(nbf=FAR, iat=-FAR), False),
        (at(nbf=-FAR, iat=FAR), False),
    ],
)
async def test_a_token_is_taken_in_its_time_and_for_us_alone(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, claims: dict[str, Any], taken: bool
) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address + "/"], "account", client)
        header = f"Bearer {issuer.machine('portal', **claims)}".encode()
        if taken:
            caller = await verifier.caller(header)
            assert caller.client == "portal"
            assert verifier.known(header) is caller
        else:
            with pytest.raises(Unauthenticated) as refused:
                await verifier.caller(header)
            assert refused.value.code == "token-invalid"
            assert verifier.known(header) is None


async def test_a_known_token_is_known_until_it_expires_or_its_session_ends(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ended = [NOW], set[str]()
    monkeypatch.setattr(time, "time", lambda: clock[-1])
    async with httpx.AsyncClient() as client:
        verifier = TokenVerifier([issuer.address], "account", client, has_ended=lambda caller: caller.session in ended)
        header = f"Bearer {issuer.login(sid='desk', exp=NOW + FAR)}".encode()
        repeated = Authorization(header)  # an open connection gets the same header again
        caller = await verifier.caller(repeated)
        for after, known in ((FAR + LEEWAY_SECONDS - 1, caller), (FAR + LEEWAY_SECONDS, None), (0, caller)):
            clock.append(NOW + after)
            assert verifier.known(header) is verifier.known(repeated) is known
        ended.add("desk")
        assert verifier.known(header) is verifier.known(repeated) is None
        with pytest.raises(TokenRefused) as refused:
            await verifier.caller(header)
        assert refused.value.reason == "token-session-ended"


async def test_what_the_issuer_did_not_sign_is_refused(issuer: Issuer) -> None:
    forged = issuer.machine("portal", key=OTHER, header={"kid": issuer.keys[-1].kid})
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        for token in (forged, "x", "x y"):
            with pytest.raises(Unauthenticated) as refused:
                await verifier.caller(f"Bearer {token}".encode())
            assert refused.value.code == "token-invalid"


async def test_a_token_without_the_times_that_may_be_left_out_is_taken() -> None:
    published = Published(openid_configuration={"jwks_uri": f"{ISSUER}/certs"}, certs=document(KEY))
    async with httpx.AsyncClient(transport=httpx.MockTransport(published)) as client:
        claims = {"iss": ISSUER, "aud": "account", "exp": time.time() + FAR, "sub": "1", "azp": "portal"}
        token = jws.serialize_compact({"alg": "RS256", "kid": KEY.kid}, msgspec.json.encode(claims), KEY)
        assert (await TokenVerifier([ISSUER], "account", client).caller(f"Bearer {token}".encode())).subject == "1"


async def test_claims_are_read_as_the_installation_says(issuer: Issuer) -> None:
    async with httpx.AsyncClient() as client:
        verifier = TokenVerifier([issuer.address], "account", client, ClaimPolicy(cpf_claim="documento"))
        caller = await verifier.caller(f"Bearer {issuer.token(sub='1', documento='90000000175')}".encode())
    assert caller.cpf == Cpf("90000000175")


async def test_only_so_many_verified_tokens_are_remembered_and_an_old_one_goes(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CACHE_SIZE", 2)
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        headers = [f"Bearer {issuer.machine('portal', sub=str(number))}".encode() for number in range(3)]
        for header in headers:
            await verifier.caller(header)
    assert [verifier.known(header) is not None for header in headers] == [False, True, True]


async def test_expired_tokens_leave_the_memory_as_new_ones_come_also_behind_one_that_lives_long(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, lifetime, number = NOW, 30, 240
    monkeypatch.setattr(time, "time", lambda: now)
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        verifier = TokenVerifier([issuer.address], "account", client)
        lasting = [f"Bearer {issuer.machine('portal', sub=f'l{one}', exp=NOW + FAR)}".encode() for one in range(3)]
        for header in lasting:
            await verifier.caller(header)
        for one in range(number):
            now += 1
            token = issuer.machine("portal", sub=str(one), exp=now + lifetime - LEEWAY_SECONDS)
            await verifier.caller(f"Bearer {token}".encode())
        living = lifetime + len(lasting)
        assert (
            living <= len(verifier._verified) <= living * module.CHECKED_PER_TOKEN / (module.CHECKED_PER_TOKEN - 1) + 1
        )
        assert all(map(verifier.known, lasting))


@pytest.mark.parametrize("changes", [{"use": "enc"}, {"kid": ""}])
async def test_a_key_for_another_use_is_none(changes: dict[str, str]) -> None:
    certs = {"keys": [*document(KEY, **changes)["keys"], *document(OTHER)["keys"]]}
    keys = issuer_keys(Published(openid_configuration={"jwks_uri": f"{ISSUER}/certs"}, certs=certs))
    assert await keys.get(str(KEY.kid), 0) is None
    assert await keys.get(str(OTHER.kid), 0) is not None


SEALING, OTHER_ALGORITHM = {"use": "enc"}, {"alg": "PS256"}


@pytest.mark.parametrize("changes", [{}, {"kid": ""}], ids=["named key", "key without a name"])
@pytest.mark.parametrize("other", [None, SEALING, OTHER_ALGORITHM], ids=str)
async def test_a_token_without_kid_is_verified_by_the_only_usable_key(
    changes: dict[str, str], other: dict[str, str] | None
) -> None:
    certs = {"keys": [*document(KEY, **changes)["keys"], *(document(OTHER, **other)["keys"] if other else [])]}
    published = Published(openid_configuration={"jwks_uri": f"{ISSUER}/certs"}, certs=certs)
    verifier = TokenVerifier([ISSUER], "account", httpx.AsyncClient(transport=httpx.MockTransport(published)))
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": "account", "sub": "a", "azp": "portal", "iat": now, "exp": now + 60}
    token = jws.serialize_compact({"alg": "RS256"}, msgspec.json.encode(claims), KEY)
    assert (await verifier.caller(f"Bearer {token}".encode())).subject == "a"
    forged = jws.serialize_compact({"alg": "RS256"}, msgspec.json.encode(claims), OTHER)
    with pytest.raises(TokenRefused) as refused:
        await verifier.caller(f"Bearer {forged}".encode())
    assert refused.value.reason == "token-signature"


async def test_of_several_keys_a_token_without_kid_has_none() -> None:
    certs = {"keys": [*document(KEY)["keys"], *document(OTHER, kid="")["keys"]]}
    keys = issuer_keys(Published(openid_configuration={"jwks_uri": f"{ISSUER}/certs"}, certs=certs))
    assert await keys.get(None, 0) is None
    asked = len(keys.known)
    assert (asked, await keys.get(None, float("inf"))) == (2, None)


async def test_the_keys_stand_where_the_discovery_says_or_else_in_their_usual_place() -> None:
    published = Published(openid_configuration={"jwks_uri": f"{ISSUER}/elsewhere"}, elsewhere=document(KEY))
    assert await issuer_keys(published).get(str(KEY.kid), 0) is not None
    discoveries: list[dict[str, Any]] = [{}, {"openid_configuration": {}}, {"openid_configuration": {"jwks_uri": 5}}]
    for discovery in discoveries:
        published = Published(**discovery, certs=document(KEY))
        assert await issuer_keys(published).get(str(KEY.kid), 0) is not None
        assert published.asked == ["openid_configuration", "certs"]


async def test_without_any_key_calls_wait_and_a_failed_refresh_keeps_the_known_ones(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rotations: list[None] = []
    published = Published(certs=None)
    keys = issuer_keys(published, lambda: rotations.append(None))
    for _ in range(2):
        with pytest.raises(Unavailable) as refused:
            await keys.get(str(KEY.kid), 0)
        assert (refused.value.code, refused.value.retry_after) == ("identity-away", 1)
    assert published.asked == ["openid_configuration", "certs"]  # the second call fetched no document
    assert "identity.keys_not_refreshed" in caplog.text
    assert ISSUER in caplog.text
    assert "HTTPStatusError" in caplog.text
    published.documents["certs"] = document(KEY)
    await keys.refresh()
    await keys.refresh()
    assert len(rotations) == 1
    published.documents["certs"] = {"keys": []}
    await keys.refresh()
    assert await keys.get(str(KEY.kid), 0) is not None


async def test_the_keys_are_fetched_anew_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_module, "REFRESH_SECONDS", 0.0)
    published = Published(certs=document(KEY))
    verifier = TokenVerifier([ISSUER], "account", httpx.AsyncClient(transport=httpx.MockTransport(published)))
    verifier.start()
    async with asyncio.timeout(PATIENCE):
        while published.asked.count("certs") < 3:  # noqa: ASYNC110 - no event reports a fetch
            await asyncio.sleep(0)
    verifier.stop()
