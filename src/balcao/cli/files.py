"""Write generated files for a command, and print their names."""

from pathlib import Path
from typing import TYPE_CHECKING

from balcao.operate.faults import OperatorFault, writing_to

if TYPE_CHECKING:
    from balcao.operate.deploy.files import File


def write_files(folder: Path, files: "dict[str, File]", *, replace: bool) -> None:
    """Write the files, and print the paths of those that changed.

    Raises OperatorFault if the folder cannot be written, or if a file already exists with other content and `replace`
    is not set.
    """
    from balcao.operate.deploy.files import FilesDiffer, write_files

    try:
        with writing_to(folder):
            written = write_files(folder, files, replace=replace)
    except FilesDiffer as fault:
        names = "\n".join(f"    {path}" for path in fault.paths)
        raise OperatorFault(
            f"Estes arquivos já existem e diferem:\n{names}\nNada foi escrito: com --replace são substituídos."
        ) from None
    for path in written:
        print(path)
    print(f"{len(written)} de {len(files)} arquivos escritos em {folder}; os outros estavam em dia.")
