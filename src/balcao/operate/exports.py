"""Export all data of a service as encrypted files, verify an export, and read its lines."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from balcao import app
from balcao.core.context.call import operator_call
from balcao.core.errors import BalcaoError
from balcao.core.exports import reading, service
from balcao.core.exports.folder import Manifest
from balcao.core.exports.sealing import read_identities
from balcao.core.exports.service import OnProgress, Order
from balcao.operate import database
from balcao.operate.faults import OperatorFault, writing_to
from balcao.operate.use_cases import explain_refusals
from balcao.settings import Settings

# A function that shows the progress of an export during a block. Its argument is the number of kinds to export.
Showing = Callable[[int], AbstractContextManager[OnProgress]]


class Verified(NamedTuple):
    """The result of verifying an export: the number of verified parts, and the error of each damaged part by file."""

    parts: int
    damaged: dict[str, str]


def export_service(name: str, folder: Path, recipients: Sequence[str], restart: bool, showing: Showing) -> Manifest:
    """Export a service, or continue an interrupted export.

    Raises OperatorFault if the export is refused or the folder cannot be written.
    """
    settings = Settings.load()
    (exported,) = app.choose_services([name])
    order = Order(name, exported.exports, list(recipients), restart)

    async def run(url: str) -> Manifest:
        async with database.open_platform(settings, url) as platform:
            with showing(len(order.exports)) as progress:
                return await service.run_export(operator_call(platform, f"{name}.export"), folder, order, progress)

    with database.open_database(settings) as url, writing_to(folder):
        return explain_refusals(lambda: asyncio.run(run(url)))


def verify_export(folder: Path, identity: Path | None) -> Verified:
    """Compare each part with the manifest. With the private key, also read each line.

    Raises OperatorFault if the export or the key cannot be read. Damaged parts are returned.
    """
    identities = explain_refusals(lambda: read_identities(identity)) if identity else []
    manifest = explain_refusals(lambda: reading.open_export(folder))
    damaged = {}
    for part in manifest.parts:
        try:
            reading.check_export(folder, part, identities)
        except BalcaoError as fault:
            damaged[part.file] = fault.message
    return Verified(len(manifest.parts), damaged)


def read_export(folder: Path, kind: str, identity: Path) -> Iterator[bytes]:
    """Yield the lines of a kind.

    Raises OperatorFault if the export or the key cannot be read, the export has no such kind, or a part is damaged.
    """
    identities = explain_refusals(lambda: read_identities(identity))
    manifest = explain_refusals(lambda: reading.open_export(folder))
    if kind not in manifest.kinds:
        raise OperatorFault(f"A exportação não tem o tipo {kind}; tem: {', '.join(manifest.kinds)}.")
    for part in manifest.parts:
        if part.kind == kind:
            try:
                yield from reading.read_part(folder, part, identities)
            except BalcaoError as fault:
                raise OperatorFault(f"{part.file}: {fault.message}") from None
