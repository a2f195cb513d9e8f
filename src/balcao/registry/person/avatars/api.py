"""Routes of the avatars."""

from typing import Annotated

import msgspec

from balcao.core.access.rules import action, own, public
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import MOST_PER_PAGE, Page, PageQuery, parse_page
from balcao.core.http.parameters import InQuery
from balcao.core.http.responses import PUBLIC, Response, personal, stored, with_etag
from balcao.registry.paths import CpfInPath
from balcao.registry.person.avatars import service
from balcao.registry.person.avatars.paths import AvatarInPath
from balcao.registry.person.avatars.pictures import SVG, picture
from balcao.registry.person.avatars.schemas import Avatar, AvatarChoice, AvatarChoiceBody, Avatars, NewAvatar

TAGS = ["avatars"]
PER_PAGE = 20


class AvatarQuery(PageQuery):
    per_page: Annotated[int, msgspec.Meta(ge=1, le=MOST_PER_PAGE)] = PER_PAGE


AvatarPageInQuery = Annotated[Page, InQuery(lambda query: parse_page(query, PER_PAGE), AvatarQuery)]


routes = Routes(tags=TAGS)


@routes.get(
    "/avatars",
    "registry.list_avatars",
    public(),
    "Avatares oferecidos",
    errors=[304, 400],
)
async def list_active(call: Call, page: AvatarPageInQuery) -> Response[Avatars]:
    return with_etag(await service.list_active(call, page), call, PUBLIC)


@routes.get(
    "/avatars/{avatar_id}/image",
    "registry.read_avatar_image",
    public(),
    "A figura de um avatar que acompanha o programa",
    errors=[304, 404],
    media_type=SVG,
)
async def read_image(call: Call, avatar_id: AvatarInPath) -> Response[bytes]:
    return picture(await service.image_of(call, avatar_id), call)


@routes.post(
    "/avatars",
    "registry.create_avatar",
    action("avatars:write"),
    "Oferece mais um avatar",
    status=201,
    errors=[400],
)
async def create(call: Call, body: NewAvatar) -> Response[Avatar]:
    return stored(await service.create(call, body))


@routes.delete(
    "/avatars/{avatar_id}",
    "registry.delete_avatar",
    action("avatars:write"),
    "Deixa de oferecer um avatar e o retira de quem o escolheu",
    status=204,
    errors=[404],
)
async def deactivate(call: Call, avatar_id: AvatarInPath) -> None:
    await service.deactivate(call, avatar_id)


@routes.get(
    "/citizen/{cpf}/avatar",
    "registry.read_avatar_choice",
    own("citizen:read"),
    "O avatar do cidadão",
    errors=[304, 400],
)
async def read_choice(call: Call, cpf: CpfInPath) -> Response[AvatarChoice]:
    return personal(await service.read_choice(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/avatar",
    "registry.choose_avatar",
    own("citizen:write"),
    "Escolhe ou retira o avatar do cidadão",
    errors=[400, 404],
)
async def choose(call: Call, cpf: CpfInPath, body: AvatarChoiceBody) -> Response[AvatarChoice]:
    return stored(await service.choose(call, cpf, body))
