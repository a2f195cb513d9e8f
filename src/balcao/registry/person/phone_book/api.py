"""Routes for the phone book. No route is public, because knowing a phone number proves nothing about the caller."""

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
# The machine clients that send messages. The list is empty unless the city configures it.
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
    """Devolve se o telefone está ligado a alguém (CPF e nome mascarados), em quarentena ou livre, e se a pessoa aceita
    mensagens nele. Durante e depois da quarentena, quem o tinha antes não aparece. Exige a ação `phones:read`, ou um
    cliente de `BALCAO_MESSENGER_CLIENTS`, que recebe `cpf` e `name` nulos. A leitura é registrada na trilha de
    auditoria.
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
    """Devolve o CPF e o nome mascarados de quem tem o telefone; `found` é falso se ele não está ligado a ninguém. Exige
    a ação `phones:read`.
    """
    return personal(await service.read_phone_citizen(call, number), call)


@routes.post(
    "/phone/{number}/bind",
    "registry.bind_phone",
    authenticated().testing("phones:write") | MESSENGER,
    "Liga um telefone a uma pessoa",
    errors=[409],
)
async def bind_phone(call: Call, number: NumberInPath, body: PhoneBindBody) -> Response[BoundPhone]:
    """Liga o telefone à pessoa. Com o token da própria pessoa, o telefone deve estar livre ou já ser dela. Um telefone
    que consta do cadastro de outra pessoa não está livre. Com a ação `phones:write`, ou por um cliente de
    `BALCAO_MESSENGER_CLIENTS`, a pessoa deve ter confirmado o telefone por código. Nos outros casos a resposta é 409.
    Uma ligação sem confirmação vale 30 dias. Cada pessoa pode ter até três ao mesmo tempo e fazer até dez pedidos por
    hora (429). Um telefone confirmado por código passa a quem o confirmou. A ligação não dá consentimento: para isso há
    `/opt-in`.
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
    """Grava o consentimento de quem tem o telefone, com o canal em que foi dado. Um telefone que está em quarentena, ou
    que não está ligado a essa pessoa, é recusado (409).
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
    """Retira o consentimento para este telefone, seja de quem for. As preferências da pessoa não mudam. O motivo
    `incorrect_person` indica que o número trocou de mãos: a ligação acaba e ele entra em quarentena. Exige a ação
    `phones:write` ou um cliente de `BALCAO_MESSENGER_CLIENTS`.
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
    """Devolve se os dados informados conferem com o registro da cidade, sem diferenciar maiúsculas nem acentos. Não
    mostra nada além do que foi enviado e não grava nada. Há um limite de tentativas por CPF (429). Exige a ação
    `phones:write`. A consulta é registrada na trilha de auditoria.
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
    """Devolve as preferências da pessoa a quem o telefone está ligado, com o CPF mascarado; 404 se ele não está ligado
    a ninguém. Exige a ação `phones:read`.
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
    """Altera as preferências da pessoa a quem o telefone está ligado, como na operação do próprio cidadão; 404 se ele
    não está ligado a ninguém. Cada mudança de valor entra no histórico da pessoa.
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
    """Grava a escolha de uma categoria pela pessoa a quem o telefone está ligado, como na operação do próprio cidadão;
    404 se ele não está ligado a ninguém.
    """
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
    """Desfaz a ligação do telefone com a pessoa e o põe em quarentena. O `status` é `not_found` se ele não estava
    ligado a ela.
    """
    return stored(await service.reject_registration(call, number, body))


@routes.post(
    "/phone/{number}/quarantine",
    "registry.quarantine_phone",
    WRITE,
    "Põe um telefone em quarentena",
    concerns_people=True,
)
async def quarantine_phone(call: Call, number: NumberInPath) -> Response[QuarantineOutcome]:
    """Põe em quarentena um número que pode ter trocado de mãos. A ligação com quem o tinha acaba de vez, e ninguém
    aparece ligado a ele até que a quarentena termine ou alguém o confirme por código.
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
    """Encerra a quarentena. O número fica livre, sem ligação com quem o tinha; 404 se não está em quarentena. Exige a
    ação `phones:write`.
    """
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
    """Devolve uma página dos telefones em quarentena ou, com `expired=true`, dos telefones cuja quarentena terminou há
    até 30 dias.
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
    """Conta as quarentenas em vigor, as que terminaram há até 30 dias e todas as que já houve."""
    async with call.platform.database.connection() as connection:
        return await store.read_quarantine_stats(connection)


# Anonymisation erases the bindings, but retains the entries that prove consent.
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
