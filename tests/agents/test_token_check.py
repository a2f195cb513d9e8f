"""The operation that checks a token."""

import base64
import json
import time

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from balcao.agents import SERVICE
from balcao.core.http.openapi import error_statuses
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer, new_key

PATH = "/agent/api/v1/auth"


@pytest.mark.cases("agents", "1")
def test_any_valid_token_is_ok_and_nothing_else_is_said(http: httpx.Client, issuer: Issuer) -> None:
    for token in (issuer.person(ANA), issuer.admin(), issuer.machine("painel-saude")):
        answer = http.get(PATH, headers=bearer(token))
        assert (answer.status_code, answer.content) == (200, b'{"status":"ok"}')
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "application/json"


def hostile(issuer: Issuer) -> dict[str, dict[str, str]]:
    claims = {"iss": issuer.address, "aud": "account", "sub": "x", "cpf": ANA, "exp": int(time.time()) + 300}
    parts = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in ({"alg": "none"}, claims)]
    signed_with_text = jwt.encode({"alg": "HS256", "kid": issuer.keys[-1].kid}, claims, OctKey.import_key("k" * 32))
    return {
        "no header": {},
        "another scheme": {"Authorization": "Basic x"},
        "no token": {"Authorization": "Bearer"},
        "expired": bearer(issuer.person(ANA, exp=int(time.time()) - 60)),
        "no signature": bearer(".".join([*parts, ""])),
        "HS256": bearer(signed_with_text),
        "another audience": bearer(issuer.person(ANA, aud="other")),
        "an unknown key": bearer(issuer.token(key=new_key(), sub="x")),
        "garbage": bearer("a.b.c"),
    }


@pytest.mark.cases("agents", "2")
@pytest.mark.parametrize(
    "case",
    ["no header", "another scheme", "no token", "expired", "no signature", "HS256", "another audience",
     "an unknown key", "garbage"],
)  # fmt: skip
def test_every_other_call_is_401(http: httpx.Client, issuer: Issuer, case: str) -> None:
    answer = http.get(PATH, headers=hostile(issuer)[case])
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert isinstance(answer.json()["detail"], str)
    assert set(answer.json()) == {"detail"}


def test_its_description_names_no_refusal_that_it_never_gives() -> None:
    (declared,) = (each for each in SERVICE.routes if each.key == "agents.check_token")
    assert 403 not in error_statuses(declared)
    (other,) = (each for each in SERVICE.routes if each.key == "agents.read_config")
    assert 403 in error_statuses(other)
