"""Choose where the embedded server's data are stored, and which account owns them."""

import os
import pwd
import tempfile
from hashlib import sha256
from pathlib import Path

from balcao.operate.postgresql.accounts import Account, PostgresqlError

SHARED_DIR = Path("/var/lib/balcao")
UNPRIVILEGED = ("postgres", "_postgres", "nobody")


def locate_data(folder: Path) -> tuple[Path, Account]:
    """Return the real data directory for `folder`, and the account that runs the server.

    PostgreSQL refuses to run as root. If root starts us, the server runs as the owner of the data, initially `postgres`
    or `nobody`. If that account cannot enter `folder` (for example under /root), no permission is changed: the data are
    stored in a new folder in `/var/lib/balcao`, and `folder/postgres` is a symbolic link to them. If the link is
    missing, a new directory is created, so that old data do not reappear after `folder` was deleted.

    Raises PostgresqlError if data exist but cannot be used, for example because their account cannot reach them.
    """
    data = _follow_link(folder / "postgres")
    account = _choose_account(data)
    if account.reaches(data.parent):
        return data, account
    if data.exists():
        raise PostgresqlError(
            f"A conta {account.name}, dona dos dados, não tem acesso à pasta {data.parent}. "
            "Permita que ela atravesse essa pasta (chmod o+x em cada nível) ou inicie como essa conta."
        )
    return _make_data_dir_elsewhere(folder), account


def _follow_link(data: Path) -> Path:
    if not data.is_symlink():
        return data
    target = data.resolve()
    if not target.parent.is_dir():
        raise PostgresqlError(
            f"{data} aponta para {target}, que não existe mais. "
            f"Devolva os dados a esse lugar, ou apague {data} para começar sem eles."
        )
    return target


def _choose_account(data: Path) -> Account:
    me = Account(os.geteuid(), os.getegid())
    if not data.exists():
        return me if me.uid else _find_unprivileged_account()
    found = data.stat()
    owner = Account(found.st_uid, found.st_gid)
    if owner.uid == 0:
        raise PostgresqlError(
            f"{data} pertence ao root, e o PostgreSQL não roda como root. Entregue a pasta a outra conta com chown -R."
        )
    if me.uid not in (0, owner.uid):
        raise PostgresqlError(
            f"Os dados em {data} pertencem à conta {owner.name}. Inicie como essa conta, ou como root."
        )
    return owner


def _find_unprivileged_account() -> Account:
    for name in UNPRIVILEGED:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(found.pw_uid, found.pw_gid)
    raise PostgresqlError(
        "O PostgreSQL não roda como root, e não há conta postgres nem nobody. "
        "Crie uma delas ou inicie como outro usuário."
    )


def _make_data_dir_elsewhere(folder: Path) -> Path:
    digest = sha256(os.fsencode(folder)).hexdigest()[:12]
    place = Path(tempfile.mkdtemp(prefix=f"{digest}-", dir=make_shared_dir()))
    place.chmod(0o711)  # the account can enter the folder, but not list it
    try:
        (folder / "postgres").symlink_to(place / "postgres")
    except FileExistsError:  # another process that is starting has created the link
        place.rmdir()
    return _follow_link(folder / "postgres")


def make_shared_dir() -> Path:
    """Create the folder for files that an unprivileged account must be able to read when root starts us."""
    SHARED_DIR.mkdir(parents=True, exist_ok=True)
    SHARED_DIR.chmod(0o755)
    return SHARED_DIR
