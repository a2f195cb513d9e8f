"""`balcao openapi`: write the services' OpenAPI documents, which are committed, or compare them with the code."""

from pathlib import Path
from typing import Annotated

import typer

from balcao.operate.faults import OperatorFault, writing_to


def openapi(
    check: Annotated[bool, typer.Option("--check", help="Só compara; falha se um arquivo difere do código.")] = False,
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("openapi"),
) -> None:
    """Escreve a descrição OpenAPI de cada serviço em um arquivo."""
    from balcao import app
    from balcao.core.http.pages import document

    documents = {folder / f"{service.name}.json": document(service) + b"\n" for service in app.SERVICES}
    if check:
        _compare(documents)
        return
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in documents.items():
            path.write_bytes(content)
    print(f"{len(documents)} descrições escritas em {folder}.")


def _compare(documents: dict[Path, bytes]) -> None:
    differing = [str(path) for path, content in documents.items() if not path.exists() or path.read_bytes() != content]
    if differing:
        raise OperatorFault(f"Diferem do código: {', '.join(differing)}. Execute `balcao openapi` e confira a mudança.")
    print(f"{len(documents)} descrições em dia.")
