"""Conventions for all operations of this service: names, list pages, and the headers of write responses."""

import re
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, TypeAlias

import msgspec
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.models import Model
from balcao.core.http.parameters import InPath, in_query
from balcao.core.http.responses import PERSONAL, Response
from balcao.core.http.sent_headers import ETAG, TOTAL_COUNT, SentHeader, sending
from balcao.core.values.cpf import Cpf
from balcao.core.values.fields import WholeNumber, refuse_control
from balcao.core.values.personal_data import refuse_personal_data
from balcao.core.values.ready import Ready

WRITES = "60/minute"
# Planning the largest document keeps a CPU core busy for seconds, so this limit is lower than the limit for writes.
PLANS = "10/minute"
# The maximum number of memberships, grants or mappings that one transaction deletes together with their parent. The
# catalogue may be locked for at most a second (rules: access 4.3), and deleting this number takes a fraction of that.
MOST_AT_ONCE = 1_000
MAX_PAGE = 100
# A client may skip at most this many items. The number is larger than any list, and fits into an integer of PostgreSQL.
MAX_SKIP = 1_000_000_000

ACTION_NAME = r"^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+$"
NAME = r"^[a-z0-9_:]+$"
_CPF = r"^[0-9]{11}$"
CATALOGUE_VERSION = SentHeader("X-Catalogue-Version", "A versão do catálogo de acessos, que cada mudança aumenta.", 42)
_NOT_A_CPF = "deve ser um CPF válido: 11 dígitos, sem pontuação"


class Method(StrEnum):
    """An HTTP method that a mapping can have."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"
    HEAD = "HEAD"
    OPTIONS = "OPTIONS"


def _check_cpf(text: str) -> str:
    if Cpf.parse(text) is None:
        raise ValueError(_NOT_A_CPF)
    return text


def _capitalise(sent: Any) -> Any:
    return sent.upper() if isinstance(sent, str) else sent


def _refuse_number_as_name(name: str) -> str:
    refuse_personal_data(_WITH_LETTERS.sub("x", name))
    return name


# The audit trail stores these texts for years, so they must not contain personal data.
_NO_PERSONAL_DATA = AfterValidator(refuse_personal_data)
# Digits next to letters are not treated as a personal number, because many names end in a generated id.
_WITH_LETTERS = re.compile(r"[0-9]*[A-Za-z][A-Za-z0-9]*")
_NO_NUMBER = AfterValidator(_refuse_number_as_name)
# Line breaks and tabs are allowed, because the string may have several lines.
_LINES = AfterValidator(partial(refuse_control, allowed="\n\t"))
ActionName = Annotated[str, StringConstraints(min_length=3, max_length=100, pattern=ACTION_NAME), _NO_NUMBER]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NAME), _NO_NUMBER]
Description = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), _LINES, _NO_PERSONAL_DATA
]
SearchText = Annotated[str, StringConstraints(max_length=255), _LINES]
CpfText = Annotated[str, AfterValidator(_check_cpf), Field(json_schema_extra={"pattern": _CPF})]
AnyCaseMethod = Annotated[Method, BeforeValidator(_capitalise)]


class SliceQuery(Model):
    """The requested page of a list (rules: access 2.0)."""

    skip: Annotated[
        WholeNumber, Field(ge=0, le=MAX_SKIP, description="Quantos itens pular desde o começo.", examples=[0])
    ] = 0
    limit: Annotated[
        WholeNumber, Field(ge=1, le=MAX_PAGE, description="Itens por página, no máximo 100.", examples=[50])
    ] = 50


class OptionalSliceQuery(Model):
    """The requested part of a list. Without `limit`, it extends to the end of the list, unlike in `SliceQuery`."""

    skip: Annotated[
        WholeNumber, Field(ge=0, le=MAX_SKIP, description="Quantos itens pular desde o começo.", examples=[0])
    ] = 0
    limit: Annotated[
        WholeNumber | None,
        Field(ge=1, le=MAX_PAGE, description="Itens por página, no máximo 100; sem ele vêm todos.", examples=[50]),
    ] = None


SliceInQuery: TypeAlias = Annotated[SliceQuery, in_query(SliceQuery)]
OptionalSliceInQuery: TypeAlias = Annotated[OptionalSliceQuery, in_query(OptionalSliceQuery)]


def cpf_in_path(name: str, description: str, example: str) -> InPath:
    """Describe a path parameter that contains a CPF. An invalid CPF is reported as a fault of this parameter."""

    def parse(text: str) -> Cpf:
        cpf = Cpf.parse(text)
        if cpf is None:
            raise Unprocessable(faults=[Fault(loc=["path", name], msg=_NOT_A_CPF, type="value_error")])
        return cpf

    return InPath(parse, description, example, _CPF)


def _parse_name(text: str) -> str:
    """Return the name from the path, or an empty string if the path contains no possible name of a role or group."""
    return text if len(text) <= 100 and re.fullmatch(NAME, text) else ""


def _parse_action_name(text: str) -> str:
    return text if len(text) <= 100 and re.fullmatch(ACTION_NAME, text) else ""


RoleInPath: TypeAlias = Annotated[str, InPath(_parse_name, "Nome do papel", "iptu:consulta")]
GroupInPath: TypeAlias = Annotated[str, InPath(_parse_name, "Nome do grupo", "busca_editores")]
ActionNameInPath: TypeAlias = Annotated[str, InPath(_parse_action_name, "Nome da ação", "iptu:invoice:read")]


@sending(CATALOGUE_VERSION)
def respond_to_write(version: int, value: Any = None, *, status: int = 200) -> Response[Any]:
    """Respond to a write with the new catalogue version. Without a value, the status is 204."""
    headers = {CATALOGUE_VERSION.name: str(version), "Cache-Control": PERSONAL}
    if value is None:
        return Response(status=204, headers=headers)
    return Response(msgspec.json.encode(value), status=status, headers=headers)


@sending(ETAG, CATALOGUE_VERSION)
def respond_with_state(version: int, value: Any) -> Response[Any]:
    """Respond to a change with the stored record, its `ETag` and the new catalogue version."""
    ready = Ready.of(value)
    headers = {ETAG.name: ready.etag, CATALOGUE_VERSION.name: str(version), "Cache-Control": PERSONAL}
    return Response(ready.body, headers=headers)


@sending(TOTAL_COUNT)
def respond_with_list(values: list[Any], total: int) -> Response[Any]:
    """Respond with a JSON array. A header contains the number of items in the whole list."""
    return Response(msgspec.json.encode(values), headers={TOTAL_COUNT.name: str(total), "Cache-Control": PERSONAL})
