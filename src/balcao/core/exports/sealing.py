"""Encryption of parts in the age format, so that `age` can open them: public keys encrypt, private keys decrypt."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pyrage

from balcao.core.errors import Invalid

Recipient: TypeAlias = pyrage.x25519.Recipient | pyrage.ssh.Recipient
Identity: TypeAlias = pyrage.x25519.Identity | pyrage.ssh.Identity

_NO_RECIPIENT = (
    "O destinatário deve ser uma chave pública: `age1...`, como `age-keygen` a escreve, ou `ssh-ed25519 ...`. "
    "A chave privada fica com quem vai ler a exportação."
)


def parse_recipients(texts: Sequence[str]) -> list[Recipient]:
    """Return the public keys.

    Raises Invalid if a string is not a public key. The message never repeats the string, which might be a private key.
    """
    return [_parse_recipient(text.strip()) for text in texts]


def _parse_recipient(text: str) -> Recipient:
    try:
        if text.startswith("ssh-"):
            return pyrage.ssh.Recipient.from_str(text)
        return pyrage.x25519.Recipient.from_str(text)
    except pyrage.RecipientError:
        raise Invalid(_NO_RECIPIENT) from None


def read_identities(file: Path) -> list[Identity]:
    """Return the private keys in an `age-keygen` file, or the key in an SSH key file.

    Raises Invalid if the file contains no private key, or OSError if it cannot be read.
    """
    content = file.read_bytes()
    try:
        if content.startswith(b"-----BEGIN"):
            return [pyrage.ssh.Identity.from_buffer(content)]
        lines = [line for raw in content.decode().splitlines() if (line := raw.strip()) and not line.startswith("#")]
        found: list[Identity] = [pyrage.x25519.Identity.from_str(line) for line in lines]
    except (pyrage.IdentityError, UnicodeDecodeError):
        found = []
    if not found:
        raise Invalid(f"Em {file} não há chave privada de age nem de SSH.")
    return found


def encrypt(content: bytes, recipients: Sequence[Recipient]) -> bytes:
    """Encrypt the content so that the holder of any one of the private keys can read it."""
    return pyrage.encrypt(content, recipients)


def decrypt(content: bytes, identities: Sequence[Identity]) -> bytes:
    """Return the decrypted content. Raises Invalid if it was encrypted for another key or was changed."""
    try:
        return pyrage.decrypt(content, identities)
    except pyrage.DecryptError:
        raise Invalid(
            "A chave privada não abre a parte: ela é de outro destinatário, ou o arquivo está danificado."
        ) from None
