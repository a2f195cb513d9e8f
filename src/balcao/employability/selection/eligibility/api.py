"""Routes for eligibility."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import Response, personal
from balcao.employability.hiring.paths import PublishedJobInPath
from balcao.employability.routes import ROUTES
from balcao.employability.selection.eligibility import service
from balcao.employability.selection.eligibility.schemas import Eligibility

routes = ROUTES.extend(tags=["applications"])


@routes.get(
    "/api/v1/empregabilidade/vagas/{id}/elegibilidade",
    "employability.read_eligibility",
    authenticated(),
    "Se quem chama pode candidatar-se a uma vaga",
    errors=[304, 400],
)
async def get_eligibility(call: Call, person: CallersCpf, id: PublishedJobInPath) -> Response[Eligibility]:
    """Devolve tudo o que uma vaga publicada exige e se quem chama atende. Nada é gravado. Se um critério depende do
    cadastro da cidade e ele não responde, a resposta é 503. O token precisa identificar uma pessoa.
    """
    owner = call.as_owner()
    return personal(await service.read_eligibility(owner, person, id), owner)


FEATURE = Feature(routes=routes.declared)
