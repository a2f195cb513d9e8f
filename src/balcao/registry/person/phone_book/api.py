"""Routes of the phone book. None is public, because knowing a number says nothing about the caller."""

from balcao.core.access.rules import action, authenticated, client
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_older_rows, retain_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY, SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response, personal, stored
from balcao.core.values.flags import parse_flag_parameter
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.consent.ledger.service import PROOF_OF_CONSENT
from balcao.registry.consent.preferences.schemas import ChoiceBody, PreferencesBody
from balcao.registry.person.phone_book import service, store
from balcao.registry.person.phone_book.paths import NumberInPath
from balcao.registry.person.phone_book.schemas import (
    BoundPhone,
    ExportedPhone,
    ExportedPhoneEntry,
    PhoneBindBody,
    PhoneCitizen,
    PhoneOptInBody,
    PhoneOptOutBody,
    PhoneOutcome,
    PhonePreferences,
    PhoneStatus,
    QuarantinedPhones,
    QuarantineOutcome,
    QuarantineQuery,
    QuarantineStats,
    RegistrationBody,
    RegistrationVerdict,
    RejectionBody,
)
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["phones"], body_limit=SMALL_BODY)

READ, WRITE = action("phones:read"), action("phones:write")
# Machines that send messages. There are none unless the city configures them.
MESSENGER = client("BALCAO_MESSENGER_CLIENTS")
ANA = {"cpf": "90000000175", "channel": "whatsapp"}


@routes.get(
    "/phone/{number}/status",
    "registry.read_phone_status",
    READ | MESSENGER,
    "O que se sabe de um telefone",
    errors=[304],
    concerns_people=True,
)
async def get_phone_status(call: Call, number: NumberInPath) -> Response[PhoneStatus]:
    """Diz se o telefone está ligado a alguém (CPF e nome mascarados), em quarentena ou livre, e se a pessoa aceita
    mensagens nele. Durante a quarentena, e depois dela, quem o tinha antes não aparece. Exige a ação `phones:read`; a
    leitura fica na trilha de auditoria. Um cliente de `BALCAO_MESSENGER_CLIENTS` recebe `cpf` e `name` nulos.
    """
    return personal(await service.read_phone_status(call, number), call)


@routes.get(
    "/phone/{number}/citizen",
    "registry.read_phone_citizen",
    READ,
    "A quem um telefone está ligado, com os dados mascarados",
    errors=[304],
    concerns_people=True,
)
async def get_phone_citizen(call: Call, number: NumberInPath) -> Response[PhoneCitizen]:
    """Devolve CPF e nome mascarados de quem tem o telefone; `found` falso se ninguém. Exige `phones:read`."""
    return personal(await service.read_phone_citizen(call, number), call)


@routes.post(
    "/phone/{number}/bind",
    "registry.bind_phone",
    authenticated().testing("phones:write") | MESSENGER,
    "Liga um telefone a uma pessoa",
    errors=[409],
)
async def bind_phone(call: Call, number: NumberInPath, body: PhoneBindBody) -> Response[BoundPhone]:
    """Liga o telefone à pessoa: com o token dela, se o telefone está livre ou já é dela; com a ação `phones:write`, se
    ela o confirmou por código. Senão 409. Não está livre um telefone que consta do cadastro de outra pessoa. Só pela
    palavra da pessoa a ligação vale 30 dias, e no máximo três ao mesmo tempo; até dez pedidos por hora, depois 429.
    Confirmado por código, o telefone fica com quem o confirmou. Não dá consentimento: para isso há `/opt-in`. Um
    cliente de `BALCAO_MESSENGER_CLIENTS` confirma assim que um telefone provado por código é da pessoa; senão 409.
    """
    return stored(await service.bind_phone(call, number, body))


