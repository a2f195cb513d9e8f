"""Routes of the citizen's phone."""

from litestar.params import JSONBody

from balcao.core.access.rules import own
from balcao.core.http.operations import CurrentCall, operation
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.phones import service
from balcao.registry.person.phones.schemas import ConfirmationBody, PhoneBody


@operation(
    "PUT",
    "/citizen/{cpf:str}/phone",
    "registry.declare_phone",
    own("citizen:write"),
    "Declara o telefone do cidadão: envia um código para confirmá-lo",
    errors=[400, 409, 412],
    body=PhoneBody,
    tags=["citizen"],
)
async def declare_phone(call: CurrentCall, cpf: CpfInPath, data: JSONBody[PhoneBody]) -> Message:
    return await service.declare(call, path_cpf(cpf), data)


@operation(
    "POST",
    "/citizen/{cpf:str}/phone/validate",
    "registry.confirm_phone",
    own("citizen:write"),
    "Confirma o telefone do cidadão pelo código recebido",
    errors=[400, 404, 412],
    body=ConfirmationBody,
    tags=["citizen"],
)
async def confirm_phone(call: CurrentCall, cpf: CpfInPath, data: JSONBody[ConfirmationBody]) -> Message:
    return await service.confirm(call, path_cpf(cpf), data)


ROUTES = [declare_phone, confirm_phone]
