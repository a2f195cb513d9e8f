"""The private folder that contains the embedded server's socket."""

import contextlib
import os
import re
import stat
import tempfile
from hashlib import sha256
from pathlib import Path

from balcao.operate.postgresql.accounts import Account, PostgresqlError

PORT = 5432  # part of the socket's file name, not a TCP port
LONGEST_SOCKET = 100  # bytes; the system allows 108 on Linux, 104 on macOS


def make_socket_dir(home: Path, account: Account) -> Path:
    """Create an empty private folder for the socket.

    The folder is `run` in `home`, or a temporary folder if that path is not usable. Raises PostgresqlError if neither
    is usable.
    """
    place = home / "run"
    if not _is_usable_path(place):
        place = Path(tempfile.gettempdir()) / f"balcao-{sha256(os.fsencode(home)).hexdigest()[:12]}"
    if not _is_usable_path(place):
        raise PostgresqlError(
            f"O caminho {place} é longo demais para um soquete. Escolha uma pasta de dados, ou um TMPDIR, mais curta."
        )
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
        account.own(place)
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid:
        raise PostgresqlError(f"{place} não é uma pasta da conta {account.name}. Apague-a e inicie de novo.")
    place.chmod(0o700)
    for leftover in place.iterdir():
        leftover.unlink()
    return place


def _is_usable_path(place: Path) -> bool:
    """Return whether PostgreSQL and its clients accept the path. It must be short and have no special characters."""
    name = os.fsencode(place / f".s.PGSQL.{PORT}")
    return len(name) <= LONGEST_SOCKET and re.fullmatch(r"[\w@+./-]+", str(place)) is not None
