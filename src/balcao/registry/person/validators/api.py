"""Routes of the validators: open to everybody, so that forms can ask before anybody has logged in."""

from litestar.params import JSONBody

from balcao.core.access.rules import public
from balcao.core.http.operations import operation
from balcao.registry.person.validators import service
from balcao.registry.person.validators.schemas import EmailQuestion, EmailVerdict, PhoneQuestion, PhoneVerdict

RATE = "30/minute"


@operation(
    "POST",
    "/validate/phone",
    "registry.validate_phone",
    public(),
    "Diz se um texto tem a forma de um telefone",
    errors=[400],
    body=PhoneQuestion,
    rate=RATE,
    tags=["validators"],
)
async def validate_phone(data: JSONBody[PhoneQuestion]) -> PhoneVerdict:
    return service.judge_phone(data)


@operation(
    "POST",
    "/validate/email",
    "registry.validate_email",
    public(),
    "Diz se um texto tem a forma de um e-mail",
    errors=[400],
    body=EmailQuestion,
    rate=RATE,
    tags=["validators"],
)
async def validate_email(data: JSONBody[EmailQuestion]) -> EmailVerdict:
    return service.judge_email(data)


ROUTES = [validate_phone, validate_email]
