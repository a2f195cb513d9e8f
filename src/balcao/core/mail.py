"""E-mail that the platform sends: one small interface, one provider, none when nothing is configured."""

import asyncio
import smtplib
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Protocol
from urllib.parse import unquote, urlsplit

from balcao.settings import Settings

TIMEOUT_SECONDS = 10.0


class MailRefused(Exception):
    """The e-mail was not taken; `code` names the kind of fault, without an address or a server's words."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Mailer(Protocol):
    """What use cases need to send an e-mail."""

    async def send(self, to: str, subject: str, text: str) -> None:
        """Send the e-mail. Raises MailRefused."""


@dataclass(frozen=True)
class SmtpMailer:
    """`url` is smtp://user:password@host:port, or smtps:// for TLS from the first byte.

    A server that offers STARTTLS is spoken to encrypted; a certificate that does not fit its name is a refusal.
    """

    url: str
    sender: str

    async def send(self, to: str, subject: str, text: str) -> None:
        """Send the e-mail. Raises MailRefused."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, to, subject
        message["Date"] = format_datetime(datetime.now(UTC))
        message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        message.set_content(text)
        try:
            await asyncio.to_thread(self._deliver, message)
        except OSError as fault:  # `smtplib.SMTPException` is one
            raise MailRefused(f"mail-{type(fault).__name__}") from None

    def _deliver(self, message: EmailMessage) -> None:
        place = urlsplit(self.url)
        with self._connect(place.scheme == "smtps", place.hostname or "", place.port) as server:
            if place.username is not None:
                server.login(unquote(place.username), unquote(place.password or ""))
            server.send_message(message)

    def _connect(self, tls: bool, host: str, port: int | None) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if tls:
            return smtplib.SMTP_SSL(host, port or smtplib.SMTP_SSL_PORT, timeout=TIMEOUT_SECONDS, context=context)
        server = smtplib.SMTP(host, port or smtplib.SMTP_PORT, timeout=TIMEOUT_SECONDS)
        server.ehlo_or_helo_if_needed()
        if server.has_extn("starttls"):
            server.starttls(context=context)
        return server


def create_mailer(settings: Settings) -> Mailer | None:
    """Return the mailer that the settings name; None without BALCAO_SMTP_URL."""
    url = settings.smtp_url.get_secret_value()
    return SmtpMailer(url, settings.mail_from) if url else None
