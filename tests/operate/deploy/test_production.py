"""The files that `balcao init production` writes: their tools accept them, and no existing file is overwritten."""

import asyncio
import json
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import yaml

from balcao import __version__, app
from balcao.core.context.processes import SINGLE_PROCESS
from balcao.operate.deploy import production
from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation
from balcao.operate.deploy.files import SECRET, File, write_files
from balcao.operate.deploy.production import Secrets, parse_settings
from balcao.operate.doctor import gateway as installed_gateway
from balcao.operate.gateway_config import generate_gateway
from balcao.settings import Settings
from tests.support import databases
from tests.support.gateways import Certificate, manifest_tools, validators
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer, free_port
from tests.support.terminal import Terminal

ANSWERS = (
    "--public-url=https://balcao.cidade.example",
    "--auth-issuer=https://login.cidade.example:8443/realms/cidade",
    "--gateway=nginx",
)
# Answers that add every optional part to an installation.
MORE = (
    "--database=banco.cidade.example:5432",
    "--replica=replica-1.cidade.example:5433",
    "--replica=replica-2.cidade.example:5432",
    "--redis-url=rediss://:senha@redis.cidade.example:6380/0",
    "--traces-url=http://coletor.cidade.example:4318",
    "--management-host=10.0.0.5",
)
ROOT = Path(__file__).parents[3]
systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="não há systemd-analyze nesta máquina")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run `balcao init production` with all answers, and return the folder that it wrote."""
    home = tmp_path_factory.mktemp("init")
    done = Terminal(home).run("init", "production", *ANSWERS, *MORE, f"--program={shutil.which('true')}")
    assert done.returncode == 0, done.stderr
    return home / "production"


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@systemd
def test_systemd_takes_the_units_and_finds_little_exposed(folder: Path) -> None:
    units = [
        *(folder / "systemd").iterdir(),
        *(folder / "backup").glob("*.service"),
        *(folder / "backup").glob("*.timer"),
    ]
    assert len(units) == 9
    assert run("systemd-analyze", "verify", *units) == ""
    for unit in [unit for unit in units if unit.suffix == ".service"]:
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit)


def test_no_unit_hides_what_the_metrics_of_its_process_are_read_from(folder: Path) -> None:
    """`ProcSubset=pid` hides `/proc/stat`, which the `process_*` metrics need."""
    for unit in (folder / "systemd").iterdir():
        assert "ProcSubset" not in unit.read_text("utf-8"), unit.name


def test_a_migration_that_fails_or_runs_again_stops_no_unit(folder: Path) -> None:
    texts = {unit.name: unit.read_text("utf-8") for unit in (folder / "systemd").iterdir()}
    assert "\nRestart=on-failure\n" in texts["balcao-migrate.service"]
    for name, text in texts.items():
        assert not re.search(r"^(Requires|Requisite|BindsTo|PartOf)=.*balcao-migrate", text, re.MULTILINE), name


def test_every_unit_that_a_manual_starts_or_reads_is_written(folder: Path) -> None:
    written = {unit.name for part in ("systemd", "backup") for unit in (folder / part).iterdir()}
    for page in (ROOT / "docs/operate").glob("*.md"):
        typed = " ".join(re.findall(r"\b(?:systemctl|journalctl) [^`\n]*", page.read_text("utf-8")))
        named = {Path(name) for name in re.findall(r"\bbalcao-[a-z-]+[a-z](?:\.[a-z]+)?", typed)}
        assert {str(name if name.suffix else name.with_suffix(".service")) for name in named} <= written, page.name


@pytest.mark.validators
def test_kubernetes_takes_the_manifests(folder: Path, tmp_path: Path) -> None:
    """The kustomization must list all manifests. Only kustomize itself has a schema for a kustomization."""
    manifests = folder / "kubernetes"
    listed = yaml.safe_load((manifests / "kustomization.yaml").read_text("utf-8"))["resources"]
    listed.append("ingress.yaml")  # the city adapts this example
    assert sorted([*listed, "kustomization.yaml"]) == sorted(path.name for path in manifests.iterdir())
    documents = [one for name in listed for one in yaml.safe_load_all((manifests / name).read_text("utf-8"))]
    for number, document in enumerate(documents):
        (tmp_path / f"{number}.json").write_text(json.dumps(document))
    run(validators() / "kubernetes-validate", "--strict", "--no-warn", *tmp_path.iterdir())
    assert sorted(document["kind"] for document in documents) == sorted(
        "Deployment Service PodDisruptionBudget HorizontalPodAutoscaler Deployment PodDisruptionBudget Job "
        "NetworkPolicy Deployment Service PodDisruptionBudget Ingress".split()
    )


@pytest.mark.validators
def test_compose_takes_its_file(folder: Path) -> None:
    program = "import compose_spec, sys; compose_spec.PyCompose.from_json(sys.argv[1]).to_spec()"
    composed = yaml.safe_load(
        (folder / "container/compose.yaml").read_text("utf-8")
    )  # compose-spec does not merge anchors, but PyYAML does
    run(validators() / "python", "-c", program, json.dumps(composed))


@pytest.mark.validators
def test_hadolint_finds_nothing_in_the_container_file(folder: Path) -> None:
    assert run(validators() / "hadolint", folder / "container/Containerfile") == ""


def test_nothing_in_a_container_may_write_or_gain_rights(folder: Path) -> None:
    """All containers and pods use the account from the container file."""
    lines = (folder / "container/Containerfile").read_text("utf-8").splitlines()
    (account,) = {line.split()[1] for line in lines if line.startswith("USER ")}
    services = yaml.safe_load((folder / "container/compose.yaml").read_text("utf-8"))["services"]
    assert services.keys() == {"migrate", "api", "worker", "panel"}
    for service in services.values():
        assert (service["read_only"], service["user"], service["cap_drop"]) == (True, account, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
    documents = [
        one for path in (folder / "kubernetes").iterdir() for one in yaml.safe_load_all(path.read_text("utf-8"))
    ]
    pods = [one["spec"]["template"]["spec"] for one in documents if one["kind"] in {"Deployment", "Job"}]
    assert len(pods) == len(services)
    for pod in pods:
        own = pod["securityContext"]
        assert (own["runAsNonRoot"], f"{own['runAsUser']}:{own['runAsGroup']}") == (True, account)
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@pytest.mark.validators
@pytest.mark.manifests
def test_docker_compose_and_kubectl_read_what_is_meant(folder: Path, tmp_path: Path) -> None:
    """Use the libraries that these tools contain.

    The objects that kustomize builds also match the Kubernetes schemas.
    """
    composed = yaml.safe_load(run(manifest_tools() / "cmd", folder / "container/compose.yaml"))
    assert composed["services"]["api"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    made = list(yaml.safe_load_all(run(manifest_tools() / "kustomize", "build", folder / "kubernetes")))
    assert {one["metadata"]["namespace"] for one in made} == {"balcao"}
    pods = [one["spec"]["template"]["spec"] for one in made if one["kind"] in {"Deployment", "Job"}]
    images = {container["image"] for pod in pods for container in pod["containers"]}
    assert images == {f"balcao:{__version__}"}
    for number, document in enumerate(made):
        (tmp_path / f"{number}.json").write_text(json.dumps(document))
    run(validators() / "kubernetes-validate", "--strict", "--no-warn", *tmp_path.iterdir())


def test_no_secret_stands_in_a_file_that_others_may_read(folder: Path) -> None:
    own = vars(Secrets.of(folder)).values()
    assert len(set(own)) == 16
    assert all(len(bytes.fromhex(secret)) == 32 for secret in own)
    for path in (path for path in folder.rglob("*") if path.is_file()):
        is_secret = any(secret in path.read_text("utf-8") for secret in own)
        assert stat.S_IMODE(path.stat().st_mode) == (0o600 if is_secret else 0o644), path
        assert is_secret == (path.name in {"balcao.env", "balcao-owner.env", "balcao-backup.env", "roles.sql"})


@pytest.mark.long
def test_other_answers_keep_the_secrets_and_overwrite_nothing_unasked(tmp_path: Path) -> None:
    terminal, settings = Terminal(tmp_path), tmp_path / "production/balcao.env"
    assert "--public-url" in terminal.refusal("init", "production")
    assert terminal.run("init", "production", *ANSWERS).returncode == 0
    first = settings.read_text("utf-8")
    assert terminal.run("init", "production", *ANSWERS).stdout.startswith("0 de 16 arquivos")
    assert "balcao.env" in terminal.refusal("init", "production", *ANSWERS, "--port=9000")
    assert settings.read_text("utf-8") == first
    assert terminal.run("init", "production", *ANSWERS, "--port=9000", "--replace").returncode == 0
    assert settings.read_text("utf-8") == first.replace("BALCAO_PORT=8080", "BALCAO_PORT=9000")


@pytest.mark.parametrize(
    "wrong",
    [
        "--auth-issuer=http://login.cidade.example",
        "--database=db",
        "--database=db-1:5432,db-2",
        "--database-name=a;b",
        "--image=balcao",
        "--replica=replica-1",
        "--redis-url=redis.cidade.example:6379",
        "--traces-url=http://coletor:porta",
    ],
)
def test_an_answer_that_no_process_would_start_with_is_refused(tmp_path: Path, wrong: str) -> None:
    assert Terminal(tmp_path).refusal("init", "production", *ANSWERS, wrong)
    assert not (tmp_path / "production").exists()


def test_what_an_installation_has_besides_stands_in_all_its_files(folder: Path) -> None:
    settings = Settings.load(_read(folder / production.SETTINGS))
    own = Secrets.of(folder)
    assert settings.database_read_url == (
        f"postgresql://balcao_app:{own.app_password}@replica-1.cidade.example:5433,replica-2.cidade.example:5432/balcao"
    )
    assert settings.redis_url == "rediss://:senha@redis.cidade.example:6380/0"
    assert settings.traces_url == "http://coletor.cidade.example:4318"
    assert settings.management_host == "10.0.0.5"
    assert "requirements-traces.lock balcao-*.whl" in (folder / "container/Containerfile").read_text("utf-8")
    policy = yaml.safe_load((folder / "kubernetes/network.yaml").read_text("utf-8"))
    called = {each["port"] for rule in policy["spec"]["egress"] for each in rule["ports"]}
    assert called == {53, 443, 587, 8080, 4318, 5432, 5433, 6380, 8443}


def test_containers_reach_a_database_on_this_machine_and_pods_are_not_promised_to(tmp_path: Path) -> None:
    """The default database is on `localhost`, which inside a container is the container itself."""
    terminal = Terminal(tmp_path)
    done = terminal.run("init", "production", *ANSWERS)
    services = yaml.safe_load((tmp_path / "production/container/compose.yaml").read_text("utf-8"))["services"]
    for service in services.values():
        assert service["network_mode"] == "host"
        assert "ports" not in service
    assert "Kubernetes" in done.stdout
    assert not (tmp_path / "production/kubernetes").exists()
    assert not (tmp_path / "production/helm").exists()
    assert (
        terminal.run("init", "production", *ANSWERS, "--database=banco.cidade.example:5432", "--replace").returncode
        == 0
    )
    assert (tmp_path / "production/kubernetes").exists()
    assert (tmp_path / "production/helm").exists()


def test_every_container_can_be_given_a_private_ca(folder: Path) -> None:
    services = yaml.safe_load((folder / "container/compose.yaml").read_text("utf-8"))["services"]
    for service in services.values():
        bundle = service["environment"]["SSL_CERT_FILE"]
        assert [mounted.split(":")[-2:] for mounted in service["volumes"]][:1] == [[bundle, "ro"]]
    documents = [
        one for path in (folder / "kubernetes").iterdir() for one in yaml.safe_load_all(path.read_text("utf-8"))
    ]
    for pod in [one["spec"]["template"]["spec"] for one in documents if one["kind"] in {"Deployment", "Job"}]:
        (volume,) = [each for each in pod["volumes"] if "configMap" in each]
        assert volume["configMap"] == {"name": "balcao-certificates", "optional": True}
        (container,) = pod["containers"]
        assert volume["name"] in {mounted["name"] for mounted in container["volumeMounts"]}
        (source,) = [each["valueFrom"] for each in container["env"] if each["name"] == "SSL_CERT_FILE"]
        assert source["configMapKeyRef"] == {"name": "balcao-certificates", "key": "path", "optional": True}


def test_the_ingress_leads_the_public_address_to_the_services(folder: Path) -> None:
    ingress = yaml.safe_load((folder / "kubernetes/ingress.yaml").read_text("utf-8"))
    (rule,) = ingress["spec"]["rules"]
    assert rule["host"] == "balcao.cidade.example"
    assert ingress["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "balcao-tls"}]
    assert {path["backend"]["service"]["name"] for path in rule["http"]["paths"]} == {"balcao-api"}


def test_several_database_servers_are_an_answer_and_their_ports_are_opened(tmp_path: Path) -> None:
    servers = "db-1.cidade.example:5432,db-2.cidade.example:5433"
    done = Terminal(tmp_path).run("init", "production", *ANSWERS, f"--database={servers}")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "production"
    own = Secrets.of(folder)
    settings = Settings.load(_read(folder / production.SETTINGS))
    assert settings.database_url == f"postgresql://balcao_app:{own.app_password}@{servers}/balcao"
    policy = yaml.safe_load((folder / "kubernetes/network.yaml").read_text("utf-8"))
    assert {5432, 5433} <= {each["port"] for rule in policy["spec"]["egress"] for each in rule["ports"]}


def test_what_it_has_not_stands_in_the_settings_as_a_comment() -> None:
    files = production.generate_production_files(
        Installation("https://balcao.cidade.example", "https://login.cidade.example"), Secrets()
    )
    text = files[production.SETTINGS].content.decode()
    for name in ("BALCAO_DATABASE_READ_URL", "BALCAO_REDIS_URL", "BALCAO_TRACES_URL"):
        assert f"\n#{name}=" in text
        assert name not in parse_settings(text)
    # Every setting that is commented out has a valid value.
    Settings.load(parse_settings(re.sub(r"(?m)^#(?=[A-Z])", "", text)))


class Prepared:
    """A database that an administrator has prepared with an installation's SQL, and the settings for it."""

    def __init__(self, folder: Path, issuer: Issuer) -> None:
        name = databases.new_name("city")
        answers = Installation(
            "http://127.0.0.1",
            issuer.address,
            database_name=name,
            allow_loopback_issuer=True,
            port=free_port(),
            management_port=free_port(),
        )
        files = production.generate_production_files(answers, Secrets())
        write_files(folder, files, replace=False)
        self.names = (name, f"{name}_app")
        server = databases.url_of("template1")
        asyncio.run(_administer(server, (folder / production.ROLES).read_text("utf-8")))
        settings = {**_read(folder / production.SETTINGS), **_read(folder / production.OWNER_SETTINGS)}
        for variable in ("BALCAO_DATABASE_URL", "BALCAO_DATABASE_OWNER_URL"):
            settings[variable] = settings[variable].replace("localhost:5432", "") + "?" + server.partition("?")[2]
        local = {"BALCAO_DATA_DIR": str(folder / "data"), "BALCAO_PUBLIC_URL": f"http://127.0.0.1:{answers.port}"}
        self.settings = settings | local

    def remove(self) -> None:
        name, role = self.names
        databases.drop(name)
        asyncio.run(_administer(databases.url_of("template1"), f"DROP ROLE {role};\nDROP ROLE {name};\n"))


