"""The issuers' keys, when many ask for them at once."""

import asyncio

import httpx

from balcao.core.access.tokens import TokenVerifier
from tests.support.issuer import Issuer, new_key
from tests.support.patience import PATIENCE


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
