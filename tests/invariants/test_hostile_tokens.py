"""A token grants nothing unless the identity provider issued it for this platform and it is currently valid.

Every operation is called with the most important kinds of bad tokens. An ordinary run tries all kinds of bad tokens on
only one operation of each kind. Two operations are of the same kind if they have the same service, method, error format
and guards, and if both or neither read a body. One operation of each kind is enough, because the same code reads the
tokens of all operations, and operations differ only in these points.
"""

import base64
import hmac
import json
import time
from collections.abc import Callable, Hashable

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from balcao.core.access.rules import AUTHENTICATED, WEBHOOK_CLIENTS
from tests.support.demo_people import ANA
from tests.support.issuer import LIFETIME, Issuer, bearer, new_key
from tests.support.operations import Served, all_operations
from tests.support.proof_sizes import one_of_each
from tests.support.refused_tokens import GUARDED, assert_refused_alike

FOREIGN_KEY = new_key()
# The tokens are created once. Sending them to every operation takes minutes, and a time in the future must still be in
# the future at the end.
MONTH = 30 * 86_400


def part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def unsigned(issuer: Issuer, alg: str | None) -> str:
    header = {"typ": "JWT", "kid": issuer.keys[-1].kid} | ({"alg": alg} if alg else {})
    return f"{part(header)}.{issuer.person(ANA).split('.')[1]}."


def signed_with_the_public_key(issuer: Issuer) -> str:
    """Return a token for the classic algorithm confusion attack: an HMAC whose secret is the public key."""
    key = issuer.keys[-1]
    claims = {"iss": issuer.address, "aud": "account", "exp": int(time.time()) + LIFETIME, "cpf": ANA}
    signed = f"{part({'alg': 'HS256', 'kid': key.kid})}.{part(claims)}"
    digest = hmac.digest(key.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def tampered(issuer: Issuer) -> str:
    header, _, signature = issuer.person(ANA).split(".")
    claims = {"iss": issuer.address, "aud": "account", "exp": int(time.time()) + LIFETIME, "cpf": "90000000256"}
    return f"{header}.{part(claims)}.{signature}"


def with_header(issuer: Issuer, **header: object) -> str:
    """Return a valid token with additional header parameters, which no library would write."""
    key = issuer.keys[0]
    header = {"alg": "RS256", "kid": key.kid} | header
    signed = f"{part(header)}.{issuer.person(ANA).split('.')[1]}"
    assert key.private_key
    signature = key.private_key.sign(signed.encode(), PKCS1v15(), SHA256())
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def with_claims(issuer: Issuer, **claims: object) -> str:
    return f"Bearer {issuer.person(ANA, **claims)}"


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
    "no kid, another key": lambda issuer: f"Bearer {issuer.person(ANA, key=FOREIGN_KEY, header={'kid': None})}",
    "expired": lambda issuer: f"Bearer {issuer.person(ANA, exp=int(time.time()) - 60)}",
    "no expiry": lambda issuer: f"Bearer {issuer.person(ANA, exp=None)}",
    "not yet valid": lambda issuer: f"Bearer {issuer.person(ANA, nbf=int(time.time()) + MONTH)}",
    "nbf no number": lambda issuer: f"Bearer {issuer.person(ANA, nbf='0')}",
    "another audience": lambda issuer: f"Bearer {issuer.person(ANA, aud='portal')}",
    "no audience": lambda issuer: f"Bearer {issuer.person(ANA, aud=None)}",
    "another issuer": lambda issuer: f"Bearer {issuer.person(ANA, iss='http://127.0.0.1:9/realms/x')}",
    "tampered claims": lambda issuer: f"Bearer {tampered(issuer)}",
    "expires beyond every float": lambda issuer: with_claims(issuer, exp=10**400),
    "expires beyond every calendar": lambda issuer: with_claims(issuer, exp=1e300),
    "expiry no number": lambda issuer: with_claims(issuer, exp="4000000000"),
    "issued in the future": lambda issuer: with_claims(issuer, iat=int(time.time()) + MONTH),
    "an unknown critical header": lambda issuer: f"Bearer {with_header(issuer, crit=['x'], x=1)}",
    "a payload that is not encoded": lambda issuer: f"Bearer {with_header(issuer, crit=['b64'], b64=False)}",
    "a kid that is no text": lambda issuer: f"Bearer {with_header(issuer, kid=[1])}",
    "an issuer that is no text": lambda issuer: with_claims(issuer, iss=["x"]),
    "an ID token": lambda issuer: with_claims(issuer, typ="ID"),
    "a refresh token": lambda issuer: with_claims(issuer, typ="Refresh"),
    "a logout token": lambda issuer: with_claims(issuer, typ="Logout"),
    "an offline token": lambda issuer: with_claims(issuer, typ="Offline"),
    "no subject": lambda issuer: with_claims(issuer, sub=None),
    "an empty subject": lambda issuer: with_claims(issuer, sub=" "),
    "a CPF with wrong check digits": lambda issuer: with_claims(issuer, cpf="90000000100"),
    "a CPF that is a number": lambda issuer: with_claims(issuer, cpf=int(ANA)),
    "a list of CPFs": lambda issuer: with_claims(issuer, cpf=[ANA]),
    "an empty CPF": lambda issuer: with_claims(issuer, cpf=""),
    "oversize": lambda issuer: f"Bearer {issuer.person(ANA, filler='x' * 20_000)}",
}


