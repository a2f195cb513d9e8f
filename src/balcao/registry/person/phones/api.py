"""Routes for the citizen's phone number."""

from balcao.core.access.rules import own
from balcao.core.audit.personal_data import PersonalData, erase_older_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.phones import service, store
from balcao.registry.person.phones.jobs import JOBS
from balcao.registry.person.phones.schemas import ConfirmationBody, PhoneBody
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"], dialect=ERROR_AND_MESSAGE, body_limit=SMALL_BODY)


@routes.put(
    "/citizen/{cpf}/phone",
    "registry.declare_phone",
    own("citizen:write"),
    "Declara o telefone do cidadão: envia um código para confirmá-lo",
    errors=[409, 412],
    example={"ddi": "55", "ddd": "21", "valor": "900010176"},
)
async def declare_phone(call: Call, cpf: CpfInPath, body: PhoneBody) -> Message:
    """Envia um código de 6 dígitos ao número. O cadastro só muda quando o número é confirmado em `/phone/validate`. Há
    limites de códigos por cidadão e por número, e de cinco por dia para cada cidadão em cada número; acima deles a
    resposta é 429, com `Retry-After`. Se não há um serviço de envio configurado, a resposta é 503.
    """
    return await service.declare_phone(call, cpf, body)


@routes.post(
    "/citizen/{cpf}/phone/validate",
    "registry.confirm_phone",
    own("citizen:write"),
    "Confirma o telefone do cidadão pelo código recebido",
    errors=[412],
    example={"ddi": "55", "ddd": "21", "valor": "900010176", "code": "123456"},
)
async def confirm_phone(call: Call, cpf: CpfInPath, body: ConfirmationBody) -> Message:
    """Confirma o número com o código recebido; ele passa a ser o telefone principal. Se o código está errado, vencido
    ou é de outro número, a resposta é 404, com `error` igual a `Invalid or expired verification code`. Depois de 5
    tentativas, a resposta é 429.
    """
    return await service.confirm_phone(call, cpf, body)


# An unconfirmed number does not belong to the citizen yet, so the export does not include it.
PERSONAL_DATA = PersonalData(
    "phones",
    erase=erase_older_rows("phone_verification", store.erase_covered_verifications, ["telefone"]),
    by_event=True,
    tables=["registry.phone_verification"],
)

FEATURE = Feature(
    routes=routes.declared,
    jobs=JOBS,
    retention=[OldRows("phone_verification", store.count_verifications, store.erase_expired_verifications)],
    personal_data=PERSONAL_DATA,
    dead_jobs=[
        DeadJobs(
            store.CODE_JOB, "verification", store.find_verifications, store.list_verification_ids, store.erase_code
        )
    ],
    exports=Exports(derived=("registry.phone_verification", "registry.phone_code_sent")),
)
