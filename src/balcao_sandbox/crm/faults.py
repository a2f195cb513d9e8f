"""Faults that a user or a test injects, and demo people for whose CPF calls always fail or are slow."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from balcao_sandbox.crm.refusals import Refused

Operation = Literal["token", "query", "get", "create", "update", "upsert"]
Mode = Literal["latency", "rate_limit", "error", "reset", "duplicate", "expired_token", "garbage", "misdirected"]


class Reset(Exception):
    """Raised to close the connection without a response."""


class Fault(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A fault, and the calls to which it applies.

    - `times` is how often the fault still applies. None means without limit.
    - `operation` and `cpf` limit the fault to some calls, and `probability` to a share of these calls. `seed` makes the
      choice repeatable.
    - `ms` and `jitter_ms` are for the mode `latency`, `retry_after` for `rate_limit`, `status` and `code` for `error`,
      and `applied` for `reset`.
    """

    mode: Mode
    operation: Operation | Literal["*"] = "*"
    times: int | None = None
    probability: float = 1.0
    seed: int = 0
    cpf: str | None = None
    ms: int = 0
    jitter_ms: int = 0
    retry_after: int | None = None
    status: int = 500
    code: str = "UNKNOWN_EXCEPTION"
    applied: Literal["before", "after"] = "before"

    async def strike(self, dice: random.Random) -> None:
        """Apply the fault before the operation.

        Raises Refused or Reset. Modes that only change the response have no effect here.
        """
        match self.mode:
            case "latency":
                await asyncio.sleep((self.ms + dice.uniform(0, self.jitter_ms)) / 1_000)
            case "rate_limit":
                raise self._make_rate_limited()
            case "error":
                raise Refused(self.status, self.code, "An unexpected error occurred")
            case "expired_token":
                raise Refused(401, "INVALID_SESSION_ID", "Session expired or invalid")
            case "reset" if self.applied == "before":
                raise Reset

    def _make_rate_limited(self) -> Refused:
        refused = Refused(429, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded")
        if self.retry_after is not None:
            refused.headers["Retry-After"] = str(self.retry_after)
        return refused


@dataclass
class ActiveFault:
    fault: Fault
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.fault.seed)  # noqa: S311 - a run must repeat

    def matches(self, operation: Operation, cpf: str | None) -> bool:
        """Return whether the fault applies to this call. If it does, decrement `times`."""
        fault = self.fault
        if fault.operation not in ("*", operation) or fault.times == 0 or fault.cpf not in (None, cpf):
            return False
        if self.dice.random() >= fault.probability:
            return False
        if fault.times is not None:
            fault.times -= 1
        return True


class Faults:
    """The active faults of a sandbox.

    The first fault that matches a call is applied. The faults in SIMULATORS come last and cannot be removed.
    """

    def __init__(self) -> None:
        self._loaded: list[ActiveFault] = []

    def replace(self, faults: list[Fault]) -> None:
        self._loaded = [ActiveFault(fault) for fault in faults]

    def list_faults(self) -> list[dict[str, Any]]:
        return [msgspec.to_builtins(loaded.fault) for loaded in self._loaded]

    def pick(self, operation: Operation, cpf: str | None) -> ActiveFault | None:
        """Return the first fault that applies to this call, or None."""
        struck = (loaded for loaded in self._loaded if loaded.matches(operation, cpf))
        return next(struck, None) or _find_simulator(cpf)


SIMULATORS = {
    range(151, 161): Fault(mode="error"),
    range(161, 171): Fault(mode="rate_limit", retry_after=1),
    range(171, 181): Fault(mode="latency", ms=5_000),
}


def _find_simulator(cpf: str | None) -> ActiveFault | None:
    """Return the fault for a person in SIMULATORS, or None.

    Person n has the CPF whose first nine digits are 900000000 + n.
    """
    number = int(cpf[:9]) - 900_000_000 if cpf and len(cpf) == 11 and cpf.isdigit() else 0
    return next((ActiveFault(fault) for numbers, fault in SIMULATORS.items() if number in numbers), None)
