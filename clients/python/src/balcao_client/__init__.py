"""Client of Balcão, the open-source platform of municipal citizen services.

    from balcao_client import Balcao, ClientCredentials

    with Balcao("https://cidade.example", ClientCredentials("portal", "secret")) as balcao:
        preferences = balcao.registry.read_preferences("90000000175")

`AsyncBalcao` has the same methods as coroutines. Operations have the names of the API's documents. Refusals are
exceptions of `balcao_client.faults`.
"""

from balcao_client.client import AsyncBalcao, Balcao
from balcao_client.faults import Fault
from balcao_client.tokens import ClientCredentials, CodeFlow, Login, LoginEnded, LoginFailed
from balcao_client.webhooks import InvalidSecret, InvalidSignature, WebhookEvent, verify_webhook

__all__ = [
    "AsyncBalcao",
    "Balcao",
    "ClientCredentials",
    "CodeFlow",
    "Fault",
    "InvalidSecret",
    "InvalidSignature",
    "Login",
    "LoginEnded",
    "LoginFailed",
    "WebhookEvent",
    "verify_webhook",
]
