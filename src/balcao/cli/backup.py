"""`balcao backup`: base backups of the database server, the log written after a backup, and point-in-time recovery."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from balcao.cli.portuguese import Commands

if TYPE_CHECKING:
    from balcao.operate.backup import Completed

backup = Commands(help="Cópias de segurança do banco: criar, acompanhar, conferir, restaurar.")
Folder = Annotated[Path, typer.Argument(metavar="PASTA", help="Onde as cópias ficam.", show_default=False)]


@backup.command("create")
def create(
    folder: Folder,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1, help="Depois, guarda só as N cópias mais novas e o que foi gravado desde elas.", show_default=False
        ),
    ] = None,
) -> None:
    """Copia o servidor inteiro do banco, com os papéis, confere a cópia, e copia os arquivos dos cidadãos."""
    from balcao.operate.backup import create_copy

    copied = create_copy(folder, keep)
    print(copied.name)
    if copied.erased:
        print(f"Apagados: {copied.erased[0]} cópias, {copied.erased[1]} segmentos.")


@backup.command("follow")
def follow(folder: Folder) -> None:
    """Recebe o registro de gravações do banco, sem parar, para restaurar a qualquer instante. Ctrl-C encerra."""
    from balcao.operate.backup import follow_log

    follow_log(folder, lambda: print("Recebendo o registro de gravações. Ctrl-C encerra.", flush=True))


@backup.command("verify")
def verify(folder: Folder) -> None:
    """Confere cada cópia com o seu manifesto; termina com 1 se alguma está danificada ou não há nenhuma."""
    from balcao.operate.backup import verify_copies

    damaged = 0
    for name, fault in verify_copies(folder):
        damaged += fault is not None
        print(f"{name}  danificada: {fault}" if fault else f"{name}  inteira")
    if damaged:
        raise typer.Exit(1)


@backup.command("restore")
def restore(
    folder: Folder,
    until: Annotated[str | None, typer.Option(help="Até este instante (RFC 3339); sem ele, até o fim.")] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Só prepara esta pasta de dados para um servidor próprio.", show_default=False),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(metavar="VERSÃO/NOME", help="O cluster do Debian que vai subir com a cópia: 15/main."),
    ] = "",
) -> None:
    """Restaura a base embutida em BALCAO_DATA_DIR, que não pode ter dados, ou outro servidor; repete as eliminações."""
    from balcao.operate import backup as copies

    if cluster:
        moved = copies.restore_cluster(folder, until, cluster)
        # Print this before anything else can fail, because the operator must know where the former data are.
        if moved.former:
            print(f"O que havia antes está em {moved.former}: apague-o quando não precisar mais.")
        print(f"O PostgreSQL {moved.cluster} está no ar com a cópia {moved.copy}.")
        _print_completed(copies.erase_again(folder))
    elif into is not None:
        prepared = copies.prepare_folder(folder, until, into)
        print(f"{prepared} está pronta: inicie o PostgreSQL com ela e, depois, `balcao backup erase-again`.")
    else:
        restored = copies.restore_embedded(folder, until)
        print(f"Restaurada a cópia {restored.copy}.")
        _print_completed(restored.completed)


@backup.command("erase-again")
def erase_again(folder: Folder) -> None:
    """Repõe os arquivos do banco restaurado e repete as eliminações de cidadãos que a cópia não conhecia."""
    from balcao.operate import backup as copies

    _print_completed(copies.erase_again(folder))


def _print_completed(completed: "Completed") -> None:
    print(f"Eliminações repetidas: {completed.repeated}. Arquivos repostos: {completed.files.restored}.")
    if lost := completed.files.lost:
        print(f"Arquivos que faltam, também nas cópias: {lost}.")
