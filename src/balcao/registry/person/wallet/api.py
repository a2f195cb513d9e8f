"""Route for the wallet."""

from balcao.core.access.rules import own, scope
from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.person.wallet import service
from balcao.registry.person.wallet.schemas import ImportedWallet, Wallet
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/wallet",
    "registry.read_wallet",
    own("citizen:read") | scope(*service.COVERED),
    "Carteira do cidadão: documentos, saúde, assistência social e educação",
    errors=[304, 400],
)
async def get_wallet(call: Call, cpf: CpfInPath) -> Response[Wallet]:
    """Devolve os documentos do cidadão e os seus dados de saúde, assistência social e educação. Dados desconhecidos vêm
    nulos. Quem lê por escopo só recebe os membros que os seus escopos cobrem.
    """
    return personal(await service.read_wallet(call, cpf), call)


EXPORTED = ExportMember(
    "carteira",
    ImportedWallet | None,
    "A carteira do cidadão: saúde, educação e assistência social.",
    120,
    service.read_imported_wallet,
)

# The wallet is data that the city imported, so the erasure of a person does not delete it.
PERSONAL_DATA = PersonalData("wallet", [EXPORTED])

FEATURE = Feature(routes=routes.declared, personal_data=PERSONAL_DATA)
