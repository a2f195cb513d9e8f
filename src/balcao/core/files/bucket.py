"""Files in a bucket on an S3-compatible server, for installations with several machines."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import httpx
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
# How long a signed address is valid: longer than the retries, in case the clocks differ a little.
_VALID = timedelta(minutes=5)
# A file with this name never exists, because all files have a UUID as their name.
_NO_FILE = "no-file"
_OK, _NO_CONTENT, _NOT_FOUND = httpx.codes.OK, httpx.codes.NO_CONTENT, httpx.codes.NOT_FOUND


class BucketStorage(FileStorage):
    """The files in one bucket, with the path `files/NAME`. The address of the server comes only from the settings.

    The library `obstore` signs an address for each file, and httpx sends the request to it. The library could send the
    request itself, but it follows redirects: a file that another server claims to have stored would be lost. httpx does
    not follow them, so every redirect is an error. Only the library can list a bucket, so `check` and `list_older`
    look for a redirect first. If the server redirects only the list, the library follows it without credentials.
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
        # Loading the certificates takes several milliseconds, so do it only once.
        self._tls = ssl.create_default_context()

    async def write(self, name: str, content: bytes) -> None:
        """Store a new file. The server responds only after it has stored the file."""
        _require(await self._call("PUT", name, content), _OK)

    async def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is no such file."""
        found = _require(await self._call("GET", name), _OK, _NOT_FOUND)
        return found.content if found.status_code == _OK else None

    async def delete(self, name: str) -> None:
        """Delete a file, if it exists."""
        _require(await self._call("DELETE", name), _OK, _NO_CONTENT, _NOT_FOUND)

    async def list_older(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield the names of the files written before the instant, one page of the server's list at a time."""
        await self._refuse_redirects()
        try:
            async for page in obstore.list(self._store, prefix=_FOLDER):
                yield [_parse_name(found) for found in page if found["last_modified"] < before]
        except (BaseError, OSError) as fault:
            raise _report(type(fault).__name__) from None

    async def check(self) -> None:
        """Raise `StorageDown` if the bucket does not exist, or cannot be read with these credentials."""
        await self._refuse_redirects()
        try:
            async for _ in obstore.list(self._store, prefix=_FOLDER, chunk_size=1):
                return
        except (BaseError, OSError) as fault:
            raise _report(type(fault).__name__) from None

    async def _refuse_redirects(self) -> None:
        found = await self._call("GET", _NO_FILE)
        if found.is_redirect:
            _require(found, _NOT_FOUND)

    async def _call(self, method: Literal["GET", "PUT", "DELETE"], name: str, content: bytes = b"") -> httpx.Response:
        """Send a request about a file. Repeat it if the server does not respond or fails, which changes nothing more.

        Raises StorageDown if there is no response in time.
        """
        limits = httpx.Timeout(_WHOLE.total_seconds(), connect=_CONNECT.total_seconds())
        try:
            address = await obstore.sign_async(self._store, method, f"{_FOLDER}/{name}", _VALID)
            async with (
                asyncio.timeout(_WITH_RETRIES.total_seconds()),
                httpx.AsyncClient(verify=self._tls, timeout=limits) as http,
            ):
                for attempt in range(_RETRIES):
                    try:
                        found = await http.request(method, address, content=content)
                    except httpx.TransportError:
                        found = None
                    if found is not None and not found.is_server_error:
                        return found
                    await asyncio.sleep(0.1 * 2**attempt)
                return await http.request(method, address, content=content)
        except (BaseError, OSError, TimeoutError, httpx.HTTPError) as fault:
            raise _report(type(fault).__name__) from None


def _require(found: httpx.Response, *expected: int) -> httpx.Response:
    if found.status_code not in expected:
        raise _report(f"HTTP {found.status_code}")
    return found


def _parse_name(found: Any) -> str:
    return str(found["path"]).rpartition("/")[2]


def _report(code: str) -> StorageDown:
    """Log the type of the error but not its text, because the text contains the address and the file's name."""
    log.error("files.storage_failed", code=code)
    return StorageDown()
