"""Open incidents, add notes to them, resolve them and list them, for operators."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from balcao import app
from balcao.core.context.call import Call
from balcao.core.live import incidents
from balcao.core.live.incidents import Incident, Severity
from balcao.operate.expiry import name_operator
from balcao.operate.use_cases import run_use_case

SHOWN = timedelta(days=90)
MOST = 100


def open_incident(title: str, services: Sequence[str], message: str, *, is_down: bool) -> int:
    """Open an incident that affects these services, and return its number.

    Raises SettingsError for an unknown service, and OperatorFault if the title or the message is not valid.
    """
    names = [service.name for service in app.choose_services(services)]
    severity: Severity = "down" if is_down else "degraded"
    author = name_operator()

    async def act(call: Call) -> int:
        call.state_reason(author)
        return await incidents.open_incident(call, title, names, severity, message, author)

    return run_use_case("platform.open_incident", act)


def add_note(number: int, message: str, *, resolves: bool) -> None:
    """Add a note to an incident. With `resolves`, also resolve it.

    Raises OperatorFault if the message is not valid, or if the incident does not exist or is already resolved.
    """
    author = name_operator()

    async def act(call: Call) -> None:
        call.state_reason(author)
        await incidents.add_note(call, number, message, author, resolves=resolves)

    run_use_case("platform.resolve_incident" if resolves else "platform.note_incident", act)


def list_incidents() -> list[Incident]:
    """Return the incidents that are open or were resolved in the last 90 days, newest first, at most `MOST`."""

    async def act(call: Call) -> list[Incident]:
        return await incidents.list_incidents(call.platform.database, datetime.now(UTC) - SHOWN, MOST)

    return run_use_case("platform.list_incidents", act)
