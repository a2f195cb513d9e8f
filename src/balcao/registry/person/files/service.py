"""The files that citizens send: store, list, read and delete them.

Records of other features refer to them (`use_files`).

The content is stored before its row is committed, and deleted after its row. A crash between the two steps leaves at
most content without a row, which a nightly job deletes (`jobs.py`).
"""

import hashlib
from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import Repeatable, run_once
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import BalcaoError, Conflict, Invalid
from balcao.core.files.detection import MediaType, detect_type, is_complete_pdf
from balcao.core.files.images import reencode_image
from balcao.core.files.storage import FileStorage, StorageDown
from balcao.core.logs import log
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_uuid
from balcao.core.values.page import Page
from balcao.registry.person.files import store
from balcao.registry.person.files.paths import unknown_file
from balcao.registry.person.files.schemas import CitizenFile, CitizenFiles, ExportedFile

FIELDS = ["files"]
LARGEST = 5 * 1024**2
MOST_FILES = 200
MOST_BYTES = 200 * 1024**2


class Content(NamedTuple):
    """A file with its content."""

    file: CitizenFile
    content: bytes


class ContentLost(StorageDown):
    """The file exists, but the storage has no content for it, or other content."""


async def store_file(call: Call, cpf: Cpf, content: bytes) -> bytes:
    """Store a file and return its description as JSON.

    Raises Invalid if the content is damaged or has none of the accepted types, and the same errors as `reencode_image`.
    Raises Conflict if the person has too many files, or if the idempotency key was used with other content. Raises
    StorageDown if the file cannot be stored.
    """
    kind = _require_type(content)
    parts = [cpf.digits, hashlib.sha256(content).hexdigest()]
    if (earlier := await _find_earlier(call, cpf, parts)) is not None:
        return earlier
    file, stored = await _prepare(kind, content)
    storage = call.platform.part(FileStorage)
    await storage.write(str(file.id), stored)
    try:
        response = await _insert(call, cpf, parts, file)
    except Conflict:
        await _discard(storage, file.id)
        raise
    # After any other failure, keep the content, because the transaction may have been committed although its response
    # was lost.
    if msgspec.json.decode(response, type=CitizenFile).id != str(file.id):
        await _discard(storage, file.id)  # a concurrent call with the same key was faster
    return response


async def list_files(call: Call, cpf: Cpf, page: Page) -> CitizenFiles:
    """Return a page of the person's files, newest first."""
    async with call.reading(cpf, FIELDS) as source:
        found, total = await store.select_files(source, cpf, page)
    return CitizenFiles(found, page.of(total))


async def read_file(call: Call, cpf: Cpf, id: UUID) -> CitizenFile:
    """Return the description of a file. Raises NotFound if it does not exist or belongs to another person."""
    async with call.reading(cpf, FIELDS) as source:
        found = await store.select_file(source, cpf, id)
    if found is None:
        raise unknown_file()
    return found


async def read_content(call: Call, cpf: Cpf, id: UUID) -> Content:
    """Return a file with its content. Raises NotFound as `read_file` does, and StorageDown if it cannot be read."""
    file = await read_file(call, cpf, id)
    content = await _load_content(call.platform, cpf, id, file.sha256)
    if content is None:
        raise unknown_file()
    return Content(file, content)


async def delete_file(call: Call, cpf: Cpf, id: UUID) -> None:
    """Delete a file that no record refers to.

    Raises NotFound as `read_file` does, and Conflict if a record refers to the file.
    """
    async with call.platform.database.transaction() as connection:
        if await store.delete_unused_file(connection, cpf, id):
            await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)
        elif await store.select_file(connection, cpf, id) is None:
            raise unknown_file()
        else:
            raise Conflict("Este arquivo está em uso em um pedido ou cadastro.", code="file-in-use")


async def use_files(
    connection: Connection, cpf: Cpf, field: str, ids: Collection[UUID], holder: str, id: UUID
) -> Sequence[MediaType]:
    """Register that a record refers to the person's files, in the transaction that writes the record.

    `holder` is the kind of record, such as `vehicle`, and `id` is its id. `field` is the member that contains the file
    ids; the error names it. Return the types of the files. Raises Invalid if one of the files does not belong to the
    person.
    """
    types = await store.use_files(connection, cpf, sorted(set(ids)), holder, id) if ids else []
    if len(types) < len(set(ids)):
        raise not_own(field)
    return types


