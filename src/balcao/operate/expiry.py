"""Parse the start and end of an operator's change, and return the operator's name."""

import getpass
import os
import re
import socket
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from balcao.operate.faults import OperatorFault

LONGEST = timedelta(days=90)
_DURATION = re.compile(r"([0-9]{1,6})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def parse_end(lasting: str, until: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the end of a change in UTC, or None if it has no end.

    `lasting` is a duration and `until` a time in the city's time zone. Raises OperatorFault if both are given, or if
    the end is not valid or not within the next 90 days.
    """
    if lasting and until:
        raise OperatorFault("Use --for ou --until, não os dois.")
    if not lasting and not until:
        return None
    end = now + _parse_duration(lasting) if lasting else _parse_time(until, now.astimezone(zone))
    if not now < end <= now + LONGEST:
        raise OperatorFault(f"O fim deve ficar no futuro, a no máximo {LONGEST.days} dias.")
    return end.astimezone(UTC)


def parse_plan(begin: str, lasting: str, until: str, now: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return the start and the end of a planned change, in UTC. Raises OperatorFault if one is missing or not valid.

    `lasting` is counted from the start. A time of day in `until` means its first occurrence after the start.
    """
    if not (lasting or until):
        raise OperatorFault("Com --from, diga também o fim: --for ou --until.")
    begins_at = _parse_time(begin, now.astimezone(zone), "--from")
    if not now < begins_at <= now + LONGEST:
        raise OperatorFault(f"O começo deve ficar no futuro, a no máximo {LONGEST.days} dias.")
    ends_at = parse_end(lasting, until, begins_at, zone)
    assert ends_at is not None
    return begins_at.astimezone(UTC), ends_at


def _parse_duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise OperatorFault(f"--for {text}: escreva um número e m, h ou d, como 30m.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _parse_time(text: str, now: datetime, option: str = "--until") -> datetime:
    """Parse a time. A time of day means its next occurrence."""
    if found := _CLOCK.fullmatch(text):
        end = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
        return end if end > now else end + timedelta(days=1)
    try:
        end = datetime.fromisoformat(text)
    except ValueError:
        raise OperatorFault(f"{option} {text}: escreva 18:30, ou 2026-03-01T18:30.") from None
    return end if end.tzinfo else end.replace(tzinfo=now.tzinfo)


def format_end(end: datetime | None, zone: ZoneInfo) -> str:
    """Return the end of a change in Portuguese, as part of a sentence."""
    return "até que alguém o desfaça" if end is None else f"até {end.astimezone(zone):%d/%m/%Y %H:%M}"


def name_operator() -> str:
    """Return the operator's login, even under `sudo`, and the machine's name."""
    try:
        login = os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        login = str(os.getuid())
    return f"{login}@{socket.gethostname()}"[:200]
