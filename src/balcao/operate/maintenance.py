"""Takes services out of use for a while, in all processes at once, and gives them back."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from balcao import app
from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.live import maintenance
from balcao.operate.expiry import name_operator, parse_end
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import run_use_case
from balcao.settings import Settings

LONGEST_MESSAGE = 300


class Begun(NamedTuple):
    """The services that are in maintenance now, and until when; None for until somebody ends it."""

    names: list[str]
    ends_at: datetime | None


def begin_maintenance(services: Sequence[str], lasting: str, until: str, message: str) -> Begun:
    """Have these services answer the message alone. Raises OperatorFault for a message or an end that is none."""
    names = [service.name for service in app.choose_services(services)]
    ends_at = parse_end(lasting, until, datetime.now(UTC), Settings.load().zone)
    sentence = " ".join(message.split())
    if not 1 <= len(sentence) <= LONGEST_MESSAGE or not sentence.isprintable():
        raise OperatorFault(f"--message: uma frase de 1 a {LONGEST_MESSAGE} caracteres, sem caracteres de controle.")
    author = name_operator()

    async def begin(call: Call) -> list[Change]:
        call.state_reason(author)
        return await maintenance.begin_maintenance(call, names, sentence, ends_at, author)

    run_use_case("platform.begin_maintenance", begin)
    return Begun(names, ends_at)


def end_maintenance(services: Sequence[str]) -> list[str]:
    """Have these services answer again; return those that did not. Raises OperatorFault where all did."""
    names = [service.name for service in app.choose_services(services)]
    author = name_operator()

    async def end(call: Call) -> list[str]:
        call.state_reason(author)
        return await maintenance.end_maintenance(call, names)

    ended = run_use_case("platform.end_maintenance", end)
    if not ended:
        raise OperatorFault(f"Não está em manutenção: {', '.join(names)}.")
    return ended


def list_maintenance() -> list[Change]:
    """Return the services in maintenance: since and until when, by whom and with which message."""
    return run_use_case("platform.list_maintenance", maintenance.list_services)
