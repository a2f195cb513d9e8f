"""Common parts of this service's operations: access rules, caching, and path parameters."""

from datetime import date
from typing import Annotated, Any, TypeAlias

import msgspec
from pydantic import BeforeValidator

from balcao.core.access.rules import action, authenticated, scope
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.parameters import InPath
from balcao.core.values.cnes import PATTERN, Cnes

# Any person with a token may read. A machine needs the scope of the health secretariat.
READ = authenticated() | scope("sms:read")
MANAGE_UNITS = action("health_unit:manage")
# The caller's own cache may reuse a response for up to 30 seconds.
CACHE = "private, max-age=30"
GEOJSON = "application/geo+json"
# The format of an id in a path, for the API description.
ID_PATTERN = r"^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"
NO_UUID = Fault(loc=["path", "id"], msg="deve ser um UUID", type="string_pattern_mismatch")
# Dates outside this range are rejected, because they are probably typing errors.
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 12, 31)


def _read_day(text: str) -> date:
    """Parse a day in the format `AAAA-MM-DD`. Raises ValueError if it is malformed or outside EARLIEST to LATEST."""
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
    """Parse the CNES in a path. Raises Unprocessable unless it has seven digits."""
    cnes = Cnes.parse(text)
    if cnes is None:
        item = Fault(loc=["path", "cnes"], msg="deve ter exatamente 7 dígitos", type="string_pattern_mismatch")
        raise Unprocessable("O CNES do caminho é inválido: use 7 dígitos.", code="cnes-invalid", faults=[item])
    return cnes


CnesInPath: TypeAlias = Annotated[Cnes, InPath(parse_cnes, "CNES da unidade: sete dígitos", "9900001", PATTERN)]


def _parse_path_day(text: str) -> date:
    """Parse the day in a path. Raises Unprocessable if it is malformed or outside the valid range."""
    try:
        return _read_day(text)
    except ValueError as fault:
        item = Fault(loc=["path", "dia"], msg=str(fault), type="value_error")
        raise Unprocessable(
            "A data do caminho é inválida: use AAAA-MM-DD.", code="date-invalid", faults=[item]
        ) from None


DayInPath: TypeAlias = Annotated[date, InPath(_parse_path_day, "Data (AAAA-MM-DD)", "2026-12-24")]
