"""Copy citizens' files together with the database, and restore them with it."""

from pathlib import Path

from balcao.core.context.call import Call
from balcao.core.context.platform import make_database
from balcao.core.database.pool import Database
from balcao.core.files.opening import make_storage
from balcao.core.files.storage import FileStorage, StorageDown
from balcao.operate.faults import OperatorFault
from balcao.operate.postgresql import backups
from balcao.registry.person.files.copies import FileCopies, RestoredFiles, give_to_owner
from balcao.settings import Settings


def open_copies(settings: Settings, database: Database, folder: Path) -> FileCopies:
    """Return the copies, in the folder, of the files in the storage that the settings choose."""
    return FileCopies(database, make_storage(settings), folder)


async def copy_all(settings: Settings, url: str, folder: Path, *, forget: bool) -> None:
    """Copy the files that have no copy yet. With `forget`, delete copies of files that no copy of the database needs.

    Raises OperatorFault if the storage cannot be read or lacks a file. Copies that were already made remain.
    """
    database = make_database(settings, url)
    await database.open()
    copies = open_copies(settings, database, folder)
    try:
        missing = (await copies.copy_new()).missing
        await copies.set_deleted_aside()
        if forget and (made := backups.list_backups(folder)):
            await copies.forget_deleted(backups.completed_at(made[0]))
    except StorageDown:
        raise OperatorFault(_describe(settings, "não puderam ser copiados")) from None
    finally:
        await database.close()
    if missing:
        raise OperatorFault(_describe(settings, f"não estão completos (faltam {missing})"))


def _describe(settings: Settings, fault: str) -> str:
    place = settings.files_s3_bucket if settings.files_s3_url else settings.data_dir / "files"
    return (
        f"O banco foi copiado, mas os arquivos dos cidadãos em {place} {fault}. Faça a cópia na máquina que tem a "
        "pasta, ou use um bucket (BALCAO_FILES_S3_URL)."
    )


async def restore(call: Call, folder: Path) -> RestoredFiles:
    """Put back the files that the restored database needs and the storage lacks."""
    platform = call.platform
    restored = await FileCopies(platform.database, platform.part(FileStorage), folder).restore()
    give_to_owner(platform.settings.data_dir)
    return restored