@routes.post(
    "/phone/{number}/opt-in",
    "registry.opt_in_phone",
    WRITE,
    "A pessoa aceita mensagens neste telefone",
    errors=[409],
    concerns_people=True,
)
async def opt_in_phone(call: Call, number: NumberInPath, body: PhoneOptInBody) -> Response[PhoneOutcome]:
    """Grava o consentimento de quem tem o telefone, com o canal em que foi dado. Um telefone que não está ligado a essa
    pessoa, ou em quarentena, é recusado (409).
    """
    return stored(await service.opt_in_phone(call, number, body))


@routes.post(
    "/phone/{number}/opt-out",
    "registry.opt_out_phone",
    WRITE | MESSENGER,
    "Não se querem mais mensagens neste telefone",
    example={"channel": "whatsapp", "reason": "too_many_messages"},
    concerns_people=True,
)
async def opt_out_phone(call: Call, number: NumberInPath, body: PhoneOptOutBody) -> Response[PhoneOutcome]:
    """Retira o consentimento deste telefone, de quem quer que seja; as preferências da pessoa não mudam. O motivo
    `incorrect_person` diz que o número trocou de mãos: a ligação acaba e ele entra em quarentena. Exige `phones:write`
    ou um cliente de `BALCAO_MESSENGER_CLIENTS`.
    """
    return stored(await service.opt_out_phone(call, number, body))


@routes.post(
    "/phone/{number}/validate-registration",
    "registry.validate_phone_registration",
    WRITE,
    "Confere nome, CPF e nascimento com o registro da cidade",
    concerns_people=True,
)
async def validate_phone_registration(
    call: Call, number: NumberInPath, body: RegistrationBody
) -> Response[RegistrationVerdict]:
    """Diz se o que a pessoa informou confere, sem diferença de maiúsculas e acentos; não mostra nada além do que foi
    enviado, e nada grava. Há um limite de tentativas por CPF (429). Exige a ação `phones:write`; fica na trilha de
    auditoria.
    """
    return stored(await service.validate_registration(call, number, body))


@routes.get(
    "/phone/{number}/notification-preferences",
    "registry.read_phone_preferences",
    READ,
    "Preferências de notificação de quem tem o telefone",
    errors=[304],
    concerns_people=True,
)
async def get_phone_preferences(call: Call, number: NumberInPath) -> Response[PhonePreferences]:
    """Devolve as preferências da pessoa a quem o telefone está ligado, com o CPF mascarado; 404 sem ela. Exige
    `phones:read`.
    """
    return personal(await service.read_phone_preferences(call, number), call)


@routes.put(
    "/phone/{number}/notification-preferences",
    "registry.change_phone_preferences",
    WRITE,
    "Altera as preferências de quem tem o telefone; o que não vem fica como está",
    errors=[412, 422],
    body_limit=FORM_BODY,
    example={"channel": "whatsapp", "category_opt_ins": {"courses": True}},
    concerns_people=True,
)
async def put_phone_preferences(call: Call, number: NumberInPath, body: PreferencesBody) -> Response[PhonePreferences]:
    """Como a operação do próprio cidadão, para a pessoa a quem o telefone está ligado; 404 sem ela. Cada mudança real
    fica no histórico dela.
    """
    return stored(await service.change_phone_preferences(call, number, body))


@routes.patch(
    "/phone/{number}/notification-preferences/categories/{category_id}",
    "registry.choose_phone_category",
    WRITE,
    "Aceita ou recusa uma categoria por quem tem o telefone",
    errors=[412, 422],
    described_body=ChoiceBody,
    example={"opt_in": False, "channel": "whatsapp", "reason": "too_many_messages"},
    concerns_people=True,
)
async def choose_phone_category(
    call: Call, number: NumberInPath, category_id: CategoryInPath, content: bytes
) -> Response[PhonePreferences]:
    """Como a operação do próprio cidadão, para a pessoa a quem o telefone está ligado; 404 sem ela."""
    return stored(await service.choose_phone_category(call, number, category_id, content))


