"""A mail server on loopback that records e-mails, and rejects the number of e-mails that a test requests."""

import asyncio
import logging
import ssl
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

# Separate the log of this server from the platform's log, which the tests search for personal data.
logging.getLogger("mail.log").setLevel(logging.ERROR)


class MailServer:
    """The mail server, as a context manager. It rejects the next `refusals` e-mails temporarily.

    While `held` is "before" or "after", it waits right before or right after it records an e-mail, and does not
    respond. `waiting` counts these e-mails.

    With `tls` it offers STARTTLS. `encrypted` records for each e-mail whether the connection was encrypted.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.emails: list[EmailMessage] = []
        self.sources: list[bytes] = []
        self.logins: list[tuple[str, str]] = []
        self.encrypted: list[bool] = []
        self.refusals = 0
        self.held: str | None = None
        self.waiting = 0
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(self._loop.create_server(self._session, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def _session(self) -> SMTP:
        return SMTP(
            self,
            hostname="teste",
            enable_SMTPUTF8=True,
            tls_context=self._tls,
            auth_require_tls=False,
            authenticator=self._authenticate,
            loop=self._loop,
        )

    def _authenticate(self, *said: Any) -> AuthResult:
        data = said[-1]
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=True)

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - library name
        """Record or reject the e-mail."""
        if self.refusals:
            self.refusals -= 1
            return "451 tente mais tarde"
        if self.held == "before":
            await self._hold()
        assert isinstance(envelope.content, bytes)
        self.emails.append(message_from_bytes(envelope.content, policy=policy.default))
        self.sources.append(envelope.content)
        self.encrypted.append(session.ssl is not None)
        if self.held == "after":
            await self._hold()
        return "250 ok"

    async def _hold(self) -> None:
        """Wait until the test releases the server. If the client disconnects, aiosmtpd cancels this."""
        self.waiting += 1
        while self.held:  # noqa: ASYNC110 - the test sets it from another thread
            await asyncio.sleep(0.02)

    def __enter__(self) -> "MailServer":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        conversations = asyncio.all_tasks() - {asyncio.current_task()}
        for conversation in conversations:
            conversation.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)
