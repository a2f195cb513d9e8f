"""Routes for notification categories."""

from balcao.core.access.rules import action, public
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.responses import PUBLIC, Response, stored, with_etag
from balcao.registry.consent.categories import service
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.consent.categories.schemas import Categories, Category, CategoryChanges, CategoryCreation
from balcao.registry.routes import ROUTES

TAGS = ["notification-categories"]
ADMIN = "/admin/notification-categories"
MAY_WRITE = action("categories:write")
# The administrators' list may not be reused without revalidation, so that administrators always see their last change.
REVALIDATED = "private, no-cache"


routes = ROUTES.extend(tags=TAGS, body_limit=SMALL_BODY)


@routes.get(
    "/notification-categories",
    "registry.list_notification_categories",
    public(),
    "Categorias de notificações ativas",
    errors=[304],
    may_lag=True,
)
async def get_active_categories(call: Call) -> Response[Categories]:
    """Devolve as categorias ativas, que o cidadão pode aceitar ou recusar, na ordem de exibição. Operação pública."""
    return with_etag(await service.list_consent_categories(call, inactive=False), call, PUBLIC)


@routes.get(
    ADMIN,
    "registry.list_all_notification_categories",
    MAY_WRITE,
    "Categorias de notificações, também as inativas",
    errors=[304],
)
async def get_all_categories(call: Call) -> Response[Categories]:
    """Devolve todas as categorias, inclusive as desativadas."""
    return with_etag(await service.list_consent_categories(call, inactive=True), call, REVALIDATED)


@routes.post(
    ADMIN,
    "registry.create_notification_category",
    MAY_WRITE,
    "Cria uma categoria de notificações",
    status=201,
    errors=[409],
    example={
        "id": "urban_mobility",
        "name": "Mobilidade urbana",
        "description": "Mudanças no trânsito e no transporte.",
    },
)
async def post_consent_category(call: Call, body: CategoryCreation) -> Response[Category]:
    """Cria uma categoria. O `id` não pode mudar depois. Se ele já existe, mesmo em uma categoria desativada, a resposta
    é 409.
    """
    return stored(await service.create_consent_category(call, body))


@routes.put(
    f"{ADMIN}/{{category_id}}",
    "registry.update_notification_category",
    MAY_WRITE,
    "Altera ou reativa uma categoria de notificações",
    errors=[412],
    example={"description": "Cursos e oficinas com inscrições abertas."},
)
async def put_category(call: Call, category_id: CategoryInPath, body: CategoryChanges) -> Response[Category]:
    """Altera só os campos enviados; `active` verdadeiro reativa a categoria. Exige a ação `categories:write`. Com
    `If-Match`, a resposta é 412 se a categoria mudou desde a leitura.
    """
    return stored(await service.update_category(call, category_id, body))


@routes.delete(
    f"{ADMIN}/{{category_id}}",
    "registry.delete_notification_category",
    MAY_WRITE,
    "Desativa uma categoria de notificações",
    status=204,
    errors=[412],
)
async def deactivate_category(call: Call, category_id: CategoryInPath) -> None:
    """Desativa a categoria: ela deixa de ser oferecida, e as escolhas já feitas são mantidas. Repetir a chamada não
    muda nada.
    """
    await service.deactivate_category(call, category_id)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("registry.notification_category",)))
