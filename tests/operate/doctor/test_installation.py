"""`balcao doctor` on the files of `balcao init production`: it finds each fault and reports nothing else."""

import asyncio
import shutil
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from joserfc.jwk import RSAKey

from balcao.core.http.responses import Response, to_json
from balcao.gateway.instance import HEADER, name_instance
from balcao.operate.deploy import production
from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation
from balcao.operate.deploy.files import SECRET, File, write_files
from balcao.operate.deploy.gateways import FILES
from balcao.operate.deploy.production import (
    BACKUP_UNITS,
    OWNER_SETTINGS,
    SETTINGS,
    UNITS,
    Secrets,
    parse_settings,
)
from balcao.operate.doctor import diagnosis
from balcao.operate.doctor import gateway as installed_gateway
from balcao.operate.doctor import installation as installed
from balcao.operate.doctor import start as start_check
from balcao.operate.doctor.checks import DOWN, STOPPED, Part, Subject
from balcao.operate.doctor.issuers import MOST_SKEW_SECONDS, check_issuers, describe_skew, warning_of_issuers
from balcao.operate.gateway_config import generate_gateway
from balcao.settings import Settings
from tests.support.gateways import Certificate
from tests.support.issuer import Issuer, new_key
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer, free_port
from tests.support.single_services import handlers
from tests.support.terminal import Terminal

PEM, KEY = "etc/ssl/balcao/balcao.pem", "etc/ssl/balcao/balcao.key"
HOST = "balcao.cidade.gov.br"


class Installed:
    """A machine's root folder with every file in place. The processes use `settings`."""

    def __init__(self, root: Path, issuer: Issuer) -> None:
        self.root = root
        answers = Installation(f"https://{HOST}", issuer.address, allow_loopback_issuer=True)
        files = production.generate_production_files(answers, Secrets())
        write_files(root / "etc/balcao", {name: files[name] for name in (SETTINGS, OWNER_SETTINGS)}, replace=False)
        write_files(root / "etc/systemd/system", {unit: files[f"systemd/{unit}"] for unit in UNITS}, replace=False)
        write_files(root, {answers.program.lstrip("/"): File.of("#!/bin/sh\n", 0o755)}, replace=False)
        (root / "var/lib/balcao").mkdir(parents=True, mode=0o700)
        self.environment = self.read(SETTINGS) | self.read(OWNER_SETTINGS)
        self.settings = Settings.load(self.environment)
        (root / PEM).parent.mkdir(parents=True)
        self.certify()

    def read(self, name: str) -> dict[str, str]:
        return parse_settings((self.root / "etc/balcao" / name).read_text("utf-8"))

    def certify(self, name: str = HOST, days: int = 30) -> None:
        made = Certificate((self.root / PEM).parent, name, days)
        for path in (made.key, made.chain):
            path.chmod(SECRET)

    def add_gateway(self, kind: GatewayKind, port: int = 443) -> Path:
        """Write the gateway's configuration as `init production` does. Return its main file."""
        folder = self.root / installed_gateway.FOLDERS[kind]
        files = generate_gateway(
            kind, self.settings, ["127.0.0.1:8080", "search=10.0.0.2:8080"], Frontend(f"/{PEM}", f"/{KEY}", port)
        )
        write_files(folder, files, replace=True)
        return folder / FILES[kind]

    def check_gateway(self) -> list[str]:
        file, problems = installed_gateway.check_gateway(self.root, self.settings)
        assert file
        return problems

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text("utf-8")
        assert old in text
        (self.root / path).write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture
def machine(tmp_path: Path, issuer: Issuer) -> Installed:
    return Installed(tmp_path, issuer)


