"""Third-party gateways on a loopback port in front of our processes, with the configuration that we generate."""

import contextlib
import datetime
import os
import ssl
import subprocess
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from balcao.operate.deploy import gateways
from balcao.operate.deploy.answers import Frontend
from balcao.operate.deploy.files import write_files
from balcao.operate.deploy.gateways import Plan
from tests.support.polling import PATIENCE, until_now

# The main configuration file, which distributions normally provide. With it, nginx writes only into the folder.
_NGINX = """
daemon off; pid {folder}/pid; worker_processes 1; {user} error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/balcao.conf;
}}
"""


def find(kind: str) -> str:
    """Return the path of the gateway's program, or fail the test with an instruction."""
    if kind == "envoy":
        return str(validators() / kind)
    variable = f"BALCAO_{kind.upper()}"
    return os.environ.get(variable) or _fail(kind, variable, kind)


def validators() -> Path:
    """Return the folder with Envoy and the validators of deployment files, or fail the test with an instruction."""
    variable = "BALCAO_VALIDATORS"
    return Path(os.environ.get(variable) or _fail("o que confere os arquivos de instalação", variable, "validators"))


def manifest_tools() -> Path:
    """Return the folder with the tools for compose files, kustomizations and charts, or fail with an instruction."""
    variable = "BALCAO_MANIFEST_TOOLS"
    return Path(os.environ.get(variable) or _fail("o kustomize, o Helm e o leitor do Compose", variable, "manifests"))


def _fail(what: str, variable: str, name: str) -> NoReturn:
    pytest.fail(
        f"Este teste precisa de {what}: ponha o caminho em {variable} (`tools/{name}` o mostra), "
        f'ou deixe-o de fora com -m "not {name}".',
        pytrace=False,
    )


# HAProxy gives up root privileges, which works only if root started it.
_ROOTLESS = {} if os.geteuid() == 0 else {"HAPROXY_ROOTLESS": "1"}


class Certificate:
    """A self-signed server certificate, by default for the loopback address.

    The file `chain` contains the certificate and the key.
    """

    def __init__(self, folder: Path, name_of_server: str = "127.0.0.1", days: int = 30) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.UTC)
        is_address = name_of_server.replace(".", "").isdigit()
        server = x509.IPAddress(ip_address(name_of_server)) if is_address else x509.DNSName(name_of_server)
        alternatives = x509.SubjectAlternativeName([server])
        made = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=30))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(alternatives, critical=False)
            .sign(key, hashes.SHA256())
        )
        public = made.public_bytes(serialization.Encoding.PEM)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self.key, self.chain = folder / "balcao.key", folder / "balcao.pem"
        self.key.write_bytes(private)
        self.chain.write_bytes(public + private)
        self.trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.trust.load_verify_locations(self.chain)

    def frontend(self, port: int) -> Frontend:
        return Frontend(str(self.chain), str(self.key), port, 0)


def check(kind: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Let the gateway itself check the configuration in the folder."""
    program = find(kind)
    command = {
        "haproxy": [program, "-c", "-f", str(folder / "haproxy.cfg")],
        "nginx": [program, "-t", "-p", str(folder), "-c", str(folder / "nginx.conf")],
        "envoy": [program, "--mode", "validate", "-c", str(folder / "envoy.yaml")],
    }[kind]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def prepare(kind: str, plan: Plan, folder: Path) -> None:
    """Write the gateway's configuration and check it. For nginx, also write the main configuration file."""
    write_files(folder, gateways.generate_gateway_files(kind, plan), replace=True)
    if kind == "nginx":
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, user=user))
        own = folder / "balcao.conf"
        own.write_text(own.read_text("utf-8").replace("/var/log/nginx/", f"{folder}/"), "utf-8")
    checked = check(kind, folder)
    assert checked.returncode == 0, checked.stderr + checked.stdout


def start(kind: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start the gateway with the configuration in the folder, in its own process group."""
    command = {
        "haproxy": ["-db", "-f", "haproxy.cfg"],
        "nginx": ["-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")],
        "envoy": ["-c", "envoy.yaml", "--concurrency", "1", "--use-dynamic-base-id", "--log-level", "error"],
    }[kind]
    with (folder / "output.log").open("wb") as output:
        return subprocess.Popen(
            [find(kind), *command],
            cwd=folder,
            stdout=output,
            stderr=output,
            env=os.environ | _ROOTLESS,
            start_new_session=True,
        )


@contextlib.contextmanager
def running(kind: str, plan: Plan, folder: Path, certificate: Certificate) -> Iterator[httpx.Client]:
    """Run the gateway, and yield a client that calls it over HTTPS."""
    prepare(kind, plan, folder)
    base = f"https://127.0.0.1:{plan.frontend.https_port}"
    with (
        start(kind, folder) as process,
        httpx.Client(base_url=base, timeout=PATIENCE, verify=certificate.trust) as client,
    ):
        try:
            until_now(lambda: process.poll() is not None or _serves(client))
            assert process.poll() is None, (folder / "output.log").read_text()
            yield client
        finally:
            process.terminate()


def _serves(client: httpx.Client) -> bool:
    """Return whether the gateway, the registry and the access service are ready."""
    try:
        answers = [client.get(path) for path in ("/liveness", "/registry/v1/readiness", "/access/readiness")]
    except httpx.TransportError:
        return False
    return all(answer.status_code == 200 for answer in answers)
