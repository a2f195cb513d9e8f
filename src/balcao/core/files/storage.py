"""The storage for files: a folder on this machine, or a bucket on an S3-compatible server (rules: registry 4.18).

A stored file never changes. Its name is a UUID, so two writers never write the same file. The database lists the files.
The storage may contain files that the database does not list, but it never lacks a listed file.
"""

from collections.abc import AsyncIterator
from datetime import datetime

from balcao.core.errors import Unavailable


class StorageDown(Unavailable):
    """The file storage does not respond, refuses the credentials, or is full."""

    default_message = "Não foi possível guardar ou ler o arquivo agora. Tente de novo em instantes."
    default_code = "file-storage-down"


class FileStorage:
    """A storage for files. Each method raises `StorageDown` if the storage fails."""

    # The methods of this class are empty, so the API description finds the error of an operation here.
    error = StorageDown

    async def write(self, name: str, content: bytes) -> None:
        """Store a new file. When this method returns, the file survives a crash of the machine or the server."""
        raise NotImplementedError

    async def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""
        raise NotImplementedError

    async def delete(self, name: str) -> None:
        """Delete a file. Deleting a file that does not exist changes nothing."""
        raise NotImplementedError

    def list_older(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield the names of the files that were written before the instant, in batches."""
        raise NotImplementedError

    async def check(self) -> None:
        """Raise `StorageDown` if the storage cannot be used. Change nothing."""
        raise NotImplementedError