def not_own(field: str) -> Invalid:
    """Return the error for a member that contains an id of no file that belongs to the person."""
    return Invalid(f"O campo `{field}` deve ter o id de um arquivo que a própria pessoa enviou.", code="file-not-own")


async def export_files(connection: Connection, cpf: Cpf) -> list[ExportedFile]:
    """Return the descriptions of all the person's files for their data export, each with the path of its content."""
    base = f"/registry/v1/citizen/{cpf.digits}/files"
    return [
        ExportedFile(**msgspec.structs.asdict(file), download=f"{base}/{file.id}/content")
        for file in await store.select_all_files(connection, cpf)
    ]


async def add_content(platform: Platform, line: str) -> str:
    """Return a line for the service's export, with the file's content in base64.

    The content is null if the file was deleted after the export's snapshot was taken, or if the storage has lost it.
    """
    row = msgspec.json.decode(line)
    try:
        content = await _load_content(platform, Cpf(row["cpf"]), UUID(row["id"]), row["digest"].removeprefix("\\x"))
    except ContentLost:
        content = None
    return msgspec.json.encode(row | {"content": content}).decode()


async def erase_files(connection: Connection, cpf: Cpf) -> int:
    """Delete all of a person's files, and return how many there were. A job deletes the contents within a minute."""
    return len(await store.erase_files(connection, cpf))


async def _load_content(platform: Platform, cpf: Cpf, id: UUID, sha256: str) -> bytes | None:
    """Return the content with this digest, or None if the file was deleted after the caller had read its row.

    Raises ContentLost if the file still exists. Only that is a defect, so only that is logged.
    """
    content = await platform.part(FileStorage).read(str(id))
    if content is not None and hashlib.sha256(content).hexdigest() == sha256:
        return content
    if await store.select_file(platform.database, cpf, id) is None:
        return None
    log.error("files.content_missing" if content is None else "files.content_differs")
    raise ContentLost


def _require_type(content: bytes) -> MediaType:
    kind = detect_type(content)
    if kind is None:
        raise Invalid("Envie uma foto (JPEG ou PNG) ou um documento PDF.", code="file-type-unknown")
    if kind is MediaType.PDF and not is_complete_pdf(content):
        raise Invalid("O PDF está incompleto ou danificado: gere-o de novo e envie.", code="file-damaged")
    return kind


async def _find_earlier(call: Call, cpf: Cpf, parts: list[str]) -> bytes | None:
    """Return the stored response if this call was made before, or None.

    Raises Conflict early if the person has too many files.
    """
    repeatable = Repeatable.of(call, cpf, parts)
    async with call.platform.database.connection() as connection:
        if repeatable is not None and (earlier := await repeatable.find(connection)) is not None:
            return earlier
        _refuse_excess(await store.count_own_files(connection, cpf))
    return None


async def _prepare(kind: MediaType, content: bytes) -> tuple[store.NewFile, bytes]:
    """Return the description and the content to store: the pixels of an image, or an unchanged PDF."""
    picture = None if kind is MediaType.PDF else await reencode_image(content)
    width, height = (picture.width, picture.height) if picture else (None, None)
    stored = picture.content if picture else content
    return store.NewFile(new_uuid(), kind, len(stored), hashlib.sha256(stored).digest(), width, height), stored


async def _insert(call: Call, cpf: Cpf, parts: list[str], file: store.NewFile) -> bytes:
    async with call.platform.database.transaction() as connection:

        async def insert() -> CitizenFile:
            _refuse_excess(await store.hold_own_files(connection, cpf), file.size)
            await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
            return await store.insert_file(connection, cpf, file)

        return await run_once(connection, call, cpf, parts, insert)


def _refuse_excess(held: store.Held, size: int = 1) -> None:
    if held.files >= MOST_FILES or held.bytes + size > MOST_BYTES:
        text = f"Cada pessoa pode ter até {MOST_FILES} arquivos e {MOST_BYTES // 1024**2} MB: exclua os que não usa."
        raise Conflict(text, code="file-limit")


async def _discard(storage: FileStorage, id: UUID) -> None:
    """Delete content that has no row. If that fails, the nightly job deletes it."""
    try:
        await storage.delete(str(id))
    except BalcaoError:
        log.warning("files.not_discarded")
