"""The log contains the reason why a token was refused. The response does not."""

import json
import time
from base64 import urlsafe_b64encode as b64encode
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from balcao.core.access.caller import TokenRefused
from balcao.core.access.tokens import MAX_TOKEN_BYTES, TokenVerifier
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import PATIENCE

UNSIGNED = "eyJhbGciOiJub25lIn0"  # {"alg":"none"}
CRITICAL = "eyJhbGciOiJSUzI1NiIsImNyaXQiOlsieCJdLCJ4IjoxfQ"  # {"alg":"RS256","crit":["x"],"x":1}


@pytest.fixture
async def verifier(issuer: Issuer) -> AsyncIterator[TokenVerifier]:
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        yield TokenVerifier([issuer.address], "account", client)


REASONS: dict[str, Callable[[Issuer], str]] = {
    "token-missing": lambda _: "Basic x",
    "token-oversize": lambda _: f"Bearer {'x' * (MAX_TOKEN_BYTES + 1)}",
    "token-malformed": lambda _: f"Bearer {'x' * MAX_TOKEN_BYTES}",
    "token-algorithm": lambda issuer: f"Bearer {UNSIGNED}.{issuer.person(ANA).partition('.')[2]}",
    "token-critical": lambda issuer: f"Bearer {CRITICAL}.{issuer.person(ANA).partition('.')[2]}",
    "token-issuer": lambda issuer: f"Bearer {issuer.person(ANA, iss='https://outro.example')}",
    "token-key-unknown": lambda issuer: f"Bearer {issuer.person(ANA, key=new_key())}",
    "token-signature": lambda issuer: (
        f"Bearer {issuer.person(ANA, key=new_key(), header={'kid': issuer.keys[-1].kid})}"
    ),
    "token-audience": lambda issuer: f"Bearer {issuer.person(ANA, aud=['portal'])}",
    "token-times": lambda issuer: f"Bearer {issuer.person(ANA, exp=10**400)}",
    "token-expired": lambda issuer: f"Bearer {issuer.person(ANA, exp=int(time.time()) - 60)}",
    "token-not-yet-valid": lambda issuer: f"Bearer {issuer.person(ANA, nbf=int(time.time()) + 60)}",
    "token-type": lambda issuer: f"Bearer {issuer.person(ANA, typ='Refresh')}",
    "token-subject": lambda issuer: f"Bearer {issuer.person(ANA, sub=None)}",
    "token-cpf": lambda issuer: f"Bearer {issuer.person(ANA, cpf=[ANA])}",
}


@pytest.mark.parametrize("reason", REASONS)
async def test_every_refusal_has_a_reason_of_its_own(verifier: TokenVerifier, issuer: Issuer, reason: str) -> None:
    with pytest.raises(TokenRefused) as refused:
        await verifier.caller(REASONS[reason](issuer).encode())
    assert refused.value.reason == reason
    assert refused.value.code in {"token-invalid", "unauthenticated"}


def with_header(issuer: Issuer, **names: Any) -> str:
    """Return an issuer's token with a changed header, so that its signature is invalid."""
    header = b64encode(json.dumps({"alg": "RS256", "kid": issuer.keys[-1].kid} | names).encode()).rstrip(b"=")
    return f"{header.decode()}.{issuer.person(ANA).partition('.')[2]}"


def with_payload(issuer: Issuer, payload: bytes) -> str:
    header, _, signature = issuer.person(ANA).split(".")
    return f"{header}.{b64encode(payload).rstrip(b'=').decode()}.{signature}"


STRANGE: list[tuple[str, Callable[[Issuer], str]]] = [
    ("token-missing", lambda _: f"Basic {'x' * MAX_TOKEN_BYTES}"),
    ("token-malformed", lambda issuer: f"Bearer {with_payload(issuer, b'[]')}"),
    ("token-malformed", lambda issuer: f"Bearer {with_payload(issuer, b'{')}"),
    ("token-algorithm", lambda issuer: f"Bearer {with_header(issuer, alg='PS256')}"),
    ("token-algorithm", lambda issuer: f"Bearer {with_header(issuer, alg='HS256')}"),
    ("token-issuer", lambda issuer: f"Bearer {issuer.person(ANA, iss=5)}"),
    ("token-issuer", lambda issuer: f"Bearer {issuer.person(ANA, iss=[issuer.address])}"),
    ("token-key-unknown", lambda issuer: f"Bearer {with_header(issuer, kid=[])}"),
    ("token-key-unknown", lambda issuer: f"Bearer {with_header(issuer, kid=None)}"),
    ("token-signature", lambda issuer: f"Bearer {with_header(issuer, typ='x')}"),
    ("token-signature", lambda issuer: f"Bearer {with_header(issuer, typ=5)}"),
    ("token-signature", lambda issuer: f"Bearer {with_header(issuer, unknown=1)}"),
    ("token-signature", lambda issuer: f"Bearer {issuer.person(ANA).rpartition('.')[0]}."),
    ("token-signature", lambda issuer: f"Bearer {issuer.person(ANA).rpartition('.')[0]}.a"),
    ("token-signature", lambda issuer: f"Bearer {issuer.person(ANA)[:-4]}"),
]


@pytest.mark.parametrize(("reason", "header"), STRANGE)
async def test_what_no_provider_would_write_is_refused_too(
    verifier: TokenVerifier, issuer: Issuer, reason: str, header: Callable[[Issuer], str]
) -> None:
    with pytest.raises(TokenRefused) as refused:
        await verifier.caller(header(issuer).encode())
    assert refused.value.reason == reason


@pytest.mark.parametrize("sent", [None, b"", b"Bearer", b"Bearer ", b"bearer"])
async def test_a_header_without_a_token_is_a_missing_one(verifier: TokenVerifier, sent: bytes | None) -> None:
    with pytest.raises(TokenRefused) as refused:
        await verifier.caller(sent)
    assert (refused.value.reason, refused.value.code) == ("token-missing", "unauthenticated")


def test_the_log_says_why_and_the_answer_does_not(
    http: httpx.Client, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    token = issuer.person(ANA, exp=int(time.time()) - 60)
    with caplog.at_level("INFO"):
        answer = http.get("/agent/api/v1/auth", headers=bearer(token))
        rubbish = http.get("/agent/api/v1/auth", headers=bearer("rubbish"))
    assert (answer.status_code, answer.content, answer.headers["Error-Code"]) == (
        rubbish.status_code,
        rubbish.content,
        rubbish.headers["Error-Code"],
    )
    lines = [record.getMessage() for record in caplog.records if "request.unauthenticated" in record.getMessage()]
    assert ["token-expired" in line for line in lines] == [True, False]
    assert answer.headers["X-Request-ID"] in lines[0]
    assert token[:20] not in "".join(lines)