MOST_TELLING = ["no header", "alg none", "HS256 with the public key", "a known kid, another key", "expired"]


def kind_of(served: Served) -> Hashable:
    operation, rule = served.operation, served.operation.rule
    guards = (rule.owner, bool(rule.scopes), bool(rule.clients), rule.action.startswith("platform:"))
    takes = (operation.signature.body is not None, operation.signature.takes_content)
    return served.service.name, served.method, operation.dialect.schema, guards, takes


OF_EACH_KIND = {str(served) for served in one_of_each(kind_of, GUARDED)}
TRIED = [served if str(served) in OF_EACH_KIND else pytest.param(served, marks=pytest.mark.long) for served in GUARDED]


@pytest.fixture(scope="module")
def hostile(issuer: Issuer) -> dict[str, str | None]:
    return {name: make(issuer) for name, make in HOSTILE.items()}


@pytest.mark.cases("registry", "A1")
@pytest.mark.parametrize("served", TRIED, ids=str)
def test_a_hostile_token_is_refused_alike(http: httpx.Client, hostile: dict[str, str | None], served: Served) -> None:
    sent = hostile if str(served) in OF_EACH_KIND else {name: hostile[name] for name in MOST_TELLING}
    assert_refused_alike(http, sent, served)


BY_SCOPE_OR_CLIENT = [
    served
    for served in GUARDED
    if {*served.operation.rule.scopes, *served.operation.rule.clients} - {WEBHOOK_CLIENTS}
    # A rule for any valid token also accepts a login token. The use case then refuses the call (test_messengers.py).
    and (served.operation.rule.scopes or served.operation.rule.action != AUTHENTICATED)
]
SCOPES = sorted({scope for served in GUARDED for scope in served.operation.rule.scopes})
LISTED = ["balcao-platform", "agentes-runtime"]


@pytest.mark.parametrize("client", LISTED)
@pytest.mark.parametrize("served", BY_SCOPE_OR_CLIENT, ids=str)
def test_neither_scope_nor_client_speaks_for_who_logged_in_without_a_cpf(
    http: httpx.Client, issuer: Issuer, served: Served, client: str
) -> None:
    token = issuer.login(azp=client, scope=" ".join(SCOPES))
    assert http.request(served.method, served.filled(), headers=bearer(token)).status_code == 403


def test_public_operations_do_not_look_at_a_token(http: httpx.Client) -> None:
    public = [  # all except the check endpoint, which validates the token
        served
        for served in all_operations()
        if served.public
        and served.method == "GET"
        and "{" not in served.path
        and not served.operation.key.startswith("access.check_")
    ]
    assert public
    for served in public:
        with_token = http.get(served.filled(), headers=bearer("rubbish"))
        # With or without a token, an operation with required parameters returns 400 or 422.
        assert with_token.status_code == http.get(served.filled()).status_code in {200, 400, 422}, served


def test_a_rotated_key_is_found_and_the_old_one_still_counts_until_withdrawn(
    http: httpx.Client, issuer: Issuer
) -> None:
    def status(token: str) -> int:
        return http.get("/agent/api/v1/auth", headers=bearer(token)).status_code

    old = issuer.person(ANA)
    assert status(old) == 200
    issuer.keys.append(new_key())
    try:
        assert status(old) == 200
        assert status(issuer.person(ANA)) == 200
    finally:
        issuer.keys.pop()


def test_two_authorization_headers_are_none(http: httpx.Client, issuer: Issuer) -> None:
    good = ("Authorization", f"Bearer {issuer.person(ANA, key=issuer.keys[0])}")
    answers = [
        http.get("/agent/api/v1/auth", headers=[*pair])
        for pair in ((good,), (good, good), (("Authorization", "x"), good))
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 401]
