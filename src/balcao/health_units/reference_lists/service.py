"""Changes the reference lists, and checks the values that notifications refer to (rules: health_units 2.4)."""

from collections.abc import Sequence

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Fault, Unprocessable
from balcao.health_units.reference_lists import store
from balcao.health_units.reference_lists.schemas import Lista, ReferenceValue, ReferenceValueBody
from balcao.health_units.reference_lists.store import NamedValue
from balcao.health_units.units import service as units


async def put_reference_value(
    call: Call, lista: Lista, codigo: str, body: ReferenceValueBody
) -> tuple[ReferenceValue, bool]:
    """Create or replace a value. Return the value, and whether it is new.

    Raises Forbidden if the caller's right is limited to areas, because the lists apply to the whole city.
    """
    units.require_right_to_area(call, None)
    value = ReferenceValue(codigo, body.nome, body.ativo)
    async with call.platform.database.transaction() as connection:
        is_new = await store.upsert_reference_value(connection, lista, value)
        await call.platform.audit.record(
            connection, call, "create" if is_new else "update", fields=sorted(body.model_fields_set)
        )
    return value, is_new


async def require_known_values(connection: Connection, ocorrencia: str | None, consequencias: Sequence[str]) -> None:
    """Raise Unprocessable if a value is unknown or no longer active. If there are no values, no query is made."""
    places: list[tuple[str, ...]] = []
    named: list[NamedValue] = []
    if ocorrencia is not None:
        places.append(("ocorrencia",))
        named.append(NamedValue(Lista.OCORRENCIAS, ocorrencia))
    for number, codigo in enumerate(consequencias):
        places.append(("consequencias", str(number)))
        named.append(NamedValue(Lista.CONSEQUENCIAS, codigo))
    if not named:
        return
    unknown = await store.find_unknown_values(connection, named)
    if unknown:
        text = "não está na lista, ou não se usa mais"
        faults = [Fault(loc=["body", *places[index]], msg=text, type="value_error") for index in unknown]
        raise Unprocessable(code="reference-value-unknown", faults=faults)
