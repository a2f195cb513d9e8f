"""Routes for the validators. They need no token, so that forms can use them before a login."""

from balcao.core.access.rules import public
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.registry.person.validators import service
from balcao.registry.person.validators.schemas import EmailQuestion, EmailVerdict, PhoneQuestion, PhoneVerdict
from balcao.registry.routes import ROUTES

RATE = "30/minute"


routes = ROUTES.extend(tags=["validators"], body_limit=SMALL_BODY)


@routes.post(
    "/validate/phone",
    "registry.validate_phone",
    public(),
    "Diz se um texto tem a forma de um telefone",
    rate=RATE,
    idempotent=True,
)
async def validate_phone(body: PhoneQuestion) -> PhoneVerdict:
    """Verifica se o texto pode ser um telefone e o separa em partes. Só o formato é verificado: nada é guardado nem
    consultado. Operação pública, até 30 chamadas por minuto.
    """
    return service.check_phone(body)


@routes.post(
    "/validate/email",
    "registry.validate_email",
    public(),
    "Diz se um texto tem a forma de um e-mail",
    rate=RATE,
    idempotent=True,
)
async def validate_email(body: EmailQuestion) -> EmailVerdict:
    """Verifica se o texto pode ser um endereço de e-mail e o normaliza. Só o formato é verificado: nada é enviado nem
    consultado. Operação pública, até 30 chamadas por minuto.
    """
    return service.check_email(body)


FEATURE = Feature(routes=routes.declared)
