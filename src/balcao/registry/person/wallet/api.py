"""Routes of the wallet."""

from balcao.core.access.rules import own, scope
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.person.wallet import service
from balcao.registry.person.wallet.schemas import Wallet

routes = Routes(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/wallet",
    "registry.read_wallet",
    own("citizen:read") | scope(*service.COVERED),
    "Carteira do cidadão: documentos, saúde, assistência social e educação",
    errors=[304, 400, 404],
    description=(
        "Devolve o que documentos, saúde, assistência social e educação têm do cidadão; o que não se conhece vem "
        "nulo. Por escopo, cada sistema recebe só os membros que os seus escopos cobrem."
    ),
)
async def read_wallet(call: Call, cpf: CpfInPath) -> Response[Wallet]:
    """Return the wallet, as far as the caller may see it."""
    return personal(await service.read_wallet(call, cpf), call)
