"""Routes of the notification preferences."""

from balcao.core.access.rules import own, public
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.responses import PUBLIC, Response, personal, stored, with_etag
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.ledger.schemas import PreferenceHistory
from balcao.registry.consent.preferences import service
from balcao.registry.consent.preferences.options import CHANNELS, OPT_OUT_REASONS
from balcao.registry.consent.preferences.schemas import (
    Channels,
    ChoiceBody,
    OptOutReasons,
    Preferences,
    PreferencesBody,
)
from balcao.registry.paths import CpfInPath

TAGS = ["preferences"]


routes = Routes(tags=TAGS)


@routes.get(
    "/citizen/{cpf}/notification-preferences",
    "registry.read_preferences",
    own("preferences:read"),
    "Preferências de notificação do cidadão",
    errors=[304, 400],
)
async def read_preferences(call: Call, cpf: CpfInPath) -> Response[Preferences]:
    return personal(await service.read_preferences(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/notification-preferences",
    "registry.change_preferences",
    own("preferences:write"),
    "Altera as preferências de notificação; o que não vem fica como está",
    errors=[400, 412, 422],
)
async def change_preferences(call: Call, cpf: CpfInPath, body: PreferencesBody) -> Response[Preferences]:
    return stored(await service.change_preferences(call, cpf, body))


@routes.patch(
    "/citizen/{cpf}/notification-preferences/categories/{category_id}",
    "registry.choose_notification_category",
    own("preferences:write"),
    "Aceita ou recusa uma categoria de notificações",
    errors=[400, 412, 413, 422],
    described_body=ChoiceBody,
)
async def choose_category(
    call: Call, cpf: CpfInPath, category_id: CategoryInPath, content: bytes
) -> Response[Preferences]:
    return stored(await service.choose_category(call, cpf, category_id, content))


@routes.get(
    "/citizen/{cpf}/notification-preferences/history",
    "registry.list_preference_history",
    own("preferences:read"),
    "Histórico das preferências de notificação, do mais novo ao mais antigo",
    errors=[304, 400],
)
async def list_history(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[PreferenceHistory]:
    return personal(await ledger.read_history(call, cpf, page), call)


@routes.get(
    "/config/channels",
    "registry.list_channels",
    public(),
    "Canais de comunicação recomendados",
    errors=[304],
)
async def list_channels(call: Call) -> Response[Channels]:
    return with_etag(CHANNELS, call, PUBLIC)


@routes.get(
    "/config/opt-out-reasons",
    "registry.list_opt_out_reasons",
    public(),
    "Motivos oferecidos a quem deixa de receber notificações",
    errors=[304],
)
async def list_opt_out_reasons(call: Call) -> Response[OptOutReasons]:
    return with_etag(OPT_OUT_REASONS, call, PUBLIC)
