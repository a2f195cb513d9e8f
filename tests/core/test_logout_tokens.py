"""Valid logout tokens end sessions, and invalid ones do not (OpenID Connect Back-Channel Logout 1.0, 2.4-2.6)."""

import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest
from joserfc import jws

from balcao.core.access.logout_tokens import (
    EVENT,
    LONGEST_AGE_SECONDS,
    MAX_NAME_LENGTH,
    LogoutTokenRefused,
    read_logout_token,
)
from balcao.core.access.sessions import SessionEnd
from balcao.core.access.tokens import LEEWAY_SECONDS, MAX_TOKEN_BYTES, TokenVerifier
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE

NOW = 1_800_000_000
CLAIMS: dict[str, Any] = {"aud": "portal", "jti": "n-1", "events": {EVENT: {}}, "sid": "s-1", "iat": NOW}
LONGEST = "x" * MAX_NAME_LENGTH


@pytest.fixture
async def verifier(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TokenVerifier]:
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        yield TokenVerifier([issuer.address], "account", client)


@pytest.mark.parametrize(
    ("claims", "session", "subject"),
    [
        ({}, "s-1", None),
        ({"sub": "ana"}, "s-1", "ana"),
        ({"sid": None, "sub": " ana "}, None, "ana"),
        ({"sid": LONGEST}, LONGEST, None),
        ({"aud": ["portal", "app"]}, "s-1", None),
        ({"events": {EVENT: {"any": 1}, "https://other.example": {}}}, "s-1", None),
        ({"exp": NOW - LEEWAY_SECONDS + 1}, "s-1", None),
    ],
)
async def test_it_ends_the_session_or_the_subject_that_it_names(
    verifier: TokenVerifier, issuer: Issuer, claims: dict[str, Any], session: str | None, subject: str | None
) -> None:
    ending = await read_logout_token(verifier, issuer.token(**CLAIMS | claims))
    assert ending == SessionEnd(issuer.address, "n-1", float(NOW), session, subject)


@pytest.mark.parametrize("age", [-LEEWAY_SECONDS, LONGEST_AGE_SECONDS])
async def test_it_counts_from_when_a_fast_clock_issued_it_to_the_longest_way(
    verifier: TokenVerifier, issuer: Issuer, age: int
) -> None:
    assert (await read_logout_token(verifier, issuer.token(**CLAIMS | {"iat": NOW - age}))).at == NOW - age


async def test_a_token_that_does_not_say_when_it_ends_is_refused(verifier: TokenVerifier, issuer: Issuer) -> None:
    key = issuer.keys[-1]
    claims = msgspec.json.encode(CLAIMS | {"iss": issuer.address})
    token = jws.serialize_compact({"alg": "RS256", "kid": key.kid}, claims, key)
    with pytest.raises(LogoutTokenRefused) as refused:
        await read_logout_token(verifier, token)
    assert refused.value.refused.reason == "token-times"


async def test_the_issuer_is_named_without_the_slash_at_its_end(verifier: TokenVerifier, issuer: Issuer) -> None:
    ending = await read_logout_token(verifier, issuer.token(**CLAIMS | {"iss": f"{issuer.address}/"}))
    assert ending.issuer == issuer.address


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"events": None}, "token-type"),
        ({"events": [EVENT]}, "token-type"),
        ({"events": {"https://other.example": {}}}, "token-type"),
        ({"events": {EVENT: "x"}}, "token-type"),
        ({"nonce": None}, "token-type"),
        ({"aud": None}, "token-audience"),
        ({"aud": []}, "token-audience"),
        ({"aud": ""}, "token-audience"),
        ({"aud": 5}, "token-audience"),
        ({"aud": ["portal", 5]}, "token-audience"),
        ({"aud": ["portal", ""]}, "token-audience"),
        ({"iat": None}, "token-times"),
        ({"iat": "0"}, "token-times"),
        ({"exp": "0"}, "token-times"),
        ({"iat": NOW + LEEWAY_SECONDS + 1}, "token-not-yet-valid"),
        ({"iat": NOW - LONGEST_AGE_SECONDS - 1}, "token-expired"),
        ({"exp": NOW - LEEWAY_SECONDS}, "token-expired"),
        ({"jti": None}, "token-subject"),
        ({"jti": " "}, "token-subject"),
        ({"sid": None}, "token-subject"),
        ({"sid": 5}, "token-subject"),
        ({"sid": "", "sub": "ana"}, "token-subject"),
        ({"sub": f"{LONGEST}x"}, "token-subject"),
    ],
    ids=str,
)
async def test_another_token_ends_nothing_for_a_reason_of_its_own(
    verifier: TokenVerifier, issuer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    token = issuer.token(**CLAIMS | claims)
    with pytest.raises(LogoutTokenRefused) as refused:
        await read_logout_token(verifier, token)
    assert (refused.value.code, str(refused.value)) == ("logout-token", "O logout_token não é válido.")
    assert refused.value.refused.reason == reason


@pytest.mark.parametrize(("size", "reason"), [(0, "token-malformed"), (1, "token-oversize")])
async def test_nothing_longer_than_a_token_is_read(verifier: TokenVerifier, size: int, reason: str) -> None:
    with pytest.raises(LogoutTokenRefused) as refused:
        await read_logout_token(verifier, "x" * (MAX_TOKEN_BYTES + size))
    assert refused.value.refused.reason == reason
