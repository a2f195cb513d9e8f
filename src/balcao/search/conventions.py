"""What every operation of this service does alike: query values, paging, path ids, staff answers, who is acting."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

from balcao.core.context.call import OPERATOR, Call
from balcao.core.errors import Forbidden, NotFound
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import NO_STORE, Response, to_json
from balcao.core.values.cpf import Cpf

T = TypeVar("T")

UUID_PATTERN = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
LARGEST_INTEGER = 2_147_483_647
MOST_PER_PAGE = 100

ServiceIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do serviço", "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10", UUID_PATTERN)
]

_ABSENT = frozenset({"", "null", "undefined"})  # as the generated clients send what they do not have


def given(query: Mapping[str, str], name: str) -> str | None:
    """The query value, None when absent or what counts as absent."""
    value = query.get(name, "").strip()
    return None if value in _ABSENT else value


def integer(text: str | None) -> int | None:
    """The integer from 1 to the largest that this text is, else None."""
    found = re.fullmatch(r"0*([0-9]{1,10})", text or "")
    number = int(found[1]) if found else 0
    return number if 1 <= number <= LARGEST_INTEGER else None


def page_of(query: Mapping[str, str]) -> tuple[int, int]:
    """Page and entries per page; whatever is no integer in its range becomes the default, never an error."""
    per_page = integer(given(query, "per_page"))
    return integer(given(query, "page")) or 1, per_page if per_page and per_page <= MOST_PER_PAGE else 10


def path_uuid(text: str, missing: str) -> str:
    """Raises NotFound for text that is no UUID: an id of another form is an unknown id."""
    if not re.fullmatch(UUID_PATTERN, text):
        raise NotFound(missing)
    return text.lower()


def staff_answer(value: T, headers: Mapping[str, str] | None = None) -> Response[T]:
    """An answer that nobody keeps."""
    return to_json(value, headers={"Cache-Control": NO_STORE, **(headers or {})})


def acting(call: Call) -> str:
    """How staff see who did it: the name claim, else the client; never a CPF."""
    if call.caller is None:
        return "operação"
    shown = call.caller.display_name
    return call.caller.client if Cpf.parse_claim(shown) else shown


def require(call: Call, action: str) -> None:
    """An "also" condition. Raises Forbidden; an operator at the machine's shell may do everything."""
    if call.grant == OPERATOR:
        return
    if not call.platform.catalogue.snapshot.grants(call.identified_caller, action):
        raise Forbidden()


def details(**what: Any) -> list[str]:
    """What an audit event says of a call that concerns no person: `service=<id>`, `version=3`."""
    return [f"{name}={value}" for name, value in what.items()]
