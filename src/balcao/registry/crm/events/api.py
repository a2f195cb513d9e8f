"""Routes for CRM events."""

from datetime import timedelta

from balcao.core.access.rules import action, client
from balcao.core.audit.personal_data import PersonalData, erase_older_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY, UNLIMITED
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.values.period import parse_period
from balcao.core.values.text import clean_parameter
from balcao.registry.crm.events import event_parser, service, store
from balcao.registry.crm.events.jobs import JOBS
from balcao.registry.crm.events.schemas import Acknowledgement, CrmEventPage, EventQuery, WebhookBody
from balcao.registry.crm.events.store import EventFilters
from balcao.registry.paths import parse_query_cpf
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"])


@routes.post(
    "/webhooks/crm/cidadao",
    "registry.receive_crm_event",
    client("CRM_WEBHOOK_CLIENTS"),
    "Recebe uma alteração ou anonimização vinda do CRM",
    status=202,
    described_body=WebhookBody,
    example={
        "cpf": "90000000175",
        "evento": "atualizacao",
        "updatedAt": "2026-03-01T12:00:00Z",
        "dados": {"nomeExibicao": "Ana", "telefonePrincipal": "+5521999990000", "idioma": ["Português"]},
    },
    body_limit=event_parser.BODY_LIMIT,
    rate=UNLIMITED,
    in_maintenance=True,
    too_large=lambda: Invalid(f"O corpo passa de {event_parser.BODY_LIMIT} bytes.", code="body-too-large"),
    ready=service.require_events_configured,
    idempotent=True,
)
async def receive_crm_event(call: Call, content: bytes) -> Acknowledgement:
    """Recebe do CRM o aviso de que o cadastro de uma pessoa mudou ou deve ser anonimizado. A resposta 202 significa que
    o evento foi gravado e será aplicado em seguida, na ordem de `updatedAt`, não na de chegada. Repetir o mesmo evento
    não muda nada. Só os clientes de `CRM_WEBHOOK_CLIENTS` podem chamar.
    """
    return await service.accept_event(call, content)


@routes.get(
    "/admin/crm/events",
    "registry.list_crm_events",
    action("crm:read"),
    "Eventos recebidos do CRM, sem os seus dados",
    concerns_people=True,
    query=EventQuery,
    body_limit=FORM_BODY,
)
async def get_crm_events(call: Call, query: Query, page: PageInQuery) -> CrmEventPage:
    """Devolve uma página dos eventos recebidos, do mais novo ao mais antigo, com o CPF mascarado e sem os dados. Aceita
    filtros por pessoa, chamada ou período. Exige a ação `crm:read`. A busca por uma pessoa é registrada na trilha de
    auditoria.
    """
    period = parse_period(query, call.zone)
    filters = EventFilters(
        parse_query_cpf(query), clean_parameter(query, "request_id", longest=200), period.start, period.end
    )
    return await service.list_crm_events(call, filters, page)


# The first rule erases only the payloads of dead events. The second deletes the events themselves, applied or dead.
RETENTION = [
    OldRows("crm_event_payload", store.count_event_payloads, store.erase_old_event_payloads, timedelta(days=30)),
    OldRows("crm_event", store.count_crm_events, store.delete_old_crm_events, timedelta(days=90)),
    OldRows("crm_event_repeat", store.count_repeats, store.delete_old_repeats, timedelta(days=90)),
]

FEATURE = Feature(
    routes=routes.declared,
    jobs=JOBS,
    retention=RETENTION,
    personal_data=PersonalData(
        "crm_events",
        erase=erase_older_rows("pending_events", store.erase_covered_events, ["dados"]),
        by_event=True,
        tables=["registry.crm_event"],
    ),
    dead_jobs=[
        DeadJobs(store.EVENT_JOB, "event", store.find_event_subjects, store.list_waiting_event_ids, store.give_up_event)
    ],
    exports=Exports(tables=("registry.crm_event", "registry.crm_event_repeat")),
)
