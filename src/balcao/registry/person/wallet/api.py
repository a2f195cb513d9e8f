"""Routes of the wallet."""

from balcao.core.access.rules import own, scope
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, personal
from balcao.registry.paths import CpfInPath
from balcao.registry.person.wallet import service
from balcao.registry.person.wallet.schemas import Wallet

routes = Routes(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/wallet",
    "registry.read_wallet",
    own("citizen:read") | scope(*service.COVERED),
    "Carteira do cidadão: documentos, saúde, assistência social e educação",
    errors=[304, 400, 404],
)
async def read_wallet(call: Call, cpf: CpfInPath) -> Response[Wallet]:
    return personal(await service.read_wallet(call, cpf), call)
