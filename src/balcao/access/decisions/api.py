"""Routes of decisions."""

from typing import Annotated, TypeAlias

from balcao.access.conventions import MAX_BODY_BYTES, in_query
from balcao.access.decisions import service
from balcao.access.decisions.schemas import ExplainQuery, Explanation
from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ExplainInQuery: TypeAlias = Annotated[ExplainQuery, in_query(ExplainQuery)]

routes = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)


@routes.get(
    "/api/v1/explain",
    "access.explain_decision",
    authenticated().testing(service.EXPLAIN),
    "Por que uma requisição passa ou não",
    description=(
        "Toma a decisão que todo processo tomaria sobre o método e o caminho e diz por quê: o mapeamento que decide, a "
        "ação que ele exige e os papéis que a dão. Cada um pergunta sobre si; sobre outra pessoa, ou supondo outros "
        "papéis, escopos ou cliente no token, é preciso a ação `decision:explain`."
    ),
    errors=[403, 422],
    rate="120/minute",
)
async def explain_decision(call: Call, query: ExplainInQuery) -> Explanation:
    """Explain a decision."""
    return await service.explain(call, query)
