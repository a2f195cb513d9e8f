"""Routes for the CRM proxies."""

from balcao.core.access.rules import authenticated, own
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import PERSONAL, Response, personal, to_json
from balcao.registry.crm.login.schemas import Cidadao, CidadaoConsent
from balcao.registry.crm.proxies import anonymisation, consents, service
from balcao.registry.crm.proxies.paths import NumberInPath
from balcao.registry.crm.proxies.schemas import AnonymisationStatus, CrmConsentBody, CrmExport, FiledAnonymisation
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"], body_limit=FORM_BODY)


@routes.get(
    "/crm/cidadao/{cpf}",
    "registry.read_crm_account",
    own("crm:read"),
    "Cadastro do cidadão como o CRM o tem agora",
    calls_crm=True,
    errors=[304, 400, 502],
)
async def get_crm_account(call: Call, cpf: CpfInPath) -> Response[Cidadao]:
    """Lê a conta do cidadão no CRM neste momento. Os dados opcionais que o CRM não tem são omitidos. Disponível para o
    próprio cidadão e para quem tem a ação `crm:read`; 404 se não há conta no CRM.
    """
    return personal(await service.read_account(call, cpf), call)


@routes.patch(
    "/crm/cidadao/{cpf}/consentimento",
    "registry.change_crm_consent",
    own("crm:write"),
    "Dá ou retira um consentimento no CRM",
    calls_crm=True,
    example={"categoria": "saude", "acao": "optin", "canal": "email", "finalidade": "Campanhas de saúde"},
    errors=[502],
)
async def patch_crm_consent(call: Call, cpf: CpfInPath, body: CrmConsentBody) -> CidadaoConsent:
    """Dá (`optin`) ou retira (`optout`, com `motivo`) um consentimento no CRM e devolve o consentimento gravado.
    Disponível para o próprio cidadão e para quem tem a ação `crm:write`.
    """
    return await consents.change_consent(call, cpf, body)


@routes.get(
    "/crm/cidadao/{cpf}/exportar",
    "registry.export_crm_account",
    own("citizen:export"),
    "Tudo o que o CRM tem do cidadão",
    calls_crm=True,
    errors=[400, 502],
)
async def export_crm_account(call: Call, cpf: CpfInPath) -> Response[CrmExport]:
    """Lê do CRM, neste momento, a conta, os consentimentos, os protocolos, as ligações e as ordens de serviço do
    cidadão. Disponível para o próprio cidadão e para quem tem a ação `citizen:export`. A exportação é registrada na
    trilha de auditoria.
    """
    return to_json(await service.export_account(call, cpf), headers={"Cache-Control": PERSONAL})


@routes.post(
    "/crm/cidadao/{cpf}/anonimizar",
    "registry.request_crm_anonymisation",
    own("citizen:anonymise"),
    "Pede ao CRM a anonimização do cidadão; a resposta 409 traz o pedido que já está aberto",
    calls_crm=True,
    status=202,
    errors=[400, 409, 502],
    same_body=[409],
)
async def request_crm_anonymisation(call: Call, cpf: CpfInPath) -> Response[FiledAnonymisation]:
    """Abre no CRM uma solicitação de anonimização. O CRM a executa e informa a conclusão por um evento. Cada pessoa só
    pode ter uma solicitação aberta: a resposta 409 traz a que já existe. Disponível para o próprio cidadão e para quem
    tem a ação `citizen:anonymise`.
    """
    headers = {"Cache-Control": PERSONAL}
    try:
        return to_json(await anonymisation.file_anonymisation(call, cpf), status=202, headers=headers)
    except anonymisation.RequestOpen as refused:
        return to_json(refused.request, status=refused.status, headers=headers | {"Error-Code": refused.code})


@routes.get(
    "/crm/anonimizacao/{numero}",
    "registry.read_crm_anonymisation",
    authenticated().testing("crm:read"),
    "Andamento de uma solicitação de anonimização",
    calls_crm=True,
    errors=[304, 502],
)
async def get_crm_anonymisation(call: Call, numero: NumberInPath) -> Response[AnonymisationStatus]:
    """Lê do CRM o andamento de uma solicitação. Podem vê-la a própria pessoa e quem tem a ação `crm:read`; para os
    demais a resposta é 404, como para um número que não existe.
    """
    return personal(await anonymisation.read_anonymisation(call, numero), call)


FEATURE = Feature(routes=routes.declared)
