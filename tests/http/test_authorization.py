"""A connection caches the digest of its last `Authorization` value, and never uses it for another value."""

import hashlib
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.access.authorization import digest_of
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.http.operations import MIB
from balcao.gateway.application import Served
from balcao.gateway.exchanges import Exchange, Refusal
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota
from balcao.gateway.receiving import Answering, Receiver
from tests.http.application import Echo
from tests.support.proof_sizes import EXAMPLES

# The `Authorization` headers of a request: none, one, or two. Two headers have the same effect as an empty one.
SENT = st.lists(st.sampled_from([b"", b"Bearer a", b"Bearer b", b"Bearer ab", b"bearer a"]), max_size=2)


class Taking:
    """The side that receives from the server. It stores the requests and refusals that it gets."""

    is_full = False

    def __init__(self) -> None:
        self.taken: list[Exchange | Refusal] = []

    def enqueue(self, turn: Exchange | Refusal) -> None:
        self.taken.append(turn)


@settings(max_examples=EXAMPLES)
@given(st.lists(SENT, max_size=8))
def test_each_request_has_the_authorization_that_came_with_it(requests: list[list[bytes]]) -> None:
    taking = Taking()
    receiver = Receiver(
        cast("Served", Echo()), Limits(), Quota(MIB, lambda _: True), "127.0.0.1", cast("Answering", taking)
    )
    for values in requests:
        lines = b"".join(b"Authorization: %b\r\n" % value for value in values)
        receiver.receive(memoryview(b"GET / HTTP/1.1\r\nHost: a\r\n%b\r\n" % lines))
    assert len(taking.taken) == len(requests)
    for exchange, values in zip(taking.taken, requests, strict=True):
        assert isinstance(exchange, Exchange)
        expected = None if not values else values[0] if len(values) == 1 else b""
        found = exchange.request.headers.get(AUTHORIZATION)
        assert found == expected
        if found is not None:
            assert digest_of(found) == digest_of(bytes(found)) == hashlib.blake2b(found, digest_size=20).digest()
