"""The export of the registry contains the content of each file (docs/operate/export.md)."""

import base64
from pathlib import Path

import msgspec
import pyrage

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.exports import reading, service
from balcao.core.exports.service import Order
from balcao.core.files.storage import FileStorage
from balcao.core.values.cpf import Cpf
from balcao.registry import SERVICE
from tests.registry.person.files.test_copies import add_file
from tests.registry.registry_client import new_cpf

IDENTITY = pyrage.x25519.Identity.generate()


async def test_each_exported_file_has_its_content(platform: Platform, tmp_path: Path) -> None:
    cpf = Cpf(new_cpf())
    kept, lost = await add_file(platform, cpf), await add_file(platform, cpf)
    await platform.part(FileStorage).delete(str(lost.id))
    (exported,) = [each for each in SERVICE.exports if each.kind == "citizen-file"]
    order = Order("registry", [exported], [str(IDENTITY.to_public())])
    call = operator_call(platform, "registry.export")
    folder = tmp_path / "export"
    manifest = await service.run_export(call, folder, order, lambda *_: None)
    read = b"".join(block for part in manifest.parts for block in reading.read_part(folder, part, [IDENTITY]))
    lines = [msgspec.json.decode(line) for line in read.splitlines()]
    contents = {line["id"]: line["content"] for line in lines if line["cpf"] == cpf.digits}
    assert contents == {str(kept.id): base64.b64encode(str(kept.id).encode()).decode(), str(lost.id): None}