def test_what_init_wrote_is_well_where_it_belongs(machine: Installed) -> None:
    assert installed.check_settings(machine.root, machine.environment) == []
    assert installed.check_secrets(machine.settings) == []
    assert installed.check_units(machine.root, machine.settings) == []
    assert installed.is_installed(machine.root)
    for kind in GatewayKind:
        shutil.rmtree(machine.root / "etc/haproxy", ignore_errors=True)
        shutil.rmtree(machine.root / "etc/nginx", ignore_errors=True)
        machine.add_gateway(kind)
        assert machine.check_gateway() == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("BALCAO_PUBLIC_URL=https://balcao.cidade.example", "BALCAO_PUBLIC_URL ainda tem um valor de exemplo"),
        ("BALCAO_CRM_CLIENT_SECRET=<segredo>", "BALCAO_CRM_CLIENT_SECRET ainda tem um valor de exemplo"),
        ("BALCAO_FILES_S3_URL=https://s3.cidade.example", "BALCAO_FILES_S3_URL ainda tem um valor de exemplo"),
        ("BALCAO_SMTP_URL=TROQUE", "BALCAO_SMTP_URL ainda tem um valor de exemplo"),
        ("BALCAO_PROT=1", "BALCAO_PROT não é uma configuração e não tem efeito: quis dizer BALCAO_PORT?"),
        ("BALCAO_MAIL_FROM=balcao@cidade.gov.br", "BALCAO_MAIL_FROM não tem o valor escrito ali"),
        ("BALCAO_PANEL_CITY=Prefeitura de Cidade", "ponha entre aspas simples o valor de BALCAO_PANEL_CITY"),
    ],
)
def test_a_line_of_the_settings_that_is_wrong_or_not_in_force_is_named(
    machine: Installed, line: str, sentence: str
) -> None:
    path = machine.root / "etc/balcao" / SETTINGS
    path.write_text(f"{path.read_text()}{line}\n")
    found = "\n".join(installed.check_settings(machine.root, machine.environment))
    assert sentence in found
    assert "segredo>" not in found


def test_a_generated_secret_that_is_not_in_force_is_named_and_not_shown(machine: Installed) -> None:
    environment = machine.environment | {"BALCAO_HASH_KEY": "outra"}
    (found,) = installed.check_settings(machine.root, environment)
    assert "BALCAO_HASH_KEY não tem o valor escrito ali" in found
    assert machine.environment["BALCAO_HASH_KEY"] not in found
    del environment["BALCAO_HASH_KEY"]
    assert len(installed.check_settings(machine.root, environment)) == 1
    # A process that only serves calls does not have the owner's database login.
    del machine.environment["BALCAO_DATABASE_OWNER_URL"]
    assert installed.check_settings(machine.root, machine.environment) == []


def test_settings_that_others_may_read_or_own_are_named(machine: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.root / "etc/balcao" / OWNER_SETTINGS
    path.chmod(0o640)
    (found,) = installed.check_settings(machine.root, machine.environment)
    assert f"(modo 640): `chmod 600 {path}`" in found
    path.chmod(0o600)
    monkeypatch.setattr("os.geteuid", lambda: 54321)
    owned = path.stat().st_uid == 0  # true if the tests run as root
    assert ["é do usuário" in one for one in installed.check_settings(machine.root, machine.environment)] == (
        [] if owned else [True, True]
    )


def test_one_secret_for_two_things_is_named(machine: Installed) -> None:
    same = machine.settings.model_copy(update={"metrics_token": machine.settings.client_secret})
    assert installed.check_secrets(same) == [
        "BALCAO_CLIENT_SECRET e BALCAO_METRICS_TOKEN têm o mesmo segredo: use um para cada."
    ]
    address = machine.settings.database_url.replace("_app:", ":")
    reused = machine.settings.model_copy(update={"database_owner_url": address})
    (found,) = installed.check_secrets(reused)
    assert "a senha de BALCAO_DATABASE_OWNER_URL" in found


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("NoNewPrivileges=yes", "NoNewPrivileges=no", "difere do que esta versão escreve"),
        ("MemoryMax=90%", "", "difere do que esta versão escreve"),
        ("[Install]", "Environment=X=1\n[Install]", "como em `Environment=X=1`"),
        ("/opt/balcao/bin/balcao", "/opt/outro/balcao", "executa /opt/outro/balcao, que não existe"),
        ("EnvironmentFile=/etc/balcao/balcao.env", "EnvironmentFile=/etc/x.env", "lê /etc/x.env, que não existe"),
    ],
)
def test_a_unit_that_is_not_that_of_this_release_is_named(
    machine: Installed, old: str, new: str, sentence: str
) -> None:
    machine.edit(f"etc/systemd/system/{UNITS[0]}", old, new)
    assert sentence in "\n".join(installed.check_units(machine.root, machine.settings))


