"""Checks shared by the panel and Minha página: the database, and the OpenID Connect client for the login."""

import httpx

from balcao.core.database.migrations import MigrationError
from balcao.core.database.refusals import DATABASE_DOWN, describe_refusal
from balcao.core.database.roles import RoleError
from balcao.core.errors import Unavailable
from balcao.operate.doctor.checks import DOWN, UP, Part
from balcao.settings import Settings
from balcao.web.database import SurfaceDatabase
from balcao.web.login import find_return_url
from balcao.web.provider import GrantRefused, Provider, ProviderAway

# The provider's error for an unknown code. It means that the provider has accepted the client's credentials.
_CLIENT_ACCEPTED = "invalid_grant"


async def check_database(database: SurfaceDatabase, settings: Settings, url: str) -> Part:
    """Check the surface's role and schema."""
    try:
        await database.check(settings, url)
    except (RoleError, MigrationError) as fault:
        return Part(DOWN, {"database": False}, [str(fault)])
    except Unavailable as fault:
        variable = f"BALCAO_{database.schema.upper()}_DATABASE_URL"
        sentence = describe_refusal(fault) or DATABASE_DOWN
        return Part(DOWN, {"database": False}, [sentence.replace("BALCAO_DATABASE_URL", variable)])
    return Part(UP, {"database": True})


async def check_client(
    provider: Provider, http: httpx.AsyncClient, address: str, prefix: str, client: tuple[str, str, str]
) -> Part:
    """Check a client's secret and return address, without logging in. Raises ProviderAway if the provider is down.

    `client` contains its id, the name for it in sentences, and the prefix of its settings' names.
    """
    name, called, variables = client
    back, problems = find_return_url(address, prefix), []
    try:
        await provider.exchange_code("doctor", back, "doctor", "doctor")
    except GrantRefused as refused:
        is_known = str(refused) == _CLIENT_ACCEPTED
    else:
        is_known = True
    if not is_known:
        problems.append(
            f"O provedor recusou o cliente {called}, {name}: confira {variables}_CLIENT_ID e "
            f"{variables}_CLIENT_SECRET, e se ele é confidencial e tem o fluxo de código de autorização."
        )
    login = await provider.build_login_url(back, "doctor", "doctor", "doctor" * 8)
    leads_back = await _continues_login(f"{login}&prompt=none", http)
    if is_known and not leads_back:
        problems.append(
            f"O provedor não aceita {back} como endereço de retorno do cliente {name}: "
            f"inclua-o nele, letra por letra, ou corrija {variables}_URL ou BALCAO_PUBLIC_URL."
        )
    return Part(DOWN if problems else UP, {"client": is_known, "return_address": leads_back}, problems)


async def _continues_login(address: str, http: httpx.AsyncClient) -> bool:
    """Return whether the provider continues the login.

    If it does not know the return address, it responds with an error.
    """
    try:
        answer = await http.get(address, follow_redirects=False)
    except httpx.HTTPError as fault:
        raise ProviderAway from fault
    return answer.status_code < 400
