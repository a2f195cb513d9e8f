"""Check the installed files that `balcao init production` has generated, the certificate and the data folder.

Each check returns sentences about problems and changes nothing. `root` is `/`, or the root folder of an image.
"""

import asyncio
import ipaddress
import os
import pwd
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from balcao.operate.deploy.production import (
    BACKUP_SETTINGS,
    BACKUP_UNITS,
    OWNER_SETTINGS,
    SETTINGS,
    UNITS,
    parse_settings,
)
from balcao.operate.deploy.rendering import render_template
from balcao.operate.doctor.checks import DAYS_OF_NOTICE, DOWN, UP, Check, Part, is_due_in_production
from balcao.operate.unknown_variables import list_unknown_variables
from balcao.settings import Settings

SETTINGS_FOLDER, UNITS_FOLDER, STATE_FOLDER = "etc/balcao", "etc/systemd/system", "var/lib/balcao"
BACKUP_FOLDER = "var/lib/balcao-backup"
LEAST_FREE_BYTES = 1024**3
# Example values that an operator must replace.
_PLACEHOLDER = re.compile(r"\.example\b|<[^>]*>|\b(?:troque|preencha|change-?me|xxx+)\b", re.IGNORECASE)
# A setting that sh and systemd read alike: a value in quotes, or without any sign that sh interprets.
_READ_ALIKE = re.compile(r"""\w+=('[^']*'|"[^"$`\\]*"|[^\s"'$&;|<>()`\\]*)\s*""")
_GROUP_AND_OTHERS = 0o077
_START = re.compile(r"^ExecStart=(\S+)", re.MULTILINE)
_FILES_READ = re.compile(r"^EnvironmentFile=-?(\S+)", re.MULTILINE)


def list_seen(look: Callable[[], list[str]]) -> list[str]:
    """Run a check and return its result, or a sentence about a file that this user may not read."""
    try:
        return look()
    except PermissionError as fault:
        return [f"{fault.filename} não pode ser visto por este usuário: execute `balcao doctor` como root."]


def check_whether_read(root: Path, settings: Settings) -> list[str]:
    """Report if the settings of an installation on this machine were not loaded."""
    if not settings.sandbox or not is_installed(root):
        return []
    path = root / SETTINGS_FOLDER / SETTINGS
    return [
        f"{path} existe, e este comando não o leu: o resultado é da base de demonstração, não da instalação. "
        f"Leia o arquivo antes, como as unidades fazem: `set -a; . {path}; set +a`."
    ]


def is_installed(root: Path) -> bool:
    """Return whether this machine has an installation's settings file."""
    try:
        return (root / SETTINGS_FOLDER / SETTINGS).exists()
    except PermissionError:  # another user's installation does not concern a trial
        return False


def check_settings(root: Path, environment: Mapping[str, str]) -> list[str]:
    """Check the settings files: their owner, mode and content, and whether the environment contains the same values."""
    found = []
    for name in (SETTINGS, OWNER_SETTINGS, Path(BACKUP_SETTINGS).name):
        path = root / SETTINGS_FOLDER / name
        if path.exists():
            found += [*_check_private(path), *_check_variables(path, environment)]
    return found


def _check_private(path: Path) -> Iterator[str]:
    status = path.stat()
    if status.st_mode & _GROUP_AND_OTHERS:
        yield f"{path} pode ser lido por outros (modo {stat.S_IMODE(status.st_mode):o}): `chmod 600 {path}`."
    if status.st_uid not in {0, os.geteuid()}:
        yield f"{path} é do usuário {_name_user(status.st_uid)} e guarda segredos: `chown root {path}`."


