"""Routes for reference lists."""

import re
from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import PERSONAL, Response, to_json, with_etag
from balcao.health_units.operations import CACHE, MANAGE_UNITS, READ
from balcao.health_units.reference_lists import service, store
from balcao.health_units.reference_lists.schemas import (
    CODE,
    Lista,
    ReferenceValue,
    ReferenceValueBody,
    ReferenceValues,
)
from balcao.health_units.routes import ROUTES

routes = ROUTES.extend(tags=["risco"], body_limit=SMALL_BODY)


def _parse_list(text: str) -> Lista:
    """Parse the name of a reference list in a path. Raises Unprocessable for an unknown name."""
    try:
        return Lista(text)
    except ValueError:
        item = Fault(loc=["path", "lista"], msg="deve ser `ocorrencias` ou `consequencias`", type="enum")
        raise Unprocessable(code="reference-list-invalid", faults=[item]) from None


def _parse_code(text: str) -> str:
    """Parse a value's code in a path. Raises Unprocessable if it is malformed."""
    if not re.fullmatch(CODE, text):
        item = Fault(
            loc=["path", "codigo"],
            msg="deve ter de 1 a 40 letras minúsculas sem acento, dígitos ou `_`",
            type="string_pattern_mismatch",
        )
        raise Unprocessable(code="reference-list-invalid", faults=[item])
    return text


ListInPath: TypeAlias = Annotated[
    Lista,
    InPath(_parse_list, "A lista: `ocorrencias` ou `consequencias`", "ocorrencias", "^(ocorrencias|consequencias)$"),
]
CodeInPath: TypeAlias = Annotated[str, InPath(_parse_code, "Código do valor", "queda_de_arvore", CODE)]


@routes.get(
    "/listas/{lista}",
    "health_units.list_reference_values",
    READ,
    "Tipos de ocorrência, ou de consequência",
    errors=[304, 422],
    may_lag=True,
)
async def get_reference_values(call: Call, lista: ListInPath) -> Response[ReferenceValues]:
    """Devolve uma das listas que a secretaria mantém para descrever as notificações. Qualquer pessoa com token pode
    ler; uma máquina precisa do escopo `sms:read`.
    """
    async with call.reader.connection() as connection:
        found = ReferenceValues(await store.list_reference_values(connection, lista))
    return with_etag(found, call, CACHE)


@routes.put(
    "/listas/{lista}/{codigo}",
    "health_units.put_reference_value",
    MANAGE_UNITS,
    "Acrescenta ou altera um valor de uma lista",
    same_body=[201],
)
async def put_reference_value(
    call: Call, lista: ListInPath, codigo: CodeInPath, body: ReferenceValueBody
) -> Response[ReferenceValue]:
    """Acrescenta o valor (201) ou o substitui (200). Um valor nunca é apagado, porque há registros que o citam. Com
    `ativo` falso, ele não pode ser usado em novos registros.
    """
    value, is_new = await service.put_reference_value(call, lista, codigo, body)
    return to_json(value, status=201 if is_new else 200, headers={"Cache-Control": PERSONAL})


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("health_units.reference_values",)))
