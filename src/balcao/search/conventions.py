"""What every operation of this service does alike: query values, paging, path ids, responses for staff, who acts."""

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
# Colleagues read it beside a version; the platform's audit trail does not hold it.
LONGEST_CHANGE_REASON = 500

ServiceIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do serviço", "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10", f"^{UUID_PATTERN}$")
]

_ABSENT = frozenset({"", "null", "undefined"})  # as the generated clients send what they do not have


def read_parameter(query: Mapping[str, str], name: str) -> str | None:
    """Return the query value, None when absent or what counts as absent."""
    value = query.get(name, "").strip()
    return None if value in _ABSENT else value


def require_parameter(query: Mapping[str, str], name: str) -> str:
    """Return the query value. Raises Invalid when it is absent."""
    value = read_parameter(query, name)
    if value is None:
        raise Invalid(f"Falta o parâmetro `{name}`.", code=f"{name}-missing")
    return value


def parse_integer_parameter(text: str | None) -> int | None:
    """Return the integer from 1 to the largest that this text is, else None."""
    number = parse_int64((text or "").lstrip("0"))
    return number if number is not None and number <= LARGEST_INTEGER else None


def parse_flag_parameter(query: Mapping[str, str], name: str) -> bool | None:
    """Return the boolean of the query, None when absent. Raises Invalid for any other word."""
    value = read_parameter(query, name)
    if value is None:
        return None
    flag = flags.parse_flag(value, or_digit=True)
    if flag is None:
        raise Invalid(f"O parâmetro `{name}` deve ser `true`, `1`, `false` ou `0`.", code=f"{name}-invalid")
    return flag


def parse_choice_parameter(query: Mapping[str, str], name: str, choices: Collection[str]) -> str | None:
    """Return one of these words of the query, None when absent. Raises Invalid for any other."""
    value = read_parameter(query, name)
    if value is not None and value not in choices:
        raise Invalid(f"O parâmetro `{name}` deve ser um de: {', '.join(choices)}.", code=f"{name}-invalid")
    return value


def make_fault(name: str, expected: str) -> Invalid:
    """Return the fault of a member or parameter that is not what it must be."""
    return Invalid(f"O campo `{name}` deve ser {expected}.", code=f"{name}-invalid")


def parse_page_parameters(query: Mapping[str, str]) -> tuple[int, int]:
    """Return page and entries per page; whatever is no integer in its range becomes the default, never an error."""
    per_page = parse_integer_parameter(read_parameter(query, "per_page"))
    return parse_integer_parameter(
        read_parameter(query, "page")
    ) or 1, per_page if per_page and per_page <= MOST_PER_PAGE else 10


def parse_uuid_parameter(text: str, missing: str) -> str:
    """Return an id of the path in lower case. Raises NotFound for text that is no UUID, as for any unknown id."""
    if not is_uuid(text):
        raise NotFound(missing)
    return text.lower()


def format_etag(version: int) -> str:
    """Return the tag of a service's state: the number of its newest version."""
    return f'"v{version}"'


def respond_to_staff(value: T, headers: Mapping[str, str] | None = None, *, status: int = 200) -> Response[T]:
    """Respond in a form that no cache stores."""
    body = clean_body(msgspec.json.encode(value))
    return Response(body, headers={"Cache-Control": NO_STORE, **(headers or {})}, status=status)


@sending(ETAG)
def respond_with_tag(value: T) -> Response[T]:
    """Respond to staff with the tag of the record as it is shown, which `If-Match` of a change may name."""
    body = msgspec.json.encode(value)
    return Response(clean_body(body), headers={"Cache-Control": NO_STORE, ETAG.name: etag_of(body)})


@sending(LOCATION, ETAG)
def respond_created(body: bytes, location: str, etag: str) -> Response[Any]:
    """Respond 201 with what `run_once` returned, and with its address below the path that was called."""
    headers = {"Cache-Control": NO_STORE, LOCATION.name: location, ETAG.name: etag}
    return Response(clean_body(body), status=201, headers=headers)


class _Identified(msgspec.Struct):
    id: str


def read_id(body: bytes) -> str:
    """Return the id of what `run_once` returned."""
    return msgspec.json.decode(body, type=_Identified).id


def require_present_match(call: Call, present: Any | None) -> None:
    """Raise PreconditionFailed when `If-Match` names another state than the record's; none is that of no record."""
    if present is not None:
        require_match(call.if_match, etag_of(msgspec.json.encode(present)))
    elif call.if_match is not None:
        raise PreconditionFailed()


def name_actor(call: Call) -> str:
    """Return who acts, as staff see it: the name claim, else the client; never a CPF."""
    if call.caller is None:
        return "operação"
    name = call.caller.display_name
    return call.caller.client if Cpf.parse_claim(name) else name


def clean_change_reason(reason: str | None) -> str | None:
    """Return why something of the catalogue is changed, None when nobody said. Raises Invalid (rules: search 3.3)."""
    if reason is None or not reason.strip():
        return None
    return clean_reason("change_reason", reason, longest=LONGEST_CHANGE_REASON)


def require_action(call: Call, action: str) -> None:
    """Check an "also" condition of a rule. Raises Forbidden; an operator at the machine's shell may do everything."""
    if call.grant == OPERATOR:
        return
    if not call.platform.catalogue.snapshot.grants(call.identified_caller, action):
        raise call.lacks(action)


def describe_event(**what: Any) -> list[str]:
    """Return what an audit event says of a call that concerns no person: `service=<id>`, `version=3`."""
    return [f"{name}={value}" for name, value in what.items()]
