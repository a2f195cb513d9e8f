"""Routes of the avatars."""

from typing import Annotated

from msgspec import Meta

from balcao.core.access.rules import action, own, public
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.paging import Page, PageQuery, parse_menu_page
from balcao.core.http.parameters import CpfInPath, InQuery
from balcao.core.http.responses import PUBLIC, Response, personal, stored, with_etag
from balcao.registry.person.avatars import service
from balcao.registry.person.avatars.paths import AvatarInPath
from balcao.registry.person.avatars.pictures import PNG, SVG, respond_picture
from balcao.registry.person.avatars.schemas import Avatar, AvatarChoice, AvatarChoiceBody, Avatars, NewAvatar

TAGS = ["avatars"]
PER_PAGE = 20


class AvatarQuery(PageQuery):
    """The page, with a default of its own."""

    per_page: Annotated[
        int, Meta(ge=1, description="Itens por página; acima de 100 vale 100.", examples=[PER_PAGE])
    ] = PER_PAGE


AvatarPageInQuery = Annotated[Page, InQuery(lambda query: parse_menu_page(query, PER_PAGE), AvatarQuery)]


routes = Routes(tags=TAGS, body_limit=SMALL_BODY)


@routes.get(
    "/avatars",
    "registry.list_avatars",
    public(),
    "Avatares oferecidos",
    errors=[304, 400],
    description="Devolve uma página dos avatares que o cidadão pode escolher, por nome. É pública.",
    may_lag=True,
)
async def list_active(call: Call, page: AvatarPageInQuery) -> Response[Avatars]:
    """Return a page of the avatars on offer."""
    return with_etag(await service.list_active(call, page), call, PUBLIC)


@routes.get(
    "/avatars/{avatar_id}/image",
    "registry.read_avatar_image",
    public(),
    "A figura de um avatar que acompanha o programa",
    errors=[304, 404],
    media_types=[PNG, SVG],
    description=(
        "Devolve a figura de um avatar que acompanha a plataforma, oferecido ou não: PNG de 256 x 256 pontos, ou SVG "
        "para quem o pede em `Accept` (`image/svg+xml`). É pública; avatares com endereço próprio não têm figura aqui "
        "(404)."
    ),
    may_lag=True,
)
async def read_image(call: Call, avatar_id: AvatarInPath) -> Response[bytes]:
    """Return the picture of a built-in avatar."""
    return respond_picture(await service.find_image(call, avatar_id), call)


@routes.post(
    "/avatars",
    "registry.create_avatar",
    action("avatars:write"),
    "Oferece mais um avatar",
    status=201,
    errors=[400],
    description="Oferece um avatar cuja figura fica em outro endereço `https://`. Exige a ação `avatars:write`.",
    example={"name": "Capivara", "url": "https://figuras.cidade.example/capivara.svg"},
)
async def create(call: Call, body: NewAvatar) -> Response[Avatar]:
    """Add an avatar."""
    return stored(await service.create(call, body))


@routes.delete(
    "/avatars/{avatar_id}",
    "registry.delete_avatar",
    action("avatars:write"),
    "Deixa de oferecer um avatar e o retira de quem o escolheu",
    status=204,
    errors=[404],
    description=(
        "Deixa de oferecer o avatar e o retira de quem o escolheu; repetir nada muda. Exige a ação `avatars:write`."
    ),
)
async def deactivate(call: Call, avatar_id: AvatarInPath) -> None:
    """Stop offering an avatar."""
    await service.deactivate(call, avatar_id)


@routes.get(
    "/citizen/{cpf}/avatar",
    "registry.read_avatar_choice",
    own("citizen:read"),
    "O avatar do cidadão",
    errors=[304, 400],
    description=(
        "Devolve o avatar que o cidadão escolheu; ambos os membros são nulos se não há escolha ou se ele deixou de "
        "ser oferecido."
    ),
)
async def read_choice(call: Call, cpf: CpfInPath) -> Response[AvatarChoice]:
    """Return the avatar that the citizen has chosen."""
    return personal(await service.read_choice(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/avatar",
    "registry.choose_avatar",
    own("citizen:write"),
    "Escolhe ou retira o avatar do cidadão",
    errors=[400, 404],
    description=(
        "Grava o avatar escolhido, ou retira a escolha com `avatar_id` nulo. Um avatar desconhecido ou que não é mais "
        "oferecido dá 404."
    ),
    example={"avatar_id": "019a7f00-0000-7000-8000-000000000001"},
)
async def choose(call: Call, cpf: CpfInPath, body: AvatarChoiceBody) -> Response[AvatarChoice]:
    """Choose an avatar, or none."""
    return stored(await service.choose(call, cpf, body))
