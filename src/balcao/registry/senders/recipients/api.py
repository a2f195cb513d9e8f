"""Routes for senders: check recipients, and list the mailings for which recipients were checked."""

from datetime import timedelta

from balcao.core.access.rules import action, client, scope
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.routes import ROUTES
from balcao.registry.senders.recipients import service, store
from balcao.registry.senders.recipients.schemas import Campaigns, CheckedRecipients, RecipientsCheck

SCOPE = "rmi:consentimento:check"
# How long the records of checked people are retained. Until then, checking a person again for the same mailing adds no
# second audit event.
REMEMBERED = timedelta(days=90)

routes = ROUTES.extend(tags=["senders"], body_limit=FORM_BODY)


@routes.post(
    "/notification-categories/{category_id}/recipients/check",
    "registry.check_recipients",
    scope(SCOPE) | client("BALCAO_PLATFORM_CLIENTS"),
    "Quais destinatários aceitam um envio",
    errors=[409, 422],
    example={"purpose": "public_campaign", "campaign": "gripe-2026", "cpfs": ["90000000175", "90000000256"]},
    rate="10/second",
    idempotent=True,
)
async def check_recipients(
    call: Call, category_id: CategoryInPath, body: RecipientsCheck
) -> Response[CheckedRecipients]:
    """Responde, para até 1000 CPFs (e-mail) ou telefones (mensagem), quem aceita receber o envio, com os registros que
    provam a escolha. Consulte logo antes de cada envio: uma recusa vale na consulta seguinte.

    Quem recusou e quem o registro não conhece têm a mesma resposta. Cada pessoa vê a consulta em "quem viu os meus
    dados", uma vez por envio. Cada cliente tem uma cota de destinatários, uma cota menor de destinatários que não
    aceitam e uma cota de envios novos por dia (429). A finalidade de um envio não muda (409). Uma categoria
    desconhecida ou inativa é recusada (422). É só para sistemas, com o escopo `rmi:consentimento:check`.
    """
    return to_json(await service.check_recipients(call, category_id, body), headers={"Cache-Control": PERSONAL})


@routes.get(
    "/admin/campaigns",
    "registry.list_campaigns",
    action("audit:read"),
    "Os envios para os quais se consultaram destinatários",
)
async def get_campaigns(call: Call, page: PageInQuery) -> Campaigns:
    """Devolve os envios, o mais novo primeiro, com quem enviou, a finalidade e quantas pessoas foram consultadas. O
    número é o que a pessoa vê em "quem viu os meus dados".
    """
    return await service.list_campaigns(call, page)


FEATURE = Feature(
    routes=routes.declared,
    retention=[
        OldRows("campaign_person", store.count_campaign_people, store.delete_old_campaign_people, REMEMBERED),
        OldRows("campaign", store.count_campaigns, store.delete_old_campaigns, "5 years"),
    ],
    exports=Exports(tables=("registry.campaign",), derived=("registry.campaign_person",)),
)
