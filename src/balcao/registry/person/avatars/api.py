"""Routes of the avatars."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.params import JSONBody

from balcao.core.access.rules import action, own, public
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.paging import MOST_PER_PAGE, PageQuery, page_of
from balcao.core.http.responses import PUBLIC, personal, stored, with_etag
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.avatars import service
from balcao.registry.person.avatars.paths import AvatarInPath
from balcao.registry.person.avatars.pictures import SVG, picture
from balcao.registry.person.avatars.schemas import Avatar, AvatarChoice, AvatarChoiceBody, Avatars, NewAvatar

TAGS = ["avatars"]
PER_PAGE = 20


class AvatarQuery(PageQuery):
    per_page: Annotated[int, msgspec.Meta(ge=1, le=MOST_PER_PAGE)] = PER_PAGE


@operation(
    "GET",
    "/avatars",
    "registry.list_avatars",
    public(),
    "Avatares oferecidos",
    errors=[304, 400],
    query=AvatarQuery,
    tags=TAGS,
)
async def list_active(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[Avatars]:
    return with_etag(await service.list_active(call, page_of(request, PER_PAGE)), call, PUBLIC)


@operation(
    "GET",
    "/avatars/{avatar_id:str}/image",
    "registry.read_avatar_image",
    public(),
    "A figura de um avatar que acompanha o programa",
    errors=[304, 404],
    media_type=SVG,
    tags=TAGS,
)
async def read_image(call: CurrentCall, avatar_id: AvatarInPath) -> Response[bytes]:
    return picture(await service.image_of(call, avatar_id), call)


@operation(
    "POST",
    "/avatars",
    "registry.create_avatar",
    action("avatars:write"),
    "Oferece mais um avatar",
    status=201,
    errors=[400],
    body=NewAvatar,
    tags=TAGS,
)
async def create(call: CurrentCall, data: JSONBody[NewAvatar]) -> Response[Avatar]:
    return stored(await service.create(call, data))


@operation(
    "DELETE",
    "/avatars/{avatar_id:str}",
    "registry.delete_avatar",
    action("avatars:write"),
    "Deixa de oferecer um avatar e o retira de quem o escolheu",
    status=204,
    errors=[404],
    tags=TAGS,
)
async def deactivate(call: CurrentCall, avatar_id: AvatarInPath) -> None:
    await service.deactivate(call, avatar_id)


@operation(
    "GET",
    "/citizen/{cpf:str}/avatar",
    "registry.read_avatar_choice",
    own("citizen:read"),
    "O avatar do cidadão",
    errors=[304, 400],
    tags=TAGS,
)
async def read_choice(call: CurrentCall, cpf: CpfInPath) -> Response[AvatarChoice]:
    return personal(await service.read_choice(call, path_cpf(cpf)), call)


@operation(
    "PUT",
    "/citizen/{cpf:str}/avatar",
    "registry.choose_avatar",
    own("citizen:write"),
    "Escolhe ou retira o avatar do cidadão",
    errors=[400, 404],
    body=AvatarChoiceBody,
    tags=TAGS,
)
async def choose(call: CurrentCall, cpf: CpfInPath, data: JSONBody[AvatarChoiceBody]) -> Response[AvatarChoice]:
    return stored(await service.choose(call, path_cpf(cpf), data))


ROUTES = [list_active, read_image, create, deactivate, read_choice, choose]
