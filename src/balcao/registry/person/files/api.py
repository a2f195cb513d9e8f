"""Routes for citizens' files (rules: registry 4.18)."""

from balcao.core.access.rules import own
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.feature import Feature
from balcao.core.files.detection import MediaType
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.operations import UNCHECKED_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, created, personal
from balcao.core.http.sent_headers import CONTENT_DISPOSITION, sending
from balcao.registry.person.files import service
from balcao.registry.person.files.jobs import JOBS
from balcao.registry.person.files.paths import FileInPath
from balcao.registry.person.files.responses import attach_file
from balcao.registry.person.files.schemas import CitizenFile, CitizenFiles, ExportedFile
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["files"], dialect=ERROR_AND_MESSAGE, body_limit=UNCHECKED_BODY)


@routes.get(
    "/citizen/{cpf}/files",
    "registry.list_files",
    own("files:read"),
    "Arquivos que o cidadão enviou",
    errors=[304],
)
async def get_files(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[CitizenFiles]:
    """Devolve uma página dos arquivos do cidadão, do mais novo ao mais antigo, sem o conteúdo."""
    return personal(await service.list_files(call, cpf, page), call)


@routes.post(
    "/citizen/{cpf}/files",
    "registry.store_file",
    own("files:write"),
    "Envia um arquivo do cidadão",
    status=201,
    errors=[409],
    accepts=tuple(MediaType),
    body_limit=service.LARGEST,
    rate="60/hour",
)
async def post_file(call: Call, cpf: CpfInPath, content: bytes) -> Response[CitizenFile]:
    """Guarda uma foto (JPEG ou PNG) ou um documento PDF, de até 5 MB, e devolve o id dele, que um pedido ou um
    veículo pode citar. O corpo é o próprio arquivo; o tipo é reconhecido pelo conteúdo, não pelo cabeçalho. Das imagens
    ficam só os pixels, até 4096 de lado, sem lugar, data nem aparelho. Um arquivo sem uso é excluído depois de 24
    horas. Cada pessoa pode ter até 200 arquivos; acima disso, a resposta é 409. Com o cabeçalho `Idempotency-Key`,
    repetir a chamada devolve a primeira resposta.
    """
    return created(await service.store_file(call, cpf, content))


@routes.get(
    "/citizen/{cpf}/files/{file_id}",
    "registry.read_file",
    own("files:read"),
    "Um arquivo do cidadão, sem o conteúdo",
    errors=[304, 400],
)
async def get_file(call: Call, cpf: CpfInPath, file_id: FileInPath) -> Response[CitizenFile]:
    """Devolve tipo, tamanho e data de um arquivo; 404 se ele não existe ou é de outra pessoa."""
    return personal(await service.read_file(call, cpf, file_id), call)


@routes.get(
    "/citizen/{cpf}/files/{file_id}/content",
    "registry.download_file",
    own("files:read"),
    "O conteúdo de um arquivo do cidadão",
    errors=[400],
    media_types=tuple(MediaType),
)
@sending(CONTENT_DISPOSITION)
async def get_file_content(call: Call, cpf: CpfInPath, file_id: FileInPath) -> Response[bytes]:
    """Devolve o arquivo como anexo, para guardar. Navegadores não o abrem como página."""
    return attach_file(await service.read_content(call, cpf, file_id))


@routes.delete(
    "/citizen/{cpf}/files/{file_id}",
    "registry.delete_file",
    own("files:write"),
    "Exclui um arquivo que nada usa",
    status=204,
    errors=[400, 409],
)
async def remove_file(call: Call, cpf: CpfInPath, file_id: FileInPath) -> None:
    """Exclui o arquivo; 409 se um pedido ou veículo o usa, e 404 se ele não existe."""
    await service.delete_file(call, cpf, file_id)


EXPORTED = ExportMember(
    "arquivos",
    list[ExportedFile],
    "Arquivos que o cidadão enviou, e de onde se baixa cada um.",
    85,
    service.export_files,
)

FEATURE = Feature(
    routes=routes.declared,
    jobs=JOBS,
    personal_data=PersonalData(
        "files",
        [EXPORTED],
        erase_rows("files", service.erase_files, ["content", "media_type", "size", "sha256", "width", "height"]),
        tables=["registry.citizen_file", "registry.file_use"],
    ),
    exports=Exports(
        [Export("citizen-file", Rows("registry.citizen_file"), service.add_content)],
        tables=("registry.file_use",),
        derived=("registry.deleted_file",),
    ),
)
