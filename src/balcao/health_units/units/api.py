"""Routes for unit records."""

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.responses import PERSONAL, Response, stored, with_etag
from balcao.health_units.operations import MANAGE_UNITS, READ, CnesInPath
from balcao.health_units.records import UnitRecord
from balcao.health_units.routes import ROUTES
from balcao.health_units.units import service, store
from balcao.health_units.units.schemas import UnitBody

routes = ROUTES.extend(tags=["unidades"], body_limit=SMALL_BODY)


@routes.get(
    "/unidade/{cnes}/registro",
    "health_units.read_unit_record",
    READ,
    "O registro de uma unidade, como foi gravado",
    errors=[304, 422],
)
async def get_unit_record(call: Call, cnes: CnesInPath) -> Response[UnitRecord]:
    """Devolve só o que foi cadastrado, para quem vai editar a unidade, com o `ETag` que o `PUT` aceita em `If-Match`. O
    que depende do horário e do risco está em `/unidade/{cnes}`. Qualquer pessoa com token pode ler; uma máquina precisa
    do escopo `sms:read`.
    """
    return with_etag(await service.read_unit_record(call, cnes), call, PERSONAL)


@routes.put(
    "/unidade/{cnes}",
    "health_units.put_unit",
    MANAGE_UNITS,
    "Cadastra ou substitui uma unidade de saúde",
    example={
        "nome": "Clínica da Família Modelo 1",
        "logradouro": "Rua Modelo 1",
        "numero": "101",
        "cep": "20000-001",
        "telefone": "(21) 2222-2222",
        "tipo": "CF",
        "area": "2.1",
        "bairro": "Centro",
        "latitude": -22.905,
        "longitude": -43.20667,
    },
    errors=[412],
    same_body=[201],
)
async def put_unit(call: Call, cnes: CnesInPath, body: UnitBody) -> Response[UnitRecord]:
    """Cadastra a unidade (201) ou substitui o seu registro inteiro (200): o que não for enviado fica vazio. Uma unidade
    nunca é apagada; com `ativa` falso, ela sai das listas. Horários e risco não mudam aqui. Com `If-Match`, a mudança
    só é feita se a unidade já existe e não mudou desde que foi lida em `/unidade/{cnes}/registro`.
    """
    unit, is_new = await service.put_unit(call, cnes, body)
    return stored(unit, status=201 if is_new else 200)


FEATURE = Feature(routes=routes.declared, exports=store.EXPORTS)
