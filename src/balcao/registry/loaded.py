"""Values in the lines that a city loads: checked as a line is decoded, and refused by the member's name only."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from balcao.core.clock import rfc3339_seconds
from balcao.core.cpf import Cpf


def loaded_cpf(text: str) -> None:
    """Raises ValueError."""
    if Cpf.parse(text) is None:
        raise ValueError("O campo `cpf` deve ser um CPF válido, com 11 dígitos e sem pontuação.")


def instant_text(member: str, text: str | None) -> None:
    """A date, or a date with time, which without an offset is meant in the city's zone. Raises ValueError."""
    if text is not None and not _is_instant(text):
        raise ValueError(f"O campo `{member}` deve ser uma data (AAAA-MM-DD) ou um instante ISO 8601.")


def _is_instant(text: str) -> bool:
    """In the long form only: the store reads the short ones in other ways."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return text[4:5] == text[7:8] == "-" and (_is_date(text) or text[13:14] == ":")


def with_time(text: str, zone: ZoneInfo) -> str:
    """A date alone as midnight of the city's zone, because the portals format in it (registry document, 1.1)."""
    return rfc3339_seconds(datetime.fromisoformat(text).replace(tzinfo=zone), zone) if _is_date(text) else text


def _is_date(text: str) -> bool:
    return len(text) == len(date.min.isoformat())
