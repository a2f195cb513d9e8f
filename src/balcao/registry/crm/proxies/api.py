"""Routes of the CRM proxies."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import authenticated, own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import PERSONAL, personal
from balcao.registry.crm.login.schemas import Cidadao, CidadaoConsent
from balcao.registry.crm.proxies import anonymisation, consents, service
from balcao.registry.crm.proxies.paths import NumberInPath
from balcao.registry.crm.proxies.schemas import AnonymisationStatus, CrmConsentBody, CrmExport, FiledAnonymisation
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/crm/cidadao/{cpf:str}",
    "registry.read_crm_account",
    own("crm:read"),
    "Cadastro do cidadão como o CRM o tem agora",
    errors=[304, 400, 502],
    tags=["crm"],
)
async def read_crm_account(call: CurrentCall, cpf: CpfInPath) -> Response[Cidadao]:
    return personal(await service.read_account(call, path_cpf(cpf)), call)


@operation(
    "PATCH",
    "/crm/cidadao/{cpf:str}/consentimento",
    "registry.change_crm_consent",
    own("crm:write"),
    "Dá ou retira um consentimento no CRM",
    errors=[400, 502],
    body=CrmConsentBody,
    tags=["crm"],
)
async def change_crm_consent(call: CurrentCall, cpf: CpfInPath, data: JSONBody[CrmConsentBody]) -> CidadaoConsent:
    return await consents.change(call, path_cpf(cpf), data)


@operation(
    "GET",
    "/crm/cidadao/{cpf:str}/exportar",
    "registry.export_crm_account",
    own("citizen:export"),
    "Tudo o que o CRM tem do cidadão",
    errors=[400, 502],
    tags=["crm"],
)
async def export_crm_account(call: CurrentCall, cpf: CpfInPath) -> Response[CrmExport]:
    return Response(await service.export(call, path_cpf(cpf)), headers={"Cache-Control": PERSONAL})


@operation(
    "POST",
    "/crm/cidadao/{cpf:str}/anonimizar",
    "registry.request_crm_anonymisation",
    own("citizen:anonymise"),
    "Pede ao CRM a anonimização do cidadão; a resposta 409 traz o pedido que já está aberto",
    status=202,
    errors=[400, 409, 502],
    tags=["crm"],
)
async def request_crm_anonymisation(call: CurrentCall, cpf: CpfInPath) -> Response[FiledAnonymisation]:
    filing = await anonymisation.file(call, path_cpf(cpf))
    headers = {"Cache-Control": PERSONAL} | ({"Error-Code": "request-open"} if filing.was_open else {})
    return Response(filing.request, status_code=409 if filing.was_open else 202, headers=headers)


@operation(
    "GET",
    "/crm/anonimizacao/{numero:str}",
    "registry.read_crm_anonymisation",
    authenticated().testing("crm:read"),
    "Andamento de uma solicitação de anonimização",
    errors=[304, 502],
    tags=["crm"],
)
async def read_crm_anonymisation(call: CurrentCall, numero: NumberInPath) -> Response[AnonymisationStatus]:
    return personal(await anonymisation.read(call, numero), call)


ROUTES = [
    read_crm_account,
    change_crm_consent,
    export_crm_account,
    request_crm_anonymisation,
    read_crm_anonymisation,
]