def _check_variables(path: Path, environment: Mapping[str, str]) -> Iterator[str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        yield f"{path} não pode ser lido: execute `balcao doctor` como root, e confira se é texto em UTF-8."
        return
    variables = parse_settings(text)
    if misread := [line.partition("=")[0] for line in text.splitlines() if _is_misread(line)]:
        yield (
            f"{path}: ponha entre aspas simples o valor de {', '.join(misread)}, que tem espaço ou outro sinal do "
            "shell: sem elas, `. balcao.env` não o lê como as unidades."
        )
    yield from (f"{path}: {stranger.describe()}" for stranger in list_unknown_variables(variables))
    for name, value in variables.items():
        if _PLACEHOLDER.search(value):
            yield f"{path}: {name} ainda tem um valor de exemplo."
    # A process that only serves calls does not need the logins of the owner and the backups.
    is_optional = path.name != SETTINGS
    differing = sorted(
        name
        for name, value in variables.items()
        if name.startswith(("BALCAO_", "CRM_")) and environment.get(name, value if is_optional else None) != value
    )
    if differing:
        yield (
            f"{path}: {', '.join(differing)} não tem o valor escrito ali. Leia o arquivo antes do comando "
            f"(`set -a; . {path}; set +a`); se já o leu, outra variável o cobre."
        )


def _is_misread(line: str) -> bool:
    """Return whether sh reads a line differently from systemd."""
    return line[:1].isupper() and "=" in line and not _READ_ALIKE.fullmatch(line)


def check_secrets(settings: Settings) -> list[str]:
    """Report secrets that are equal. An attacker who learns one secret would also know the other."""
    named = {
        "BALCAO_CLIENT_SECRET": settings.client_secret.get_secret_value(),
        "BALCAO_HASH_KEY": settings.hash_key.get_secret_value(),
        "BALCAO_METRICS_TOKEN": settings.metrics_token.get_secret_value(),
        "BALCAO_FILES_S3_SECRET": settings.files_s3_secret.get_secret_value(),
        "BALCAO_CRM_CLIENT_SECRET": settings.crm_client_secret.get_secret_value() if settings.crm_url else "",
        "a senha de BALCAO_DATABASE_URL": urlsplit(settings.database_url.replace(",", "")).password or "",
        "a senha de BALCAO_DATABASE_OWNER_URL": urlsplit(settings.database_owner_url.replace(",", "")).password or "",
    }
    if settings.database_owner_url == settings.database_url:
        del named["a senha de BALCAO_DATABASE_OWNER_URL"]
    return [
        f"{first} e {second} têm o mesmo segredo: use um para cada."
        for first, second in combinations(named, 2)
        if named[first] and named[first] == named[second]
    ]


def check_units(root: Path, settings: Settings) -> list[str]:
    """Check that the installed units match this release and name existing files and the right folder."""
    folder = root / UNITS_FOLDER
    found = list(_check_together(root, folder, "backup", BACKUP_UNITS))
    if any((folder / name).exists() for name in BACKUP_UNITS):
        found += check_state_folder(root / BACKUP_FOLDER)
    if not any((folder / name).exists() for name in UNITS):
        return found
    found += _check_together(root, folder, "systemd", UNITS)
    if settings.data_dir != Path("/", STATE_FOLDER):
        found.append(
            f"BALCAO_DATA_DIR é {settings.data_dir}, e as unidades só podem gravar em /{STATE_FOLDER}: use essa."
        )
    return [*found, *check_state_folder(root / STATE_FOLDER)]


def _check_together(root: Path, folder: Path, origin: str, names: Sequence[str]) -> Iterator[str]:
    """Check the units of one template folder, which belong together, if any of them is installed."""
    there = [name for name in names if (folder / name).exists()]
    if there:
        yield from (f"Falta {folder / name}: as unidades vêm juntas." for name in names if name not in there)
    for name in there:
        yield from _check_unit(root, folder / name, f"{origin}/{name}")


def _check_unit(root: Path, path: Path, template: str) -> Iterator[str]:
    text = path.read_text("utf-8", errors="replace")
    start = _START.search(text)
    program = start[1] if start else ""
    if path.suffix == ".service" and not os.access(root / (program or "nada").lstrip("/"), os.X_OK):
        yield f"{path} executa {program or 'nada'}, que não existe ou não pode ser executado."
    for file in _FILES_READ.findall(text):
        if not (root / file.lstrip("/")).exists():
            yield f"{path} lê {file}, que não existe."
    expected = _list_lines(render_template(template, program=program))
    if differing := sorted(expected ^ _list_lines(text)):
        yield (
            f"{path} difere do que esta versão escreve, como em `{differing[0]}`: execute `balcao init production "
            f"--replace` com as respostas da instalação, copie PASTA/{template} para {path.parent} e execute "
            f"`systemctl daemon-reload`. As linhas da cidade ficam em {path}.d/."
        )


def _list_lines(text: str) -> set[str]:
    lines = (line.strip() for line in text.splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def check_state_folder(folder: Path) -> list[str]:
    """Check that a folder of the units, if it exists, its files and its copies belong to the same user."""
    if not folder.exists():
        return []
    status = folder.stat()
    found = []
    if status.st_mode & _GROUP_AND_OTHERS:
        found.append(f"{folder} está aberta a outros (modo {stat.S_IMODE(status.st_mode):o}): `chmod 700 {folder}`.")
    places = (*folder.iterdir(), *folder.glob("base/*"))
    strangers = sorted(path for path in places if path.lstat().st_uid != status.st_uid)
    if strangers:
        owner = _name_user(status.st_uid)
        found.append(
            f"{strangers[0]} não é do usuário {owner}, e os processos não podem gravar nele: "
            f"`chown -R {owner} {folder}`. Isso acontece quando um comando é executado como root."
        )
    return found


def check_disk(folder: Path, least: int = LEAST_FREE_BYTES) -> list[str]:
    """Check that the data folder's disk has enough free space for counters, metrics and copies."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free >= least:
        return []
    return [f"O disco de {folder} tem só {free // 1024**2} MiB livres: libere espaço."]


def check_certificate(certificate: Path, key: Path, host: str, now: datetime | None = None) -> list[str]:
    """Check the gateway's certificate: its host name, its validity, and whether the key matches."""
    now = now or datetime.now(UTC)
    try:
        leaf = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
        found = list(_check_validity(certificate, leaf, host, now))
    except (OSError, ValueError):
        return [f"Não é possível ler o certificado {certificate}."]
    try:
        private = load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError):
        return [*found, f"Não é possível ler a chave de {key}."]
    if private.public_key() != leaf.public_key():
        found.append(f"A chave de {key} não é a do certificado {certificate}.")
    if key.stat().st_mode & stat.S_IROTH:
        found.append(f"{key} pode ser lido por todos: `chmod o-rwx {key}`.")
    return found


def _check_validity(path: Path, leaf: x509.Certificate, host: str, now: datetime) -> Iterator[str]:
    begins, ends = leaf.not_valid_before_utc, leaf.not_valid_after_utc
    if now < begins:
        yield f"O certificado {path} só vale a partir de {begins:%d/%m/%Y}."
    if ends <= now + timedelta(days=DAYS_OF_NOTICE):
        yield f"O certificado {path} {'venceu' if ends <= now else 'vence'} em {ends:%d/%m/%Y}: troque-o por um novo."
    if not _is_for(leaf, host):
        yield f"O certificado {path} não é de {host}, o servidor de BALCAO_PUBLIC_URL."


def _is_for(leaf: x509.Certificate, host: str) -> bool:
    """Return whether a client would accept the certificate for this host. Only the subject alternative names count."""
    try:
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    try:
        return ipaddress.ip_address(host) in names.get_values_for_type(x509.IPAddress)
    except ValueError:
        pass
    wildcard = f"*.{host.partition('.')[2]}"
    return any(name.lower() in {host.lower(), wildcard.lower()} for name in names.get_values_for_type(x509.DNSName))


def _name_user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


async def _examine(look: Callable[[], list[str]], **details: Any) -> Part:
    problems = await asyncio.to_thread(list_seen, look)
    return Part(DOWN if problems else UP, details, problems)


CHECKS = (
    Check(
        name="secrets",
        part="installation",
        looks_at="the secrets of the settings, and the passwords in their addresses",
        wrong="two secrets that are equal: an attacker who learns one knows the other",
        remedy="use a different secret for each; `balcao init production` generates them",
        examine=lambda subject: _examine(lambda: check_secrets(subject.settings)),
        is_due=is_due_in_production,
    ),
    Check(
        name="files of settings",
        part="installation",
        looks_at="`/etc/balcao/*.env`",
        wrong="a file that others can read or that belongs to another user; example values; names that are not "
        "settings; a value without quotes that sh reads differently from systemd; a line that differs from the "
        "settings in force",
        remedy="`chmod 600` and `chown root`; write the city's own value; load the file before the command",
        examine=lambda subject: _examine(
            lambda: check_settings(subject.root, subject.environment), settings=is_installed(subject.root)
        ),
        is_due=is_due_in_production,
    ),
    Check(
        name="units",
        part="installation",
        looks_at="`/etc/systemd/system/balcao-*`, `/var/lib/balcao`, and the copies in `/var/lib/balcao-backup`",
        wrong="a unit that is missing or differs from what this release writes; a missing program or settings file; a "
        "folder that the units cannot write to, that others can open, or that contains files of another user "
        "(because a command was run as root)",
        remedy="run `balcao init production` again; put your own lines into `balcao-api.service.d/`; run the `chown` "
        "in the message",
        examine=lambda subject: _examine(lambda: check_units(subject.root, subject.settings)),
        is_due=is_due_in_production,
    ),
    Check(
        name="disk",
        part="installation",
        looks_at="the disk of the data folder",
        wrong="less than 1 GiB free",
        remedy="free space: counters, metrics and copies need it",
        examine=lambda subject: _examine(lambda: check_disk(subject.settings.data_dir)),
        is_due=is_due_in_production,
    ),
)
