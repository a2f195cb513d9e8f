"""Routes of the notification preferences."""

from typing import Any

from litestar import Request, Response
from litestar.params import JSONBody

from balcao.core.access.rules import own, public
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.paging import PageQuery, page_of
from balcao.core.http.responses import PUBLIC, personal, stored, with_etag
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
from balcao.registry.paths import CpfInPath, path_cpf

TAGS = ["preferences"]


@operation(
    "GET",
    "/citizen/{cpf:str}/notification-preferences",
    "registry.read_preferences",
    own("preferences:read"),
    "Preferências de notificação do cidadão",
    errors=[304, 400],
    tags=TAGS,
)
async def read_preferences(call: CurrentCall, cpf: CpfInPath) -> Response[Preferences]:
    return personal(await service.read_preferences(call, path_cpf(cpf)), call)


@operation(
    "PUT",
    "/citizen/{cpf:str}/notification-preferences",
    "registry.change_preferences",
    own("preferences:write"),
    "Altera as preferências de notificação; o que não vem fica como está",
    errors=[400, 412, 422],
    body=PreferencesBody,
    tags=TAGS,
)
async def change_preferences(
    call: CurrentCall, cpf: CpfInPath, data: JSONBody[PreferencesBody]
) -> Response[Preferences]:
    return stored(await service.change_preferences(call, path_cpf(cpf), data))


@operation(
    "PATCH",
    "/citizen/{cpf:str}/notification-preferences/categories/{category_id:str}",
    "registry.choose_notification_category",
    own("preferences:write"),
    "Aceita ou recusa uma categoria de notificações",
    errors=[400, 412, 413, 422],
    describes_body=ChoiceBody,
    tags=TAGS,
)
async def choose_category(
    call: CurrentCall, cpf: CpfInPath, category_id: CategoryInPath, request: Request[Any, Any, Any]
) -> Response[Preferences]:
    return stored(await service.choose_category(call, path_cpf(cpf), category_id, await request.body()))


@operation(
    "GET",
    "/citizen/{cpf:str}/notification-preferences/history",
    "registry.list_preference_history",
    own("preferences:read"),
    "Histórico das preferências de notificação, do mais novo ao mais antigo",
    errors=[304, 400],
    query=PageQuery,
    tags=TAGS,
)
async def list_history(
    call: CurrentCall, cpf: CpfInPath, request: Request[Any, Any, Any]
) -> Response[PreferenceHistory]:
    return personal(await ledger.read_history(call, path_cpf(cpf), page_of(request)), call)


@operation(
    "GET",
    "/config/channels",
    "registry.list_channels",
    public(),
    "Canais de comunicação recomendados",
    errors=[304],
    tags=TAGS,
)
async def list_channels(call: CurrentCall) -> Response[Channels]:
    return with_etag(CHANNELS, call, PUBLIC)


@operation(
    "GET",
    "/config/opt-out-reasons",
    "registry.list_opt_out_reasons",
    public(),
    "Motivos oferecidos a quem deixa de receber notificações",
    errors=[304],
    tags=TAGS,
)
async def list_opt_out_reasons(call: CurrentCall) -> Response[OptOutReasons]:
    return with_etag(OPT_OUT_REASONS, call, PUBLIC)


ROUTES = [read_preferences, change_preferences, choose_category, list_history, list_channels, list_opt_out_reasons]