def _read(path: Path) -> dict[str, str]:
    return parse_settings(path.read_text("utf-8"))


async def _administer(url: str, script: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in script.strip().split(";\n"):
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture
def prepared(tmp_path: Path, issuer: Issuer) -> Iterator[Prepared]:
    made = Prepared(tmp_path, issuer)
    yield made
    made.remove()


def install(prepared: Prepared, settings: Settings, root: Path) -> Path:
    """Copy the settings and the gateway configuration into their folders under `root`. Return `root`."""
    lines = "".join(f"{name}='{value}'\n" for name, value in prepared.settings.items())
    write_files(root / "etc/balcao", {production.SETTINGS: File.of(lines, SECRET)}, replace=False)
    certificate = Certificate(root)
    certificate.key.chmod(SECRET)
    # Our processes listen directly on the gateway's port.
    front = Frontend(f"/{certificate.chain.name}", f"/{certificate.key.name}", settings.port)
    files = generate_gateway(GatewayKind.NGINX, settings, [f"127.0.0.1:{settings.port}"], front)
    write_files(root / installed_gateway.FOLDERS[GatewayKind.NGINX], files, replace=False)
    return root


@pytest.mark.long
def test_the_platform_starts_on_the_prepared_database_with_exactly_these_roles(
    prepared: Prepared, tmp_path: Path
) -> None:
    terminal = Terminal(tmp_path)
    terminal.environment |= prepared.settings
    assert terminal.run("migrate").returncode == 0
    settings = Settings.load(prepared.settings)
    assert settings.list_refusals(with_worker=True) == []
    managed = app.build_management(settings, settings.database_url, SINGLE_PROCESS, [], with_jobs=False)
    token = {"Authorization": f"Bearer {settings.metrics_token.get_secret_value()}"}
    root = install(prepared, settings, tmp_path / "machine")

    def diagnose() -> Any:
        return json.loads(terminal.run("doctor", "--json", "--root", str(root)).stdout)

    with RunningServer(app.build_application(settings, settings.database_url), settings.port) as server:
        assert httpx.get(f"{server.url}/registry/v1/readiness", timeout=PATIENCE).status_code == 200
        assert httpx.get(f"{server.url}/metrics", headers=token, timeout=PATIENCE).status_code == 404
        problems = diagnose()["problems"]
        assert len(problems) == 1, problems
        (problem,) = problems
        assert "mas a porta de gestão" in problem
        with RunningServer(managed, settings.management_port) as management:
            assert httpx.get(f"{management.url}/metrics", timeout=PATIENCE).status_code == 401
            assert httpx.get(f"{management.url}/metrics", headers=token, timeout=PATIENCE).status_code == 200
            diagnosis = diagnose()
            terminal.environment["BALCAO_METRICS_TOKEN"] = "outro"
            assert any("recusam BALCAO_METRICS_TOKEN" in one for one in diagnose()["problems"])
    assert diagnosis["problems"] == []
    assert {name: diagnosis["parts"][name]["state"] for name in ("installation", "gateway", "management")} == {
        "installation": "up",
        "gateway": "up",
        "management": "up",
    }
    assert diagnosis["parts"]["installation"]["details"] == {"settings": True}
    assert diagnosis["parts"]["database"]["details"]["login"] == prepared.names[1]
