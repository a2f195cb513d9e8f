"""Routes of the wallet."""

from litestar import Response

from balcao.core.access.rules import own, scope
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import personal
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.wallet import service
from balcao.registry.person.wallet.schemas import Wallet


@operation(
    "GET",
    "/citizen/{cpf:str}/wallet",
    "registry.read_wallet",
    own("citizen:read") | scope(*service.COVERED),
    "Carteira do cidadão: documentos, saúde, assistência social e educação",
    errors=[304, 400, 404],
    tags=["citizen"],
)
async def read_wallet(call: CurrentCall, cpf: CpfInPath) -> Response[Wallet]:
    return personal(await service.read_wallet(call, path_cpf(cpf)), call)


ROUTES = [read_wallet]
