"""Check the storage for citizens' files: whether it responds, and whether all machines share it."""

from urllib.parse import urlsplit

from balcao.core.context.platform import make_database
from balcao.core.database.faults import StatementRefused
from balcao.core.errors import BalcaoError
from balcao.core.files.opening import make_storage
from balcao.core.files.storage import StorageDown
from balcao.core.live.processes import list_processes
from balcao.operate.database import find_embedded
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject
from balcao.settings import Settings
from balcao.settings.production import LOOPBACK

# The processes that store or delete files.
_SERVICE = "registry"


async def _check_files(subject: Subject) -> Part:
    settings = subject.settings
    problems = []
    if settings.embedded_database and find_embedded(settings) is None:
        return Part(STOPPED)
    if settings.files_s3_url:
        details = {"bucket": settings.files_s3_bucket}
        if not settings.sandbox and not _is_private(settings.files_s3_url):
            problems.append("BALCAO_FILES_S3_URL não é https: os arquivos dos cidadãos passariam abertos pela rede.")
    else:
        details = {"folder": str(settings.data_dir / "files")}
        problems += await _find_other_machines(settings)
    try:
        await make_storage(settings).check()
    except StorageDown:
        problems.append(_describe_down(settings))
    return Part(DOWN if problems else UP, details, problems)


def _is_private(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or parts.hostname in LOOPBACK


def _describe_down(settings: Settings) -> str:
    if settings.files_s3_url:
        return (
            f"O bucket {settings.files_s3_bucket} de BALCAO_FILES_S3_URL não pode ser lido: confira se o servidor "
            "responde, se o bucket existe, e BALCAO_FILES_S3_KEY_ID e BALCAO_FILES_S3_SECRET."
        )
    return f"Não é possível gravar em {settings.data_dir / 'files'}, onde ficam os arquivos dos cidadãos."


async def _find_other_machines(settings: Settings) -> list[str]:
    """Return a sentence if processes on several machines would each use their own folder."""
    if settings.embedded_database:
        return []
    database = make_database(settings, settings.database_url)
    try:
        await database.open()
        async with database.connection() as connection:
            processes = await list_processes(connection)
    except (BalcaoError, StatementRefused):  # the database check reports this problem
        return []
    finally:
        await database.close()
    hosts = sorted({process.host for process in processes if process.beats and _SERVICE in process.services})
    if len(hosts) < 2:
        return []
    return [
        f"Os processos rodam em {len(hosts)} máquinas ({', '.join(hosts)}), e cada uma guarda só os seus arquivos: "
        "defina BALCAO_FILES_S3_URL, com um bucket que todas usam."
    ]


CHECK = Check(
    name="files",
    part="files",
    looks_at="the storage of [citizens' files](../operate/files.md): the folder `files` of the data folder, or the "
    "bucket of `BALCAO_FILES_S3_URL`; nothing is written",
    wrong="a folder that cannot be written to; a bucket that does not answer or does not exist, or refuses the key; a "
    "folder while processes run on several machines; a server without https",
    remedy="`chown` the folder; correct the variables; move the files into a bucket",
    examine=_check_files,
)
