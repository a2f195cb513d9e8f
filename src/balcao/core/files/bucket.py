"""Files in a bucket on an S3-compatible server, for installations with several machines."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from balcao.core.files.storage import FileStorage, StorageDown
from balcao.core.logs import log
from balcao.settings import Settings

if TYPE_CHECKING:  # this type exists only in the library's stubs
    from obstore.store import S3Credential

_FOLDER = "files"
_CONNECT, _WHOLE, _WITH_RETRIES = timedelta(seconds=3), timedelta(seconds=20), timedelta(seconds=25)
_RETRIES = 2


class BucketStorage(FileStorage):
    """The files in one bucket, with the path `files/NAME`. The library signs each request and verifies certificates.

    The address comes only from the settings. The library does not follow redirects to another server, because each
    request is signed for one server.
    """

    def __init__(self, settings: Settings) -> None:
        # Pass a function that returns the credentials. With the key itself, the library would add a session token if it
        # finds one in the environment.
        credentials: S3Credential = {
            "access_key_id": settings.files_s3_key_id,
            "secret_access_key": settings.files_s3_secret.get_secret_value(),
            "expires_at": None,
        }
        self._store = S3Store(
            settings.files_s3_bucket,
            config={
                "endpoint": settings.files_s3_url,
                "region": settings.files_s3_region,
                "virtual_hosted_style_request": False,
            },
            credential_provider=lambda: credentials,
            client_options={
                "allow_http": settings.files_s3_url.startswith("http://"),
                "connect_timeout": _CONNECT,
                "timeout": _WHOLE,
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": _WITH_RETRIES},
        )

    async def write(self, name: str, content: bytes) -> None:
        """Store a new file. The server responds only after it has stored the file."""
        try:
            await obstore.put_async(self._store, f"{_FOLDER}/{name}", content, use_multipart=False)
        except (BaseError, OSError) as fault:
            raise _report(fault) from None

    async def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is no such file."""
        try:
            found = await obstore.get_async(self._store, f"{_FOLDER}/{name}")
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as fault:
            raise _report(fault) from None

    async def delete(self, name: str) -> None:
        """Delete a file, if it exists."""
        try:
            await obstore.delete_async(self._store, f"{_FOLDER}/{name}")
        except FileNotFoundError:
            return
        except (BaseError, OSError) as fault:
            raise _report(fault) from None

    async def list_older(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield the names of the files written before the instant, one page of the server's list at a time."""
        try:
            async for page in obstore.list(self._store, prefix=_FOLDER):
                yield [_parse_name(found) for found in page if found["last_modified"] < before]
        except (BaseError, OSError) as fault:
            raise _report(fault) from None

    async def check(self) -> None:
        """Raise `StorageDown` if the bucket does not exist, or cannot be read with these credentials."""
        try:
            async for _ in obstore.list(self._store, prefix=_FOLDER, chunk_size=1):
                return
        except (BaseError, OSError) as fault:
            raise _report(fault) from None


def _parse_name(found: Any) -> str:
    return str(found["path"]).rpartition("/")[2]


def _report(fault: Exception) -> StorageDown:
    """Log the type of the exception but not its text, because the text contains the address and the file's name."""
    log.error("files.storage_failed", code=type(fault).__name__)
    return StorageDown()
