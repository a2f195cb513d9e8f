"""Finds clients of the embedded provider that a portal can use for logins."""

from urllib.parse import urlsplit

from balcao.operate.faults import OperatorFault
from balcao.settings import Settings
from balcao_sandbox.identity.clients import accepts_redirect
from balcao_sandbox.identity.realm import load_clients


def find_secret(settings: Settings, name: str, redirect_uri: str) -> str:
    """Return the secret of one of the embedded provider's clients.

    Raises OperatorFault if portals cannot use the client, or if the client does not accept this redirect address.
    """
    known = {
        key: client
        for key, client in load_clients(settings).items()
        if "authorization_code" in client.flows and key not in {settings.panel_client_id, settings.site_client_id}
    }
    client = known.get(name)
    if client is None:
        raise OperatorFault(f"--client-id {name}: o provedor do sandbox tem {', '.join(sorted(known))}.")
    if not accepts_redirect(client, redirect_uri):
        host = urlsplit(redirect_uri).hostname
        raise OperatorFault(
            f"--origin: o provedor do sandbox não devolve um login a {host}, só a esta máquina "
            f"(http://localhost:PORTA) ou a {', '.join(client.redirect_uris)}."
        )
    return client.secret