def test_a_unit_that_is_missing_and_a_folder_that_no_unit_may_write_to_are_named(machine: Installed) -> None:
    (machine.root / "etc/systemd/system" / UNITS[1]).unlink()
    elsewhere = machine.settings.model_copy(update={"data_dir": Path("/srv/balcao")})
    found = installed.check_units(machine.root, elsewhere)
    assert [UNITS[1] in found[0], "BALCAO_DATA_DIR é /srv/balcao" in found[1], len(found)] == [True, True, 2]
    for unit in (UNITS[0], UNITS[2]):
        (machine.root / "etc/systemd/system" / unit).unlink()
    assert installed.check_units(machine.root, elsewhere) == []  # containers have no units


def test_a_data_folder_that_is_open_or_holds_what_is_somebody_elses_is_named(
    machine: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = machine.root / "var/lib/balcao"
    (folder / "processes-8080").mkdir()
    folder.chmod(0o755)
    (found,) = installed.check_state_folder(folder)
    assert f"`chmod 700 {folder}`" in found
    folder.chmod(0o700)
    assert installed.check_state_folder(folder) == []
    own = folder.stat()

    class OtherOwner:
        st_uid = own.st_uid + 1

    monkeypatch.setattr(Path, "lstat", lambda _: OtherOwner)
    (found,) = installed.check_state_folder(folder)
    assert f"{folder / 'processes-8080'} não é do usuário" in found


def test_a_copy_that_the_nightly_unit_cannot_delete_is_named(
    machine: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(machine.root / "etc/systemd/system" / UNITS[0], machine.root / "etc/systemd/system" / BACKUP_UNITS[0])
    copy = machine.root / "var/lib/balcao-backup/base/20260102T030000Z"
    copy.mkdir(parents=True)
    own = copy.stat().st_uid

    class Status:
        def __init__(self, path: Path) -> None:
            self.st_uid = own + (path == copy)

    monkeypatch.setattr(Path, "lstat", lambda path: Status(path))
    found = " ".join(installed.check_units(machine.root, machine.settings))
    assert f"{copy} não é do usuário" in found


def test_a_disk_that_is_nearly_full_is_named(machine: Installed) -> None:
    assert installed.check_disk(machine.root / "not/yet/there", least=1) == []
    (found,) = installed.check_disk(machine.root, least=2**62)
    assert "libere espaço" in found


@pytest.mark.parametrize(
    ("name", "days", "sentence"),
    [
        (HOST, 13, "vence em"),
        (HOST, -1, "venceu em"),
        ("outra.cidade.gov.br", 30, f"não é de {HOST}"),
        ("*.gov.br", 30, f"não é de {HOST}"),
        ("127.0.0.1", 30, f"não é de {HOST}"),
    ],
)
def test_a_certificate_that_ends_or_is_somebody_elses_is_named(
    machine: Installed, name: str, days: int, sentence: str
) -> None:
    machine.certify(name, days)
    (found,) = installed.check_certificate(machine.root / PEM, machine.root / KEY, HOST)
    assert sentence in found


def test_a_certificate_is_for_addresses_and_for_a_whole_domain_too(machine: Installed) -> None:
    machine.certify("*.cidade.gov.br")
    assert installed.check_certificate(machine.root / PEM, machine.root / KEY, HOST) == []
    machine.certify("127.0.0.1")
    assert installed.check_certificate(machine.root / PEM, machine.root / PEM, "127.0.0.1") == []
    early = datetime.now(UTC) - timedelta(days=60)
    (found,) = installed.check_certificate(machine.root / PEM, machine.root / KEY, "127.0.0.1", early)
    assert "só vale a partir de" in found


def test_a_key_that_is_not_the_certificates_or_that_all_may_read_is_named(machine: Installed, tmp_path: Path) -> None:
    pem, key = machine.root / PEM, machine.root / KEY
    kept = key.read_bytes()
    (tmp_path / "other").mkdir()
    key.write_bytes(Certificate(tmp_path / "other").key.read_bytes())
    assert "não é a do certificado" in installed.check_certificate(pem, key, HOST)[0]
    key.write_bytes(kept)
    key.chmod(0o644)
    assert "`chmod o-rwx" in installed.check_certificate(pem, key, HOST)[0]
    key.write_bytes(b"x")
    assert "Não é possível ler a chave" in installed.check_certificate(pem, key, HOST)[0]
    assert "Não é possível ler o certificado" in installed.check_certificate(key, key, HOST)[0]
    assert "Não é possível ler o certificado" in installed.check_certificate(pem.with_name("none"), key, HOST)[0]


@pytest.mark.parametrize("kind", list(GatewayKind))
def test_a_gateway_of_other_settings_or_another_release_is_named_with_the_command(
    machine: Installed, kind: GatewayKind
) -> None:
    path = machine.add_gateway(kind)
    machine.settings = machine.settings.model_copy(update={"machine_read_rate": "900/second"})
    (found,) = machine.check_gateway()
    assert str(path) in found
    assert f"balcao gateway-config {kind} --server=127.0.0.1:8080 --server=search=10.0.0.2:8080" in found
    assert f"--folder={path.parent} --replace" in found
    assert f"systemctl reload {kind}" in found
    machine.add_gateway(kind)
    assert machine.check_gateway() == []
    path.write_text(path.read_text() + "# ours\n")
    assert len(machine.check_gateway()) == 1


def test_a_haproxy_without_the_providers_newest_key_is_named(machine: Installed, issuer: Issuer) -> None:
    machine.add_gateway(GatewayKind.HAPROXY)
    issuer.keys.append(new_key())
    try:
        (found,) = machine.check_gateway()
    finally:
        issuer.keys.pop()
    assert "keys/" in found


def test_a_provider_that_gives_another_key_an_old_name_is_told_apart_from_a_rotation(
    machine: Installed, issuer: Issuer
) -> None:
    machine.add_gateway(GatewayKind.HAPROXY)
    (old,) = issuer.keys
    issuer.keys[:] = [RSAKey.import_key(new_key().as_pem(private=True), {"kid": str(old.kid)})]
    try:
        reused, differing = machine.check_gateway()
    finally:
        issuer.keys[:] = [old]
    assert f"outra chave com o nome (`kid`) {old.kid}" in reused
    for sentence in (reused, differing):
        assert "balcao gateway-config haproxy" in sentence
        assert "--replace" in sentence


async def test_a_gateway_that_is_stopped_while_the_processes_answer_is_named(machine: Installed) -> None:
    """Doctor gets its response directly from the processes, so it does not know whether the gateway works."""
    alive: Response[Any] = to_json({}, headers={HEADER: name_instance(machine.settings)})

    async def look(port: int, settings: Settings) -> Part:
        await asyncio.to_thread(machine.add_gateway, GatewayKind.NGINX, port)
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            found = await installed_gateway.CHECK.examine(Subject(settings, http, machine.root))
        assert found is not None
        return found

    with RunningServer(handlers({("GET", "/liveness"): lambda _: alive})) as server:
        served = machine.settings.model_copy(update={"port": server.port})
        stopped = await look(free_port(), served)
        assert stopped.state == DOWN
        assert "systemctl start nginx" in " ".join(stopped.problems)
        assert "systemctl start" not in " ".join((await look(server.port, served)).problems)
    assert (await look(free_port(), machine.settings)).state == STOPPED


def test_a_configuration_that_is_not_ours_is_left_alone(machine: Installed) -> None:
    (machine.root / "etc/haproxy").mkdir()
    (machine.root / "etc/haproxy/haproxy.cfg").write_text("global\n    daemon\n")
    assert installed_gateway.check_gateway(machine.root, machine.settings) == (None, [])


async def test_a_client_that_the_provider_does_not_know_is_named(machine: Installed, issuer: Issuer) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        assert (await check_issuers(machine.settings, http)).problems == []
        issuer.secret = "outro"
        try:
            (found,) = (await check_issuers(machine.settings, http)).problems
        finally:
            issuer.secret = None
    assert "recusou o cliente balcao-platform (401)" in found


@pytest.fixture
def private(tmp_path: Path) -> Iterator[str]:
    """Yield a provider whose certificate was issued by an authority that only the city trusts."""
    certificate = Certificate(tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


async def test_a_certificate_of_a_private_authority_is_told_as_such(private: str, tmp_path: Path) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        (found,) = (await check_issuers(Settings(auth_issuer=private), http)).problems
    answers = ("init", "production", "--public-url=https://balcao.cidade.gov.br", f"--auth-issuer={private}")
    for said in (found, Terminal(tmp_path).refusal(*answers)):
        assert f"O certificado de {private}" in said
        assert "SSL_CERT_FILE" in said


def test_what_is_doubtful_in_the_settings_is_said_at_the_start(machine: Installed) -> None:
    environment = machine.environment | {"BALCAO_PUBLIC_URL": "http://balcao.cidade.gov.br", "BALCAO_PROT": "1"}
    unknown, open_to_all = start_check.list_warnings(Settings.load(machine.environment | environment), environment)
    assert "quis dizer BALCAO_PORT?" in unknown
    assert "BALCAO_PUBLIC_URL é http://balcao.cidade.gov.br, sem TLS" in open_to_all
    assert list(start_check.list_warnings(machine.settings, machine.environment)) == []


@pytest.mark.long
def test_a_start_writes_what_is_doubtful_into_its_log(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, database_url="postgresql://a@127.0.0.1:9/b", port=free_port(), prot=1)
    for command in ("serve", "worker"):
        assert "quis dizer BALCAO_PORT?" in terminal.refusal(command)


async def test_a_start_says_which_issuer_publishes_no_keys(
    machine: Installed, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    silent = f"http://127.0.0.1:{free_port()}/realms/cidade"
    settings = machine.settings.model_copy(update={"auth_issuer": f"{issuer.address},{silent}"})
    async with warning_of_issuers(settings):
        async with asyncio.timeout(PATIENCE):
            while silent not in caplog.text:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0)
    assert f"Não é possível ler as chaves do emissor {silent}" in caplog.text
    assert caplog.text.count("settings.doubtful") == 1


@pytest.mark.parametrize(("ahead", "word"), [(60, "adiantado"), (-60, "atrasado")])
async def test_a_clock_that_is_not_the_databases_or_the_providers_is_named(
    database_url: str, issuer: Issuer, tmp_path: Path, ahead: int, word: str
) -> None:
    settings = Settings(auth_issuer=issuer.address, database_url=database_url, data_dir=tmp_path)

    def now() -> float:
        return datetime.now(UTC).timestamp() + ahead

    found = "\n".join((await diagnosis.diagnose(settings, tmp_path, now)).problems)
    assert f"60 s {word} em relação ao do banco de dados" in found
    assert f"{word} em relação ao do provedor em {issuer.address}" in found
    assert describe_skew("x", MOST_SKEW_SECONDS) == []


async def test_a_command_that_has_not_read_the_installations_settings_says_so(machine: Installed) -> None:
    """Without these settings, doctor would examine a healthy demonstration and not the faulty installation."""
    found = await diagnosis.diagnose(Settings(data_dir=machine.root / "data", port=9), machine.root)
    assert not found.ok
    assert "este comando não o leu" in "\n".join(found.problems)


def test_who_may_not_look_is_told_to_be_root() -> None:
    def look() -> list[str]:
        raise PermissionError(13, "", "/etc/balcao/balcao.env")

    (found,) = installed.list_seen(look)
    assert found == "/etc/balcao/balcao.env não pode ser visto por este usuário: execute `balcao doctor` como root."


def test_the_whole_of_it_is_asked_by_the_command(machine: Installed, tmp_path: Path) -> None:
    machine.add_gateway(GatewayKind.NGINX)
    (machine.root / "etc/balcao" / SETTINGS).chmod(0o644)
    machine.edit(f"etc/systemd/system/{UNITS[2]}", "MemoryMax=1G", "MemoryMax=2G")
    machine.certify(days=3)
    terminal = Terminal(tmp_path)
    terminal.environment |= machine.environment | {"BALCAO_DATABASE_URL": "postgresql://a:b@127.0.0.1:9/b"}
    said = terminal.run("doctor", "--json", "--root", str(machine.root))
    assert said.returncode == 1
    for word in ("chmod 600", UNITS[2], "vence em", "BALCAO_DATABASE_URL não tem o valor escrito ali"):
        assert word in said.stdout
    assert machine.environment["BALCAO_HASH_KEY"] not in said.stdout
