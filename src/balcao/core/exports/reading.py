"""Read an export: check each part against the manifest, and decrypt its content with a private key."""

import gzip
import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from balcao.core.errors import Invalid, NotFound
from balcao.core.exports import folder as folders
from balcao.core.exports.folder import Manifest, Part
from balcao.core.exports.sealing import Identity, decrypt

_CHUNK = 1024 * 1024


def open_export(folder: Path) -> Manifest:
    """Return an export's manifest. Raises NotFound if there is none, or Invalid if it is damaged or incomplete."""
    manifest = folders.read_manifest(folder)
    if manifest is None:
        raise NotFound(f"Em {folder} não há exportação.")
    if not manifest.complete:
        raise Invalid(f"A exportação em {folder} está incompleta: repita o comando que a começou.")
    return manifest


def check_export(folder: Path, part: Part, identities: Sequence[Identity]) -> None:
    """Check the part's file, and with a private key also its lines.

    Raises Invalid with the reason if they are damaged.
    """
    if identities:
        for _ in read_part(folder, part, identities):
            pass
    else:
        _read_file(folder, part)


def read_part(folder: Path, part: Part, identities: Sequence[Identity]) -> Iterator[bytes]:
    """Yield the lines of a part as chunks of bytes.

    Raises Invalid if the file is missing, changed or sealed for another key. If only the lines differ from the
    manifest, it raises Invalid after the last chunk.
    """
    content = decrypt(_read_file(folder, part), identities)
    hashed, lines = hashlib.sha256(), 0
    with gzip.open(io.BytesIO(content)) as stream:
        while chunk := stream.read(_CHUNK):
            hashed.update(chunk)
            lines += chunk.count(b"\n")
            yield chunk
    if (lines, hashed.hexdigest()) != (part.lines, part.lines_sha256):
        raise Invalid("as linhas não são as do manifesto")


def _read_file(folder: Path, part: Part) -> bytes:
    try:
        content = (folder / part.file).read_bytes()
    except FileNotFoundError:
        raise Invalid("falta o arquivo") from None
    if hashlib.sha256(content).hexdigest() != part.sha256:
        raise Invalid("o arquivo não é o do manifesto")
    return content
