"""What the operations of this service have in common: rules, rates, caching, and the units and dates in a path."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from pydantic import BaseModel, BeforeValidator
from pydantic_core import PydanticKnownError

from balcao.core.access.rules import action, authenticated, scope
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.decoding import validate_model
from balcao.core.http.parameters import InPath, InQuery
from balcao.core.values.cnes import PATTERN, Cnes

# Persons read; a machine needs the scope of the health secretariat.
READ = authenticated() | scope("sms:read")
MANAGE_UNITS = action("health_unit:manage")
# Of what is read from memory.
CACHE = "private, max-age=30"
# Days beyond are mistakes of typing.
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 12, 31)

M = TypeVar("M", bound=BaseModel)


def in_query(kind: type[M], repeated: tuple[str, ...] = ()) -> InQuery:
    """Bind the query as the model; every fault of it is listed."""

    def parse(query: Mapping[str, Any]) -> M:
        return validate_model(dict(query), kind, "query")

    return InQuery(parse, kind, repeated)


def _check_digits(sent: Any) -> Any:
    """Return a text of digits for pydantic to parse; 18 of them already show a number to be out of bounds."""
    if isinstance(sent, str):
        if not (sent.isascii() and sent.isdigit()):
            raise PydanticKnownError("int_parsing")
        return sent[:18]
    return sent


def _parse_flag(sent: Any) -> Any:
    if sent in (True, False):
        return sent
    if sent not in ("true", "false"):
        raise PydanticKnownError("enum", {"expected": "`true` ou `false`"})
    return sent == "true"


def _read_day(text: str) -> date:
    """Return a day in the form `AAAA-MM-DD`. Raises ValueError."""
    try:
        day = msgspec.convert(text, date)
    except msgspec.ValidationError:
        day = None
    if day is None or not EARLIEST <= day <= LATEST:
        raise ValueError(f"deve ser uma data no formato AAAA-MM-DD, de {EARLIEST.year} a {LATEST.year}")
    return day


def _parse_day(sent: Any) -> Any:
    return _read_day(sent) if isinstance(sent, str) else sent


WholeNumber = Annotated[int, BeforeValidator(_check_digits)]
Flag = Annotated[bool, BeforeValidator(_parse_flag)]
Day = Annotated[date, BeforeValidator(_parse_day)]


def parse_cnes(text: str) -> Cnes:
    """Return the CNES of a path. Raises Unprocessable."""
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
        item = Fault(loc=["path", "data"], msg=str(fault), type="value_error")
        raise Unprocessable(
            "A data do caminho é inválida: use AAAA-MM-DD.", code="date-invalid", faults=[item]
        ) from None


DayInPath: TypeAlias = Annotated[date, InPath(_parse_path_day, "Data (AAAA-MM-DD)", "2026-12-24")]
