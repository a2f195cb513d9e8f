"""A repeated POST gets the first call's response, even if the first call is still in progress.

Another request with the same key is refused.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from balcao.core.access.caller import from_claims
from balcao.core.access.rules import Decision, Reason
from balcao.core.context import idempotency
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.call import Call
from balcao.core.context.headers import NO_HEADERS, Headers
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Database
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from tests.support import demo_people
from tests.support.fixture_types import Sql

ANA = Cpf(demo_people.ANA)
ACCEPTED = ["k", " ", "x" * idempotency.LONGEST_KEY]
REFUSED = ["", "x" * (idempotency.LONGEST_KEY + 1), "ação", "a\nb"]


async def aio(call: Callable[..., Any], *args: Any) -> Any:
    return await asyncio.to_thread(call, *args)


def call_of(platform: Platform, key: str | None, subject: str = "someone") -> Call:
    caller = from_claims({"sub": subject, "azp": "portal-cidadao", "cpf": ANA.digits, "exp": 0})
    headers = NO_HEADERS if key is None else Headers({b"idempotency-key": key.encode()})
    return Call(platform, "test.make", "request", Decision(Reason.OWNER, "self"), caller, headers)


class Maker:
    """A function that creates things and counts them."""

    def __init__(self) -> None:
        self.made = 0

    async def __call__(self) -> dict[str, int]:
        self.made += 1
        return {"number": self.made}


async def ask(call: Call, make: Maker, *parts: Any, is_secret: bool = False) -> Any:
    async with call.platform.database.transaction() as connection:
        return json.loads(await idempotency.run_once(connection, call, ANA, parts, make, is_secret=is_secret))


async def test_twenty_at_once_with_one_key_make_one_thing(platform: Platform) -> None:
    make = Maker()
    answers = await asyncio.gather(*(ask(call_of(platform, "twenty"), make, "a body") for _ in range(20)))
    assert answers == [{"number": 1}] * 20
    assert make.made == 1


async def test_without_a_key_every_call_makes_one(platform: Platform) -> None:
    make = Maker()
    assert [await ask(call_of(platform, None), make) for _ in range(2)] == [{"number": 1}, {"number": 2}]


async def test_a_key_belongs_to_one_caller_and_one_request(platform: Platform) -> None:
    make = Maker()
    assert await ask(call_of(platform, "mine"), make, {"a": 1, "b": 2}) == {"number": 1}
    assert await ask(call_of(platform, "mine"), make, {"b": 2, "a": 1}) == {"number": 1}
    assert await ask(call_of(platform, "mine", "another"), make, {"c": 3}) == {"number": 2}
    with pytest.raises(Conflict) as refused:
        await ask(call_of(platform, "mine"), make, {"a": 1, "b": 3})
    assert refused.value.code == "idempotency-key-reused"


@pytest.mark.parametrize("key", REFUSED)
async def test_a_malformed_key_is_refused(platform: Platform, key: str) -> None:
    with pytest.raises(Invalid) as refused:
        await ask(call_of(platform, key), Maker())
    assert refused.value.code == "idempotency-key-invalid"


@pytest.mark.parametrize("key", ACCEPTED)
async def test_every_printable_key_of_bounded_length_serves(platform: Platform, key: str) -> None:
    assert await ask(call_of(platform, key, f"length {len(key)}"), Maker()) == {"number": 1}


async def test_what_was_not_committed_was_not_answered(platform: Platform) -> None:
    make, call = Maker(), call_of(platform, "lost")

    async with platform.database.connection() as connection:
        change = connection.transaction()
        await change.start()
        await idempotency.run_once(connection, call, ANA, ["body"], make)
        await change.rollback()
    assert await ask(call, make, "body") == {"number": 2}


async def test_after_a_day_a_key_is_free_again_and_the_person_can_be_forgotten(
    platform: Platform, database_url: str
) -> None:
    make, call = Maker(), call_of(platform, "old")
    await ask(call, make, "body")
    owner = Database(database_url, role=None)
    await owner.open()
    async with owner.transaction() as connection:
        await connection.execute("UPDATE platform.idempotent_answer SET made_at = now() - interval '25 hours'")
    assert await ask(call, make, "another body") == {"number": 2}
    async with owner.transaction() as connection:
        assert await idempotency.forget_old(connection) > 0
        moment = await connection.fetchval("SELECT clock_timestamp()")
        assert await idempotency.forget_person(connection, ANA, moment) == 1
    await owner.close()
    assert await ask(call, make, "body") == {"number": 3}


async def test_a_secret_response_is_stored_sealed_and_repeated_as_it_was(platform: Platform, sql: Sql) -> None:
    make, call = Maker(), call_of(platform, "secret")
    assert [await ask(call, make, is_secret=True) for _ in range(2)] == [{"number": 1}] * 2
    (stored,) = await aio(sql, "SELECT answer FROM platform.idempotent_answer WHERE key = 'secret'")
    assert b"number" not in stored["answer"]


async def test_a_response_that_was_stored_before_secrets_were_sealed_is_repeated(platform: Platform) -> None:
    make, call = Maker(), call_of(platform, "before")
    assert [await ask(call, make), await ask(call, make, is_secret=True)] == [{"number": 1}] * 2


async def test_a_sealed_response_outlives_its_key_as_long_as_the_former_one_is_named(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the former key is not configured, the repeated call fails.

    A second secret would replace the one that receivers use.
    """
    make, call = Maker(), call_of(platform, "rotated")
    await ask(call, make, is_secret=True)
    key, former = HashKey(b"another key" * 4, 9), platform.audit.key
    monkeypatch.setattr(platform, "audit", Audit(key, [former]))
    assert await ask(call, make, is_secret=True) == {"number": 1}
    monkeypatch.setattr(platform, "audit", Audit(key))
    with pytest.raises(Conflict) as refused:
        await ask(call, make, is_secret=True)
    assert refused.value.code == "idempotency-key-reused"
    assert make.made == 1


async def test_a_sealed_response_opens_for_its_own_caller_only(platform: Platform, sql: Sql) -> None:
    """A response that is copied to another row cannot be decrypted, even by someone who can write to the table."""
    make, call, other = Maker(), call_of(platform, "own"), call_of(platform, "own", "another")
    await ask(call, make, is_secret=True)
    await ask(other, make, is_secret=True)
    copy = "UPDATE platform.idempotent_answer SET answer = (SELECT min(answer) FROM platform.idempotent_answer"
    await aio(sql, f"{copy} WHERE key = 'own') WHERE key = 'own'")
    refused = [await refusal_of(one, make) for one in (call, other)]
    assert sorted(refused) == ["", "idempotency-key-reused"]


async def refusal_of(call: Call, make: Maker) -> str:
    try:
        await ask(call, make, is_secret=True)
    except Conflict as refused:
        return refused.code
    return ""
