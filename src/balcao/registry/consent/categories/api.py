"""Routes of the notification categories."""

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
# Administrators must always see their last change, so their list is revalidated on every use.
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
    """Devolve as categorias que o cidadão pode aceitar ou recusar, na ordem em que se mostram. É pública."""
    return with_etag(await service.list_consent_categories(call, inactive=False), call, PUBLIC)


@routes.get(
    ADMIN,
    "registry.list_all_notification_categories",
    MAY_WRITE,
    "Categorias de notificações, também as inativas",
    errors=[304],
)
async def get_all_categories(call: Call) -> Response[Categories]:
    """Devolve todas as categorias, também as desativadas."""
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
    """Cria uma categoria; o `id` não muda depois, e o de uma categoria desativada continua tomado (409)."""
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
    """Altera os membros enviados; `active` verdadeiro reativa. Exige a ação `categories:write`; com `If-Match`, só vale
    sobre o estado lido (412).
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
    """Desativa a categoria: ela deixa de ser oferecida, e as escolhas feitas ficam guardadas. Repetir nada muda."""
    await service.deactivate_category(call, category_id)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("registry.notification_category",)))
