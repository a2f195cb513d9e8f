"""A token that the identity provider did not issue, for us, for now, opens nothing."""

import base64
import hmac
import json
import time
from collections.abc import Callable

import httpx
import msgspec
import pytest

from tests.support.issuer import Issuer, bearer, new_key
from tests.support.operations import Served, all_operations

ANA = "90000000175"
FOREIGN_KEY = new_key()


def part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def unsigned(issuer: Issuer, alg: str | None) -> str:
    header = {"typ": "JWT", "kid": issuer.keys[-1].kid} | ({"alg": alg} if alg else {})
    return f"{part(header)}.{issuer.person(ANA).split('.')[1]}."


def signed_with_the_public_key(issuer: Issuer) -> str:
    """Sign by the classic confusion: an HMAC whose secret everybody knows."""
    key = issuer.keys[-1]
    claims = {"iss": issuer.address, "aud": "account", "exp": int(time.time()) + 300, "cpf": ANA}
    signed = f"{part({'alg': 'HS256', 'kid': key.kid})}.{part(claims)}"
    digest = hmac.digest(key.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def tampered(issuer: Issuer) -> str:
    header, _, signature = issuer.person(ANA).split(".")
    claims = {"iss": issuer.address, "aud": "account", "exp": int(time.time()) + 300, "cpf": "90000000256"}
    return f"{header}.{part(claims)}.{signature}"


HOSTILE: dict[str, Callable[[Issuer], str | None]] = {
    "no header": lambda _: None,
    "another scheme": lambda _: "Basic eDp5",
    "no token": lambda _: "Bearer",
    "no JWT": lambda _: "Bearer a.b",
    "rubbish": lambda _: "Bearer " + "\u00ff" * 20,
    "no signature": lambda issuer: f"Bearer {unsigned(issuer, 'RS256')}",
    "no algorithm": lambda issuer: f"Bearer {unsigned(issuer, None)}",
    "alg none": lambda issuer: f"Bearer {unsigned(issuer, 'none')}",
    "alg None": lambda issuer: f"Bearer {unsigned(issuer, 'None')}",
    "HS256 with the public key": lambda issuer: f"Bearer {signed_with_the_public_key(issuer)}",
    "an unknown kid": lambda issuer: f"Bearer {issuer.person(ANA, key=FOREIGN_KEY)}",
    "a known kid, another key": lambda issuer: (
        f"Bearer {issuer.person(ANA, key=FOREIGN_KEY, header={'kid': issuer.keys[-1].kid})}"
    ),
    "no kid": lambda issuer: f"Bearer {issuer.person(ANA, header={'kid': None})}",
    "expired": lambda issuer: f"Bearer {issuer.person(ANA, exp=int(time.time()) - 60)}",
    "no expiry": lambda issuer: f"Bearer {issuer.person(ANA, exp=None)}",
    "not yet valid": lambda issuer: f"Bearer {issuer.person(ANA, nbf=int(time.time()) + 120)}",
    "nbf no number": lambda issuer: f"Bearer {issuer.person(ANA, nbf='0')}",
    "another audience": lambda issuer: f"Bearer {issuer.person(ANA, aud='portal')}",
    "no audience": lambda issuer: f"Bearer {issuer.person(ANA, aud=None)}",
    "another issuer": lambda issuer: f"Bearer {issuer.person(ANA, iss='http://127.0.0.1:9/realms/x')}",
    "tampered claims": lambda issuer: f"Bearer {tampered(issuer)}",
    "oversize": lambda issuer: f"Bearer {issuer.person(ANA, filler='x' * 20_000)}",
}

GUARDED = [served for served in all_operations() if not served.public]


@pytest.mark.parametrize("served", GUARDED, ids=str)
def test_a_hostile_token_is_refused_alike(http: httpx.Client, issuer: Issuer, served: Served) -> None:
    answers = {}
    for name, make in HOSTILE.items():
        value = make(issuer)
        headers = [(b"Authorization", value.encode("latin-1"))] if value is not None else []
        answers[name] = http.request(served.method, served.filled(), headers=headers)
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(HOSTILE, 401)
    assert {answer.headers["www-authenticate"] for answer in answers.values()} == {"Bearer"}
    assert {frozenset(answer.json()) for answer in answers.values()} == {
        frozenset(field.name for field in msgspec.structs.fields(served.operation.dialect.schema))
    }


def test_public_operations_do_not_look_at_a_token(http: httpx.Client) -> None:
    public = [
        served for served in all_operations() if served.public and served.method == "GET" and "{" not in served.path
    ]
    assert public
    for served in public:
        with_token = http.get(served.filled(), headers=bearer("rubbish"))
        assert with_token.status_code == http.get(served.filled()).status_code < 400, served


def test_a_rotated_key_is_found_and_the_old_one_still_counts_until_withdrawn(
    http: httpx.Client, issuer: Issuer
) -> None:
    def status(token: str) -> int:
        return http.get("/agent/api/v1/auth", headers=bearer(token)).status_code

    old = issuer.person(ANA)
    assert status(old) == 200
    issuer.keys.append(new_key())
    assert status(old) == 200
    assert status(issuer.person(ANA)) in {200, 401}  # 401 only within the pause between two look-ups of unknown keys


def test_two_authorization_headers_are_none(http: httpx.Client, issuer: Issuer) -> None:
    good = ("Authorization", f"Bearer {issuer.person(ANA, key=issuer.keys[0])}")
    answers = [
        http.get("/agent/api/v1/auth", headers=[*pair])
        for pair in ((good,), (good, good), (("Authorization", "x"), good))
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 401]
