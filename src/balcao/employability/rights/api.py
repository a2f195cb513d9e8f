"""Routes for a person's rights to the data that the job listings store."""

from collections.abc import Iterable

from balcao.core.access.rules import own_only
from balcao.core.audit.personal_data import PersonalData, list_export_members
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, attachment
from balcao.employability.rights import service
from balcao.employability.rights.schemas import JobsExport, make_export_type
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

EXPORT_KEY = "employability.export_data"
BASE = "/api/v1/empregabilidade/curriculo/{cpf}"
FILE_NAME = "dados-das-vagas.json"

routes = ROUTES.extend(tags=["rights"], body_limit=SMALL_BODY)


@routes.get(
    f"{BASE}/exportacao",
    EXPORT_KEY,
    own_only(),
    "Arquivo com tudo o que as vagas guardam da pessoa",
    errors=[400],
)
async def export_data(call: Call, cpf: CpfInPath) -> Response[JobsExport]:
    """Devolve, como anexo JSON, tudo o que este serviço guarda da pessoa que chama, em um mesmo instante. A exportação
    fica na trilha de auditoria e tem um limite de chamadas por pessoa.
    """
    return attachment(await service.export_data(call, cpf), FILE_NAME)


@routes.delete(
    BASE,
    "employability.erase_data",
    own_only(),
    "Apaga o que as vagas guardam da pessoa",
    errors=[400],
    rate="60/minute",
)
async def erase_data(call: Call, cpf: CpfInPath) -> Message:
    """Apaga o currículo, as ligações, os interesses, os bloqueios, a aceitação dos termos e a apresentação da pessoa
    que chama. Retira as candidaturas abertas e apaga o conteúdo de todas: nome, contato, respostas, currículo e
    motivos. Não é possível desfazer; repetir a chamada não muda nada.
    """
    return await service.erase_data(call, cpf)


def make_feature(declarations: Iterable[PersonalData]) -> Feature:
    """Create the feature. `declarations` determine the members of the export."""
    export = make_export_type(list_export_members(declarations))
    return Feature(routes=[one.returning(export) if one.key == EXPORT_KEY else one for one in routes.declared])
