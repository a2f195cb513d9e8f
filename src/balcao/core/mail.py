"""E-mail that the platform sends: by a mail server or, in the sandbox, to a folder for inspection."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import Policy
from email.utils import format_datetime, make_msgid
from pathlib import Path
from urllib.parse import unquote, urlsplit

import aiosmtplib

from balcao.settings import Settings

# The time limit for each command to the mail server.
TIMEOUT_SECONDS = 10.0
# The time limit for a whole e-mail, because a slow server could respond to each command just in time.
TOTAL_SECONDS = 30.0
MAIL_FOLDER = "emails"
MOST_IN_FOLDER = 1_000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# The start of an encoded word (RFC 2047, 2), and a harmless replacement. The library cannot escape the start. It would
# send the decoded text, which is a different subject or address.
_ENCODED_WORD, _BROKEN_ENCODED_WORD = "=?", "= ?"
# The exceptions for an invalid address, or for a string that a header cannot contain.
_MALFORMED = (ValueError, LookupError)
_FAULTS = (aiosmtplib.SMTPException, OSError, TimeoutError, *_MALFORMED)


class _UnfoldedHeader(UnstructuredHeader, BaseHeader):
    """A header on one line.

    The library would split a long address into encoded words, which mail programs do not decode here.
    """

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS = HeaderRegistry()
_HEADERS.map_to_type("list-unsubscribe", _UnfoldedHeader)
_POLICY = policy.EmailPolicy(header_factory=_HEADERS)


class MailRefused(Exception):
    """The e-mail was not accepted. `code` names the kind of fault, without an address or a server's text."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class SmtpMailer:
    """A mail server.

    `url` is smtp://user:password@host:port, or smtps:// for TLS from the first byte. STARTTLS is used if the server
    offers it. A certificate that does not match the server's name is an error. A password is only sent encrypted,
    except to this machine.
    """

    url: str
    sender: str

    async def send(
        self, to: str, subject: str, text: str, *, key: str | None = None, unsubscribe: str | None = None
    ) -> None:
        """Send the e-mail.

        Raises MailRefused if the e-mail is malformed, or if the server is down or does not accept it. `key` identifies
        an e-mail that may be sent again. Both copies have the same Message-ID. `unsubscribe` is the address for
        one-click opt-out.
        """
        try:
            message = _compose(self.sender, to, subject, text, key, unsubscribe)
            async with asyncio.timeout(TOTAL_SECONDS), self._client() as client:
                await client.send_message(message)
        except _FAULTS as fault:
            raise MailRefused(f"mail-{type(fault).__name__}") from None

    async def check(self) -> None:
        """Connect and log in as for sending an e-mail, but send none. Raises MailRefused if that fails."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS), self._client():
                pass
        except _FAULTS as fault:
            raise MailRefused(f"mail-{type(fault).__name__}") from None

    def _client(self) -> aiosmtplib.SMTP:
        place = urlsplit(self.url)
        is_encrypted = place.scheme == "smtps"
        must_encrypt = place.username is not None and place.hostname not in _LOOPBACK
        return aiosmtplib.SMTP(
            hostname=place.hostname,
            port=place.port,
            username=None if place.username is None else unquote(place.username),
            password=None if place.username is None else unquote(place.password or ""),
            use_tls=is_encrypted,
            # With None, the library encrypts if the server offers encryption.
            start_tls=False if is_encrypted else must_encrypt or None,
            timeout=TIMEOUT_SECONDS,
        )


@dataclass(frozen=True)
class MailFolder:
    """The sandbox's mail server: a folder with one file for each of the newest `MOST_IN_FOLDER` e-mails."""

    folder: Path
    sender: str

    async def send(
        self, to: str, subject: str, text: str, *, key: str | None = None, unsubscribe: str | None = None
    ) -> None:
        """Write the e-mail. Raises MailRefused if it is malformed or cannot be written."""
        try:
            await asyncio.to_thread(self._write, _compose(self.sender, to, subject, text, key, unsubscribe))
        except (OSError, *_MALFORMED) as fault:
            raise MailRefused(f"mail-{type(fault).__name__}") from None

    def list_emails(self) -> Iterator[EmailMessage]:
        """Yield the e-mails, oldest first."""
        for path in sorted(self.folder.glob("*.eml")):
            yield message_from_bytes(path.read_bytes(), policy=policy.default)

    def _write(self, message: EmailMessage) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}"
        # Readers open only `.eml` files, so the file has another suffix until it is complete.
        unfinished = self.folder / f"{name}.part"
        unfinished.write_bytes(message.as_bytes())
        unfinished.rename(self.folder / f"{name}.eml")
        for old in sorted(self.folder.glob("*.eml"))[:-MOST_IN_FOLDER]:
            old.unlink(missing_ok=True)


def create_mailer(settings: Settings) -> SmtpMailer | MailFolder | None:
    """Return the mailer that the settings choose. None in production without BALCAO_SMTP_URL."""
    url = settings.smtp_url.get_secret_value()
    if url:
        return SmtpMailer(url, settings.mail_from)
    return MailFolder(settings.data_dir / MAIL_FOLDER, settings.mail_from) if settings.sandbox else None


def _compose(sender: str, to: str, subject: str, text: str, key: str | None, unsubscribe: str | None) -> EmailMessage:
    """Build the e-mail.

    Raises one of `_MALFORMED` for an unusable header, or for an address that mail programs would decode to another
    address.
    """
    if _ENCODED_WORD in to:
        raise ValueError("an encoded word is no address")
    domain = sender.rpartition("@")[2]
    message = EmailMessage(_POLICY)
    message["From"], message["To"] = sender, to
    # Subjects quote user input, such as a job's title, which must appear as it was entered.
    message["Subject"] = subject.replace(_ENCODED_WORD, _BROKEN_ENCODED_WORD)
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=domain) if key is None else f"<{key}@{domain}>"
    # This header asks mail systems not to reply automatically, for example with absence notes (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    if unsubscribe is not None:
        # With this header, mail programs show a button that posts to the address (RFC 8058).
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    return message
