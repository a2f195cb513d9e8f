"""OpenAPI examples of error responses, one for each status."""

from typing import Any

import msgspec

from balcao.core import errors
from balcao.core.errors import BalcaoError, Fault
from balcao.core.http.operations import Operation

_KINDS: dict[int, type[BalcaoError]] = {
    kind.status: kind
    for kind in (
        errors.Invalid,
        errors.Unauthenticated,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.PreconditionFailed,
        errors.BodyCompressed,
        errors.TooMany,
        errors.Failed,
        errors.Unavailable,
    )
}
_MISSING = Fault(loc=["body", "nome"], msg="campo obrigatório", type="missing")


def find_refusal(operation: Operation, status: int) -> dict[str, Any]:
    """Return `example` with an error body for this status, or an empty dict if there is no example."""
    dialect = operation.dialect
    if dialect.items_schema is not None and status == dialect.items_status:
        shows_input = "input" in _members_of_items(dialect.items_schema)
        return {"example": {"detail": [{**_MISSING, **({"input": None, "ctx": {}} if shows_input else {})}]}}
    if status == operation.too_large().status != 400:
        return {"example": msgspec.to_builtins(dialect.body(operation.too_large()))}
    return {"example": msgspec.to_builtins(dialect.body(_KINDS[status]()))} if status in _KINDS else {}


def _members_of_items(kind: type) -> tuple[str, ...]:
    """Return the names of an item's members, from the type of a list of faults."""
    (item,) = kind.__annotations__["detail"].__origin__.__args__
    names: tuple[str, ...] = item.__struct_fields__
    return names
