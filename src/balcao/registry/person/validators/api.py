"""Routes of the validators: open to everybody, so that forms can ask before anybody has logged in."""

from balcao.core.access.rules import public
from balcao.core.http.operations import Routes
from balcao.registry.person.validators import service
from balcao.registry.person.validators.schemas import EmailQuestion, EmailVerdict, PhoneQuestion, PhoneVerdict

RATE = "30/minute"


routes = Routes(tags=["validators"])


@routes.post(
    "/validate/phone",
    "registry.validate_phone",
    public(),
    "Diz se um texto tem a forma de um telefone",
    errors=[400],
    rate=RATE,
)
async def validate_phone(body: PhoneQuestion) -> PhoneVerdict:
    return service.judge_phone(body)


@routes.post(
    "/validate/email",
    "registry.validate_email",
    public(),
    "Diz se um texto tem a forma de um e-mail",
    errors=[400],
    rate=RATE,
)
async def validate_email(body: EmailQuestion) -> EmailVerdict:
    return service.judge_email(body)
