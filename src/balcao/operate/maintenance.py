"""Put services into maintenance in all processes at the same time, and end the maintenance."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from balcao import app
from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.live import maintenance
from balcao.operate.expiry import name_operator, parse_end, parse_plan
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import run_use_case
from balcao.settings import Settings

LONGEST_MESSAGE = 300


class StartedMaintenance(NamedTuple):
    """The services that are in maintenance now. `ends_at` is None if the maintenance has no planned end."""

    names: list[str]
    ends_at: datetime | None


class Plan(NamedTuple):
    """The services with planned maintenance, and when it starts and ends."""

    names: list[str]
    begins_at: datetime
    ends_at: datetime


def begin_maintenance(services: Sequence[str], lasting: str, until: str, message: str) -> StartedMaintenance:
    """Put these services into maintenance. Until it ends, they answer nearly all calls with the message.

    Raises SettingsError for an unknown service, and OperatorFault if the message or the end is not valid.
    """
    names = [service.name for service in app.choose_services(services)]
    ends_at = parse_end(lasting, until, datetime.now(UTC), Settings.load().zone)
    sentence, author = _clean(message), name_operator()

    async def begin(call: Call) -> list[Change]:
        call.state_reason(author)
        return await maintenance.begin_maintenance(call, names, sentence, ends_at, author)

    run_use_case("platform.begin_maintenance", begin)
    return StartedMaintenance(names, ends_at)


def plan_maintenance(services: Sequence[str], begin: str, lasting: str, until: str, message: str) -> Plan:
    """Schedule maintenance that starts automatically.

    Raises SettingsError for an unknown service, and OperatorFault if the message or a time is not valid, or if a
    service is in maintenance now.
    """
    names = [service.name for service in app.choose_services(services)]
    begins_at, ends_at = parse_plan(begin, lasting, until, datetime.now(UTC), Settings.load().zone)
    sentence, author = _clean(message), name_operator()

    async def plan(call: Call) -> list[Change]:
        call.state_reason(author)
        return await maintenance.plan_maintenance(call, names, sentence, begins_at, ends_at, author)

    run_use_case("platform.plan_maintenance", plan)
    return Plan(names, begins_at, ends_at)


def end_maintenance(services: Sequence[str]) -> list[str]:
    """End the current or planned maintenance of these services. Return the services that had any.

    Raises SettingsError for an unknown service, and OperatorFault if no service had one.
    """
    names = [service.name for service in app.choose_services(services)]
    author = name_operator()

    async def end(call: Call) -> list[str]:
        call.state_reason(author)
        return await maintenance.end_maintenance(call, names)

    ended = run_use_case("platform.end_maintenance", end)
    if not ended:
        raise OperatorFault(f"Não está em manutenção, nem planejada: {', '.join(names)}.")
    return ended


def list_maintenance() -> list[Change]:
    """Return the current and the planned maintenance of each service, with start, end, author and message."""

    async def list_all(call: Call) -> list[Change]:
        return await maintenance.list_services_in_maintenance(call) + await maintenance.list_planned_services(call)

    return run_use_case("platform.list_maintenance", list_all)


def _clean(message: str) -> str:
    sentence = " ".join(message.split())
    if not 1 <= len(sentence) <= LONGEST_MESSAGE or not sentence.isprintable():
        raise OperatorFault(f"--message: uma frase de 1 a {LONGEST_MESSAGE} caracteres, sem caracteres de controle.")
    return sentence
