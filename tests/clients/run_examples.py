"""A program that makes the calls read from its input, in an environment that contains only the client.

It prints a JSON line for each call: the operation, the kind of client, and the result (a status or an error's name).
"""

import asyncio
import contextlib
import functools
import inspect
import io
import json
import os
import ssl
import sys
import typing
from typing import Any

import balcao_client
import msgspec
from balcao_client import AsyncBalcao, Balcao
from balcao_client.calls import Retries
from balcao_client.faults import BalcaoError, Fault

# It takes longer to load the machine's certificates than to make a call, and no call here uses TLS.
ssl.create_default_context = functools.cache(ssl.create_default_context)  # type: ignore[assignment]

ONCE = Retries(times=0)
REASON = "Exemplo da descrição – à parte"


def main() -> None:
    """Make all calls with the portal's code, and again with the async client."""
    url = sys.argv[1]
    calls = json.load(sys.stdin)
    balcao_client.Balcao = functools.partial(Balcao, retries=ONCE)
    for call in calls:
        report(call, "sync", make(call))
    asyncio.run(make_all(url, calls))


async def make_all(url: str, calls: list[dict[str, Any]]) -> None:
    """Make all calls with the async client."""
    for call in calls:
        report(call, "async", await make_awaited(url, call))


def make(call: dict[str, Any]) -> int | str:
    """Run the portal's code for a call, discard the output, and return the result."""
    os.environ["TOKEN"] = call["token"]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(call["python"], f"{call['service']}.{call['key']}", "exec"), {})  # noqa: S102
    except BalcaoError as fault:
        return outcome_of(fault)
    return 200


async def make_awaited(url: str, call: dict[str, Any]) -> int | str:
    """Make a call with the async client and return the result. Read only the first event of a stream."""
    async with AsyncBalcao(url, call["token"], retries=ONCE) as balcao:
        try:
            result = prepare(balcao, call)
            if call["is_stream"]:
                await anext(result)
                await result.aclose()
            else:
                await result
        except BalcaoError as fault:
            return outcome_of(fault)
    return 200


def prepare(balcao: Any, call: dict[str, Any]) -> Any:
    """Call the client's method with the example's values and typed body, and return its result."""
    method = getattr(getattr(balcao, call["service"]), call["key"])
    arguments = list(call["path"])
    if call["body"] is not None:
        arguments.append(msgspec.convert(call["body"], typing.get_type_hints(method)["body"]))
    names = inspect.signature(method).parameters
    query = {name: value for name, value in call["query"].items() if name in names}
    query |= {f"{name}_": value for name, value in call["query"].items() if f"{name}_" in names}
    if "access_reason" in names:
        query["access_reason"] = REASON
    return method(*arguments, **query)


def outcome_of(fault: BalcaoError) -> int | str:
    """Return the status of an error response, or a description of another error."""
    return fault.status if isinstance(fault, Fault) else f"{type(fault).__name__}: {fault}"


def report(call: dict[str, Any], kind: str, outcome: int | str) -> None:
    """Print the result of a call."""
    print(json.dumps([f"{call['service']}.{call['key']}", kind, outcome]))


if __name__ == "__main__":
    main()
