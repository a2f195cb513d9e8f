"""Routes that submit and change an application."""

from balcao.core.access.reach import ANY_DEPARTMENT
from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE, Dialect
from balcao.core.http.operations import MIB
from balcao.core.http.responses import Response, created, stored
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.routes import ROUTES
from balcao.employability.selection.applications.api import BASE, RATE, REACH
from balcao.employability.selection.applications.schemas import ApplicationDetail
from balcao.employability.selection.applications.states import CREATE_ANY, Event, describe_events
from balcao.employability.selection.paths import OpenApplicationInPath
from balcao.employability.selection.submission import service
from balcao.employability.selection.submission.schemas import ApplicationBody, ApplicationChange, ApplicationRefusal

# The format of error responses. The citizen portal shows `message` if an application is refused.
REFUSAL = Dialect(ERROR_AND_MESSAGE.body, ApplicationRefusal)

routes = ROUTES.extend(tags=["applications"], body_limit=MIB)


@routes.post(
    BASE,
    "employability.submit_application",
    authenticated().testing(CREATE_ANY, ANY_DEPARTMENT),
    "Candidata-se a uma vaga",
    description=(
        "Cria a candidatura de quem chama a uma vaga ativa e a devolve, com o currículo como o serviço o tem agora. "
        "As respostas seguem o tipo de cada pergunta. Quem não aceitou os termos, ou não atende ao que a vaga exige, "
        "recebe 400 com `criterios_nao_atendidos`, e fica registrado um bloqueio. Uma pessoa tem uma candidatura a "
        "cada vaga; depois de retirá-la pode candidatar-se de novo, até três vezes. Com a ação "
        f"`job_application:create_any` a equipe candidata outra pessoa, pelo `cpf`, atenda ela ou não. {REACH}"
    ),
    example={"id_vaga": str(sandbox_job_id("V2")), "cpf": "90000000760", "nome": "Gabriela Antunes"},
    dialect=REFUSAL,
    status=201,
    errors=[404, 409],
    rate="10/minute",
)
async def submit_application(call: Call, body: ApplicationBody) -> Response[ApplicationDetail]:
    return created(await service.submit_application(call, body))


@routes.put(
    f"{BASE}/{{id}}",
    "employability.replace_application",
    authenticated().testing(CREATE_ANY, ANY_DEPARTMENT),
    "Altera uma candidatura",
    description=(
        "Altera o e-mail e as respostas, pela equipe também o nome; o que falta no corpo fica como está. "
        f"{describe_events(Event.EDIT)} Para a própria pessoa e para quem tem a ação `job_application:create_any`. "
        f"{REACH}"
    ),
    example={"email": "elisa@pessoa.example"},
    errors=[409, 412],
    rate=RATE,
)
async def put_application(
    call: Call, id: OpenApplicationInPath, body: ApplicationChange
) -> Response[ApplicationDetail]:
    return stored(await service.replace_application(call, id, body))


FEATURE = Feature(routes=routes.declared)
