"""The webhook's parser returns the event that was sent, or an error that repeats none of the event's values."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.registry.crm.events.event_parser import Event, parse_event
from balcao.registry.mirror.fields import ADDRESS, CONSENTS, LANGUAGES, TEXT_KEYS, TOURIST
from tests.support.demo_people import ANA
from tests.support.proof_sizes import EXAMPLES

KNOWN = {*TEXT_KEYS, LANGUAGES, TOURIST, ADDRESS, CONSENTS}
# Values contain this mark, so that an error that repeats a value can be recognised.
MARKED = st.text(max_size=5).map(lambda text: f"segredo{text}")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | MARKED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["status", "acao", "cep"]), inner),
    max_leaves=6,
)
DADOS = st.dictionaries(st.sampled_from(sorted(KNOWN)) | st.sampled_from(["nome", "outro"]), VALUES, max_size=4)
EVENTS = st.fixed_dictionaries(
    {"cpf": st.just(ANA) | VALUES, "dados": DADOS | VALUES},
    optional={"evento": st.sampled_from(["atualizacao", "anonimizacao"]) | VALUES, "updatedAt": VALUES},
)


@settings(max_examples=EXAMPLES)
@given(EVENTS)
def test_any_body_is_an_event_of_known_keys_or_a_refusal_without_its_values(sent: dict[str, Any]) -> None:
    found = attempt(json.dumps(sent))
    if isinstance(found, Invalid):
        assert (bool(found.code), "segredo" in f"{found} {found.code}") == (True, False)
    else:
        assert (found.cpf.digits, set(found.dados or {}) - KNOWN) == (ANA, set())
        assert (found.dados is None) == (sent.get("evento") == "anonimizacao")


def attempt(body: str) -> Event | Invalid:
    try:
        return parse_event(body.encode())
    except Invalid as refusal:
        return refusal


@settings(max_examples=EXAMPLES)
@given(DADOS, st.sampled_from(["\n", " ", "\t "]))
def test_an_event_is_known_again_by_the_bytes_of_its_dados(dados: dict[str, Any], blank: str) -> None:
    """Whitespace outside of `dados` does not change the digest. Whitespace inside does."""

    def digest(text: str, around: str = "") -> bytes | None:
        found = attempt(f'{{"cpf": "{ANA}",{around} "dados":{around}{text}{around}}}')
        return None if isinstance(found, Invalid) else found.dados_sha256

    text = json.dumps(dados)
    first = digest(text)
    assert digest(text, blank) == first
    assert first is None or digest(f"{{{blank}{text[1:]}") != first


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 5000])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid, match=r"corpo|JSON|objeto"):
        parse_event(body)


def test_an_event_with_a_byte_order_mark_is_the_same_event() -> None:
    body = json.dumps({"cpf": ANA, "dados": {"email": "ana@x.example"}}).encode()
    assert parse_event(b"\xef\xbb\xbf" + body) == parse_event(body)
