"""Routes for notification preferences."""

from balcao.core.access.rules import own, public
from balcao.core.audit.personal_data import ExportMember, PersonalData, retain_rows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY, SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import PUBLIC, Response, personal, stored, with_etag
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.ledger.schemas import PreferenceHistory
from balcao.registry.consent.preferences import service, store
from balcao.registry.consent.preferences.options import CHANNELS, OPT_OUT_REASONS
from balcao.registry.consent.preferences.schemas import (
    ChoiceBody,
    Preferences,
    PreferencesBody,
)
from balcao.registry.routes import ROUTES

TAGS = ["preferences"]


routes = ROUTES.extend(tags=TAGS, body_limit=FORM_BODY)


@routes.get(
    "/citizen/{cpf}/notification-preferences",
    "registry.read_preferences",
    own("preferences:read"),
    "Preferências de notificação do cidadão",
    errors=[304, 400],
)
async def get_preferences(call: Call, cpf: CpfInPath) -> Response[Preferences]:
    """Devolve a escolha geral e a de cada categoria ativa. Se o cidadão ainda não escolheu, vale o padrão da categoria.
    Ler não grava preferências.
    """
    return personal(await service.read_preferences(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/notification-preferences",
    "registry.change_preferences",
    own("preferences:write"),
    "Altera as preferências de notificação; o que não vem fica como está",
    errors=[412, 422],
    example={"channel": "web", "opt_in": True, "category_opt_ins": {"courses": True}},
)
async def put_preferences(call: Call, cpf: CpfInPath, body: PreferencesBody) -> Response[Preferences]:
    """Altera só o que vem no corpo e devolve as preferências em vigor. Cada mudança de valor entra no histórico. Uma
    categoria desconhecida ou inativa é recusada (422). Com `If-Match`, a resposta é 412 se as preferências mudaram
    desde a leitura.
    """
    return stored(await service.change_preferences(call, cpf, body))


@routes.patch(
    "/citizen/{cpf}/notification-preferences/categories/{category_id}",
    "registry.choose_notification_category",
    own("preferences:write"),
    "Aceita ou recusa uma categoria de notificações",
    errors=[412, 422],
    described_body=ChoiceBody,
    example={"opt_in": False, "channel": "web", "reason": "too_many_messages"},
    body_limit=SMALL_BODY,
)
async def choose_category(
    call: Call, cpf: CpfInPath, category_id: CategoryInPath, content: bytes
) -> Response[Preferences]:
    """Grava a escolha de uma categoria ativa e devolve todas as preferências. Uma categoria desconhecida ou inativa é
    recusada (422) antes da validação do corpo.
    """
    return stored(await service.choose_category(call, cpf, category_id, content))


@routes.get(
    "/citizen/{cpf}/notification-preferences/history",
    "registry.list_preference_history",
    own("preferences:read"),
    "Histórico das preferências de notificação, do mais novo ao mais antigo",
    errors=[304],
)
async def get_history(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[PreferenceHistory]:
    """Devolve uma página das mudanças de preferências, a mais nova primeiro. É a prova do consentimento: os registros
    nunca são alterados e são mantidos mesmo após a anonimização, até cinco anos depois da última mudança.
    """
    return personal(await ledger.read_preference_history(call, cpf, page), call)


@routes.get(
    "/config/channels",
    "registry.list_channels",
    public(),
    "Canais de comunicação recomendados",
    errors=[304],
)
async def get_channels(call: Call) -> Response[list[str]]:
    """Devolve os códigos dos canais que os formulários oferecem, na ordem de exibição. Outros códigos também são
    aceitos. Operação pública.
    """
    return with_etag(list(CHANNELS), call, PUBLIC)


@routes.get(
    "/config/opt-out-reasons",
    "registry.list_opt_out_reasons",
    public(),
    "Motivos oferecidos a quem deixa de receber notificações",
    errors=[304],
    description=(
        "Devolve os códigos dos motivos que os formulários oferecem a quem deixa de receber notificações, na ordem em "
        "que se mostram; texto livre também é aceito. É pública.\n\n"
        + "\n".join(f"- `{code}`: {meaning}." for code, meaning in OPT_OUT_REASONS.items())
    ),
)
async def get_opt_out_reasons(call: Call) -> Response[list[str]]:
    return with_etag(list(OPT_OUT_REASONS), call, PUBLIC)


EXPORTED = ExportMember("preferencias", Preferences, "Preferências de notificação.", 40, store.select_preferences)

FEATURE = Feature(
    routes=routes.declared,
    # Anonymisation does not delete the preferences.
    personal_data=PersonalData(
        "preferences",
        [EXPORTED],
        retain=retain_rows("preferences", store.count_preference_rows, ledger.PROOF_OF_CONSENT),
        tables=["registry.preferences", "registry.preference_choice"],
    ),
    exports=Exports(tables=("registry.preferences", "registry.preference_choice")),
)