@routes.post(
    "/phone/{number}/reject-registration",
    "registry.reject_phone_registration",
    WRITE,
    "Quem tem o telefone não é essa pessoa",
    example=ANA | {"reason": "incorrect_person"},
    concerns_people=True,
)
async def reject_phone_registration(call: Call, number: NumberInPath, body: RejectionBody) -> Response[PhoneOutcome]:
    """Desfaz a ligação do telefone com a pessoa e o põe em quarentena; `not_found` se não estava ligado a ela."""
    return stored(await service.reject_registration(call, number, body))


@routes.post(
    "/phone/{number}/quarantine",
    "registry.quarantine_phone",
    WRITE,
    "Põe um telefone em quarentena",
    concerns_people=True,
)
async def quarantine_phone(call: Call, number: NumberInPath) -> Response[QuarantineOutcome]:
    """Para um número que pode ter trocado de mãos: a ligação com quem o tinha acaba de vez, e ninguém mais aparece por
    ele até que a quarentena termine ou alguém o confirme por código.
    """
    return stored(await service.quarantine_phone(call, number))


@routes.delete(
    "/phone/{number}/quarantine",
    "registry.release_phone",
    WRITE,
    "Encerra a quarentena de um telefone",
    concerns_people=True,
)
async def release_phone(call: Call, number: NumberInPath) -> Response[QuarantineOutcome]:
    """Encerra a quarentena; o número fica livre, sem ligação com quem o tinha. Exige `phones:write`."""
    return stored(await service.release_phone(call, number))


@routes.get(
    "/admin/phone/quarantined",
    "registry.list_quarantined_phones",
    READ,
    "Telefones em quarentena",
    errors=[304],
    query=QuarantineQuery,
    concerns_people=True,
)
async def get_quarantined_phones(call: Call, query: Query, page: PageInQuery) -> Response[QuarantinedPhones]:
    """Devolve uma página dos telefones em quarentena, ou, com `expired=true`, daqueles cuja quarentena terminou há até
    30 dias.
    """
    expired = parse_flag_parameter(query, "expired") or False
    return personal(await service.list_quarantined_phones(call, page, expired=expired), call)


@routes.get(
    "/admin/phone/quarantine/stats",
    "registry.read_quarantine_stats",
    READ,
    "As quarentenas de telefones em números",
)
async def get_quarantine_stats(call: Call) -> QuarantineStats:
    """Conta as quarentenas que valem e as que terminaram há até 30 dias."""
    async with call.platform.database.connection() as connection:
        return await store.read_quarantine_stats(connection)


# An anonymisation erases bindings. The entries that prove consent are retained.
PERSONAL_DATA = PersonalData(
    "phone_book",
    [
        ExportMember(
            "telefones",
            list[ExportedPhone],
            "Telefones ligados ao cidadão, e se ele aceita mensagens neles.",
            52,
            store.list_bound_phones,
        ),
        ExportMember(
            "historico_telefones",
            list[ExportedPhoneEntry],
            "O que se disse por esses telefones: aceites, recusas, quarentenas.",
            54,
            store.list_phone_entries,
        ),
    ],
    erase_older_rows("phone_book", store.unbind_covered_phones, ["number", "cpf"]),
    retain_rows("phone_book_entries", store.count_own_phone_entries, PROOF_OF_CONSENT),
    by_event=True,
    tables=["registry.phone_book", "registry.phone_book_entry"],
)
RETENTION = [
    OldRows("phone_quarantine", store.count_quarantined_phones, store.delete_ended_quarantines),
    OldRows("phone_unproven", store.count_unproven_phones, store.delete_lapsed_phones),
    OldRows("phone_book_entry", store.count_phone_entries, store.delete_old_phone_entries),
]

FEATURE = Feature(
    routes=routes.declared,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    exports=Exports(tables=("registry.phone_book", "registry.phone_book_entry")),
)
