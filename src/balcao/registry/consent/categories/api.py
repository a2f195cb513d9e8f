"""Routes of the notification categories."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import action, public
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import PUBLIC, stored, with_etag
from balcao.registry.consent.categories import service
from balcao.registry.consent.categories.paths import CategoryInPath
from balcao.registry.consent.categories.schemas import Categories, Category, CategoryChanges, NewCategory

TAGS = ["notification-categories"]
ADMIN = "/admin/notification-categories"
KEEPERS = action("categories:write")
# For its keepers a list is never older than its last change.
REVALIDATED = "private, no-cache"


@operation(
    "GET",
    "/notification-categories",
    "registry.list_notification_categories",
    public(),
    "Categorias de notificações ativas",
    errors=[304],
    tags=TAGS,
)
async def list_active(call: CurrentCall) -> Response[Categories]:
    return with_etag(await service.list_active(call), call, PUBLIC)


@operation(
    "GET",
    ADMIN,
    "registry.list_all_notification_categories",
    KEEPERS,
    "Categorias de notificações, também as inativas",
    errors=[304],
    tags=TAGS,
)
async def list_all(call: CurrentCall) -> Response[Categories]:
    return with_etag(await service.list_all(call), call, REVALIDATED)


@operation(
    "POST",
    ADMIN,
    "registry.create_notification_category",
    KEEPERS,
    "Cria uma categoria de notificações",
    status=201,
    errors=[400, 409],
    body=NewCategory,
    tags=TAGS,
)
async def create(call: CurrentCall, data: JSONBody[NewCategory]) -> Response[Category]:
    return stored(await service.create(call, data))


@operation(
    "PUT",
    f"{ADMIN}/{{category_id:str}}",
    "registry.update_notification_category",
    KEEPERS,
    "Altera ou reativa uma categoria de notificações",
    errors=[400, 404, 412],
    body=CategoryChanges,
    tags=TAGS,
)
async def update(call: CurrentCall, category_id: CategoryInPath, data: JSONBody[CategoryChanges]) -> Response[Category]:
    return stored(await service.update(call, category_id, data))


@operation(
    "DELETE",
    f"{ADMIN}/{{category_id:str}}",
    "registry.delete_notification_category",
    KEEPERS,
    "Desativa uma categoria de notificações",
    status=204,
    errors=[404, 412],
    tags=TAGS,
)
async def deactivate(call: CurrentCall, category_id: CategoryInPath) -> None:
    await service.deactivate(call, category_id)


ROUTES = [list_active, list_all, create, update, deactivate]
