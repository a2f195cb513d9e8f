"""Deliver a code with one authenticated POST to the city's message gateway or to the sandbox's mailbox."""

import httpx

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.core.jobs.worker import Retry


def require_sms_configured(platform: Platform) -> None:
    """Raise Unavailable if no gateway is configured, so that the citizen does not wait for a code that never comes."""
    if not platform.settings.phone_code_url:
        text = "O envio de códigos por telefone não está configurado."
        raise Unavailable(text, code="phone-codes-not-configured")


async def deliver_code(platform: Platform, verification: str, to: str, code: str) -> None:
    """Send the code to `to`, a number in E.164.

    Raises Retry if the call fails. The exception's code contains at most the response's status.

    A retry may send the same code twice. The gateway recognises the second message by its `Idempotency-Key`.
    """
    settings = platform.settings
    minutes = settings.phone_code_ttl // 60
    text = f"Seu código da prefeitura é {code}. Ele vale por {minutes} min. Não o passe a ninguém."
    try:
        response = await platform.http.post(
            settings.phone_code_url,
            json={"to": to, "code": code, "text": text},
            headers={
                "Idempotency-Key": verification,
                "Authorization": f"Bearer {settings.phone_code_secret.get_secret_value()}",
            },
        )
    except httpx.HTTPError:
        raise Retry("phone-gateway-away") from None
    if not response.is_success:
        raise Retry(f"phone-gateway-{response.status_code}")
