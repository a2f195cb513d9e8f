"""Routes for avatars."""

from typing import Annotated

from msgspec import Meta

from balcao.core.access.rules import action, own, public
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageQuery, parse_menu_page
from balcao.core.http.parameters import CpfInPath, InQuery
from balcao.core.http.responses import PUBLIC, Response, personal, stored, with_etag
from balcao.core.values.page import Page
from balcao.registry.person.avatars import service
from balcao.registry.person.avatars.paths import AvatarInPath
from balcao.registry.person.avatars.pictures import PNG, SVG, respond_picture
from balcao.registry.person.avatars.schemas import (
    Avatar,
    AvatarChoice,
    AvatarChoiceBody,
    AvatarCreation,
    Avatars,
    ExportedAvatar,
)
from balcao.registry.person.settings.store import erase_chosen_avatar
from balcao.registry.routes import ROUTES

TAGS = ["avatars"]
PER_PAGE = 20


class AvatarQuery(PageQuery):
    """The page query for the avatar list, which has its own default page size."""

    per_page: Annotated[
        int, Meta(ge=1, description="Itens por página; acima de 100 vale 100.", examples=[PER_PAGE])
    ] = PER_PAGE


AvatarPageInQuery = Annotated[Page, InQuery(lambda query: parse_menu_page(query, PER_PAGE), AvatarQuery)]


routes = ROUTES.extend(tags=TAGS, body_limit=SMALL_BODY)


@routes.get(
    "/avatars",
    "registry.list_avatars",
    public(),
    "Avatares oferecidos",
    errors=[304],
    may_lag=True,
)
async def get_active_avatars(call: Call, page: AvatarPageInQuery) -> Response[Avatars]:
    """Devolve uma página dos avatares que o cidadão pode escolher, em ordem de nome. Operação pública."""
    return with_etag(await service.list_active_avatars(call, page), call, PUBLIC)


@routes.get(
    "/avatars/{avatar_id}/image",
    "registry.read_avatar_image",
    public(),
    "A figura de um avatar que acompanha o programa",
    errors=[304],
    media_types=[PNG, SVG],
    may_lag=True,
)
async def get_image(call: Call, avatar_id: AvatarInPath) -> Response[bytes]:
    """Devolve a imagem de um avatar que acompanha a plataforma, mesmo que ele não seja mais oferecido: PNG de 256 x 256
    pixels, ou SVG se `Accept` pede `image/svg+xml`. Operação pública; 404 se a imagem do avatar fica em outro endereço.
    """
    return respond_picture(await service.find_avatar_image(call, avatar_id), call)


@routes.post(
    "/avatars",
    "registry.create_avatar",
    action("avatars:write"),
    "Oferece mais um avatar",
    status=201,
    example={"name": "Capivara", "url": "https://figuras.cidade.example/capivara.svg"},
)
async def post_avatar(call: Call, body: AvatarCreation) -> Response[Avatar]:
    """Oferece um avatar cuja imagem fica em outro endereço `https://`."""
    return stored(await service.create_avatar(call, body))


@routes.delete(
    "/avatars/{avatar_id}",
    "registry.delete_avatar",
    action("avatars:write"),
    "Deixa de oferecer um avatar e o retira de quem o escolheu",
    status=204,
)
async def deactivate_avatar(call: Call, avatar_id: AvatarInPath) -> None:
    """Deixa de oferecer o avatar e o retira de quem o escolheu. Repetir a chamada não muda nada."""
    await service.deactivate_avatar(call, avatar_id)


@routes.get(
    "/citizen/{cpf}/avatar",
    "registry.read_avatar_choice",
    own("citizen:read"),
    "O avatar do cidadão",
    errors=[304, 400],
)
async def get_avatar_choice(call: Call, cpf: CpfInPath) -> Response[AvatarChoice]:
    """Devolve o avatar que o cidadão escolheu. Os dois campos são nulos se não há escolha ou se o avatar deixou de ser
    oferecido.
    """
    return personal(await service.read_avatar_choice(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/avatar",
    "registry.choose_avatar",
    own("citizen:write"),
    "Escolhe ou retira o avatar do cidadão",
)
async def choose_avatar(call: Call, cpf: CpfInPath, body: AvatarChoiceBody) -> Response[AvatarChoice]:
    """Grava o avatar escolhido, ou retira a escolha se `avatar_id` é nulo. A resposta é 404 se o avatar não existe ou
    não é mais oferecido.
    """
    return stored(await service.choose_avatar(call, cpf, body))


EXPORTED = ExportMember(
    "avatar", ExportedAvatar | None, "O avatar escolhido; nulo sem escolha.", 90, service.read_exported_choice
)

PERSONAL_DATA = PersonalData("avatars", [EXPORTED], erase_rows("avatar", erase_chosen_avatar, ["avatar_id"]))

FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    exports=Exports(tables=("registry.avatar",)),
)
