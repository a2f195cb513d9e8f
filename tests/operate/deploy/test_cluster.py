"""The programs of a cluster accept the files that `balcao init production --cluster` writes for them."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation
from balcao.operate.deploy.files import write_files
from balcao.operate.deploy.production import Secrets
from balcao.operate.faults import OperatorFault
from balcao.operate.installation import generate_installation

HOSTS = ("banco-1", "banco-2", "banco-3")


def generate(folder: Path, hosts: tuple[str, ...] = HOSTS) -> None:
    installation = Installation(
        public_url="https://balcao.cidade.example",
        auth_issuer="https://login.cidade.example/realms/cidade",
        database=",".join(f"{host}:5432" for host in hosts),
        cluster=hosts,
        folder=str(folder),
    )
    own = Secrets.of(folder)
    files = generate_installation(installation, own, GatewayKind.NGINX, ["127.0.0.1:8080"], Frontend())
    write_files(folder, files, replace=True)


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_each_server_gets_its_files_and_a_second_run_keeps_the_passwords(tmp_path: Path) -> None:
    generate(tmp_path)
    first = read(tmp_path)
    assert {f"cluster/{host}/{name}" for host in HOSTS for name in ("config.yml", "etcd")} <= {*first}
    assert (tmp_path / "cluster/patroni.env").stat().st_mode & 0o777 == 0o600
    assert "@banco-1:5432,banco-2:5432,banco-3:5432/balcao" in first["balcao.env"]
    generate(tmp_path)
    assert read(tmp_path) == first


def test_only_an_odd_number_of_servers_can_decide(tmp_path: Path) -> None:
    for hosts in (HOSTS[:2], (*HOSTS, "banco-4"), ("banco-1", "banco-1", "banco-2"), ("banco-1:5432", *HOSTS[1:])):
        with pytest.raises(OperatorFault, match="--cluster"):
            generate(tmp_path, hosts)
    assert not read(tmp_path)


def test_commits_wait_for_a_replica_even_when_none_is_left(tmp_path: Path) -> None:
    generate(tmp_path)
    for host in HOSTS:
        dcs = yaml.safe_load((tmp_path / f"cluster/{host}/config.yml").read_text())["bootstrap"]["dcs"]
        assert (dcs["synchronous_mode"], dcs["synchronous_mode_strict"]) == (True, True)
        assert dcs["loop_wait"] + 2 * dcs["retry_timeout"] <= dcs["ttl"]


@pytest.mark.haproxy
def test_haproxy_accepts_its_file(tmp_path: Path) -> None:
    generate(tmp_path, ("127.0.0.1", "127.0.0.2", "127.0.0.3"))
    command = [os.environ["BALCAO_HAPROXY"], "-c", "-f", str(tmp_path / "cluster/haproxy.cfg")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_server_with_a_name_listens_on_all_addresses_and_one_with_an_address_on_that_one(tmp_path: Path) -> None:
    """etcd listens on no name, and Debian's installer gives the machine's own name the address 127.0.1.1."""
    generate(tmp_path)
    generate(tmp_path / "addresses", ("10.0.2.11", "10.0.2.12", "10.0.2.13"))
    for host, folder, listen in (("banco-1", tmp_path, "0.0.0.0"), ("10.0.2.11", tmp_path / "addresses", "10.0.2.11")):  # noqa: S104
        own = folder / "cluster" / host
        assert f"ETCD_LISTEN_PEER_URLS=http://{listen}:2380\n" in (own / "etcd").read_text()
        postgresql = yaml.safe_load((own / "config.yml").read_text())["postgresql"]
        assert (postgresql["listen"], postgresql["connect_address"]) == (f"{listen}:5432", f"{host}:5432")
