"""Conventions that all operations of the search share: parameters, paging, ids, responses for staff, and reasons."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from balcao.core.context.call import OPERATOR, Call
from balcao.core.context.reasons import clean_reason
from balcao.core.errors import Invalid, NotFound, PreconditionFailed
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import NO_STORE, Response
from balcao.core.http.sent_headers import ETAG, LOCATION, sending
from balcao.core.values import flags
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.ids import UUID_PATTERN, is_uuid, parse_int64
from balcao.search.sanitising import clean_body

T = TypeVar("T")

PUBLISH = "service:publish"

LARGEST_INTEGER = 2_147_483_647
MOST_PER_PAGE = 100
# Longer than a reason in the audit trail, because only the version stores this reason, and only staff read it.
LONGEST_CHANGE_REASON = 500

ServiceIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do serviço", "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10", f"^{UUID_PATTERN}$")
]

_ABSENT = frozenset({"", "null", "undefined"})  # generated clients send these for a missing value


def read_parameter(query: Mapping[str, str], name: str) -> str | None:
    """Return the value of a parameter. Return None if it is absent, empty, `null` or `undefined`."""
    value = query.get(name)
    if value is None:
        return None
    value = value.strip()
    return None if value in _ABSENT else value


def require_parameter(query: Mapping[str, str], name: str) -> str:
    """Return the value of a parameter. Raises Invalid if it is absent."""
    value = read_parameter(query, name)
    if value is None:
        raise Invalid(f"Falta o parâmetro `{name}`.", code=f"{name}-missing")
    return value


def parse_integer_parameter(text: str | None) -> int | None:
    """Parse an integer from 1 to LARGEST_INTEGER. Return None for any other string."""
    number = parse_int64((text or "").lstrip("0"))
    return number if number is not None and number <= LARGEST_INTEGER else None


def parse_flag_parameter(query: Mapping[str, str], name: str) -> bool | None:
    """Parse a boolean parameter. Return None if it is absent. Raises Invalid for any other value."""
    value = read_parameter(query, name)
    if value is None:
        return None
    flag = flags.parse_flag(value, or_digit=True)
    if flag is None:
        raise Invalid(f"O parâmetro `{name}` deve ser `true`, `1`, `false` ou `0`.", code=f"{name}-invalid")
    return flag


def parse_choice_parameter(query: Mapping[str, str], name: str, choices: Collection[str]) -> str | None:
    """Return a parameter that must be one of `choices`, or None if it is absent. Raises Invalid for other values."""
    value = read_parameter(query, name)
    if value is not None and value not in choices:
        raise Invalid(f"O parâmetro `{name}` deve ser um de: {', '.join(choices)}.", code=f"{name}-invalid")
    return value


def make_fault(name: str, expected: str) -> Invalid:
    """Return the error for a member or parameter that is not `expected`."""
    return Invalid(f"O campo `{name}` deve ser {expected}.", code=f"{name}-invalid")


def parse_page_parameters(query: Mapping[str, str]) -> tuple[int, int]:
    """Return the page number and the page size. A missing or invalid value becomes the default, 1 or 10."""
    per_page = parse_integer_parameter(read_parameter(query, "per_page"))
    return parse_integer_parameter(
        read_parameter(query, "page")
    ) or 1, per_page if per_page and per_page <= MOST_PER_PAGE else 10


def parse_uuid_parameter(text: str, missing: str) -> str:
    """Return an id from the path in lower case.

    A string that is not a UUID raises NotFound, as an unknown id does.
    """
    if not is_uuid(text):
        raise NotFound(missing)
    return text.lower()


def format_etag(version: int) -> str:
    """Return the ETag of a service, which contains the number of its newest version."""
    return f'"v{version}"'


def respond_to_staff(value: T, headers: Mapping[str, str] | None = None, *, status: int = 200) -> Response[T]:
    """Respond with `value` as JSON and forbid caching."""
    body = clean_body(msgspec.json.encode(value))
    return Response(body, headers={"Cache-Control": NO_STORE, **(headers or {})}, status=status)


@sending(ETAG)
def respond_with_tag(value: T) -> Response[T]:
    """Respond to staff with the record's ETag, which a later change can send in `If-Match`."""
    body = msgspec.json.encode(value)
    return Response(clean_body(body), headers={"Cache-Control": NO_STORE, ETAG.name: etag_of(body)})


@sending(LOCATION, ETAG)
def respond_created(body: bytes, location: str, etag: str) -> Response[Any]:
    """Respond 201 with the body that `run_once` returned. `location` is relative to the called path."""
    headers = {"Cache-Control": NO_STORE, LOCATION.name: location, ETAG.name: etag}
    return Response(clean_body(body), status=201, headers=headers)


class _Identified(msgspec.Struct):
    id: str


def read_id(body: bytes) -> str:
    """Return the id in the body that `run_once` returned."""
    return msgspec.json.decode(body, type=_Identified).id


def require_present_match(call: Call, present: Any | None) -> None:
    """Raise PreconditionFailed if `If-Match` does not match the record. It never matches a missing record."""
    if present is not None:
        require_match(call.if_match, etag_of(msgspec.json.encode(present)))
    elif call.if_match is not None:
        raise PreconditionFailed()


def name_actor(call: Call) -> str:
    """Return the actor's name as staff see it: the name claim, or the client if that claim is a CPF."""
    if call.caller is None:
        return "operação"
    name = call.caller.display_name
    return call.caller.client if Cpf.parse_claim(name) else name


def clean_change_reason(reason: str | None) -> str | None:
    """Clean the reason for a change. Return None if it is blank.

    Raises Invalid for a bad reason (rules: search 3.3).
    """
    if reason is None or not reason.strip():
        return None
    return clean_reason("change_reason", reason, longest=LONGEST_CHANGE_REASON)


def require_action(call: Call, action: str) -> None:
    """Raise Forbidden unless the caller also has the right to this action.

    An operator on the command line has every action.
    """
    if call.grant == OPERATOR:
        return
    if not call.platform.catalogue.snapshot.grants(call.identified_caller, action):
        raise call.lacks(action)


def describe_event(**what: Any) -> list[str]:
    """Return the fields of an audit event that concerns no person, such as `service=<id>` and `version=3`."""
    return [f"{name}={value}" for name, value in what.items()]
