"""Common parts of this service's operations: access rules, caching, and the units and dates in a path."""

from datetime import date
from typing import Annotated, Any, TypeAlias

import msgspec
from pydantic import BeforeValidator

from balcao.core.access.rules import action, authenticated, scope
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.parameters import InPath
from balcao.core.values.cnes import PATTERN, Cnes

# Every person with a token may read. A machine needs the scope of the health secretariat.
READ = authenticated() | scope("sms:read")
MANAGE_UNITS = action("health_unit:manage")
# Lets the caller's own cache reuse a response for 30 seconds.
CACHE = "private, max-age=30"
GEOJSON = "application/geo+json"
# The form of an id in a path, as the documents of this service declare it.
ID_PATTERN = r"^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"
NO_UUID = Fault(loc=["path", "id"], msg="deve ser um UUID", type="string_pattern_mismatch")
# Dates outside this range are typing errors.
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 12, 31)


def _read_day(text: str) -> date:
    """Return the day of a text in the form `AAAA-MM-DD`. Raises ValueError."""
    try:
        day = msgspec.convert(text, date)
    except msgspec.ValidationError:
        day = None
    if day is None or not EARLIEST <= day <= LATEST:
        raise ValueError(f"deve ser uma data no formato AAAA-MM-DD, de {EARLIEST.year} a {LATEST.year}")
    return day


def _parse_day(sent: Any) -> Any:
    return _read_day(sent) if isinstance(sent, str) else sent


Day = Annotated[date, BeforeValidator(_parse_day)]


def parse_cnes(text: str) -> Cnes:
    """Return the CNES of a path. Raises Unprocessable if it does not have seven digits."""
    cnes = Cnes.parse(text)
    if cnes is None:
        item = Fault(loc=["path", "cnes"], msg="deve ter exatamente 7 dígitos", type="string_pattern_mismatch")
        raise Unprocessable("O CNES do caminho é inválido: use 7 dígitos.", code="cnes-invalid", faults=[item])
    return cnes


CnesInPath: TypeAlias = Annotated[Cnes, InPath(parse_cnes, "CNES da unidade: sete dígitos", "9900001", PATTERN)]


def _parse_path_day(text: str) -> date:
    """Return the day of a path. Raises Unprocessable."""
    try:
        return _read_day(text)
    except ValueError as fault:
        item = Fault(loc=["path", "dia"], msg=str(fault), type="value_error")
        raise Unprocessable(
            "A data do caminho é inválida: use AAAA-MM-DD.", code="date-invalid", faults=[item]
        ) from None


DayInPath: TypeAlias = Annotated[date, InPath(_parse_path_day, "Data (AAAA-MM-DD)", "2026-12-24")]
