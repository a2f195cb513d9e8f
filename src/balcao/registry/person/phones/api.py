"""Routes of the citizen's phone."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.registry.paths import CpfInPath
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.phones import service
from balcao.registry.person.phones.schemas import ConfirmationBody, PhoneBody

routes = Routes(tags=["citizen"])


@routes.put(
    "/citizen/{cpf}/phone",
    "registry.declare_phone",
    own("citizen:write"),
    "Declara o telefone do cidadão: envia um código para confirmá-lo",
    errors=[400, 409, 412],
)
async def declare_phone(call: Call, cpf: CpfInPath, body: PhoneBody) -> Message:
    return await service.declare(call, cpf, body)


@routes.post(
    "/citizen/{cpf}/phone/validate",
    "registry.confirm_phone",
    own("citizen:write"),
    "Confirma o telefone do cidadão pelo código recebido",
    errors=[400, 404, 412],
)
async def confirm_phone(call: Call, cpf: CpfInPath, body: ConfirmationBody) -> Message:
    return await service.confirm(call, cpf, body)
