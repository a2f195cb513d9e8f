"""Follow docs/operate/cluster-setup.md line by line on three Debian machines with systemd, and then cut one's power."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from balcao.operate.deploy.production import parse_settings
from tests.support.debian import Debian, boot_network
from tests.support.polling import PATIENCE, until_now
from tests.support.terminal import BALCAO, open_folder, remove

pytestmark = [pytest.mark.systemd, pytest.mark.long, pytest.mark.proof]

PAGE = (Path(__file__).parents[3] / "docs/operate/cluster-setup.md").read_text("utf-8")
RELEASE = "trixie"  # Debian 13, the oldest that the page names
ADDRESSES = {f"banco-{number}": f"10.0.2.1{number}" for number in (1, 2, 3)}
BLOCKS = re.findall(r"^ *```sh\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = re.findall(r"^ *\| `([^`]+)` \| `(/[^`]+)` \| root, (0\d+) \|$", PAGE, re.MULTILINE)


@dataclass
class Cluster:
    """The three machines, and the folder in which the operator wrote the files."""

    machines: dict[str, Debian]
    folder: Path

    def run(self, block: str) -> None:
        """Run lines of the page in the operator's folder, on this machine."""
        words = ["sh", "-euc", block.replace("balcao init", f"{BALCAO} init")]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr

    def run_on_each(self, script: str) -> None:
        """Run lines of the page on all servers at the same time."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda machine: machine.shell(script), self.machines.values()))

    def copy_files(self) -> None:
        """Copy the files of the page's table."""
        for name, machine in self.machines.items():
            for file, place, mode in FILES:
                target = machine.folder / place.lstrip("/")
                shutil.copy(self.folder / "production/cluster" / file.replace("banco-N", name), target)
                target.chmod(int(mode, 8))

    def list_roles(self, asked: str) -> dict[str, str]:
        """Return the working members by role, as `patronictl list` shows them on this server."""
        shown = json.loads(self.machines[asked].shell(f"{BLOCKS[4].strip()} --format json"))
        return {one["Role"]: one["Member"] for one in shown if one["State"] in {"running", "streaming"}}

    def is_complete(self, asked: str) -> bool:
        return self.list_roles(asked).keys() == {"Leader", "Sync Standby", "Replica"}

    def operate(self, *words: str) -> str:
        """Run a `balcao` command with the generated settings, in the network of the servers and with their names."""
        settings = parse_settings((self.folder / "production/balcao.env").read_text("utf-8"))
        settings |= parse_settings((self.folder / "production/balcao-owner.env").read_text("utf-8"))
        server = next(iter(self.machines.values()))
        names = server.folder / "etc/hosts"
        bound = ["unshare", "--mount", "sh", "-c", f'mount --bind {names} /etc/hosts; exec "$@"', "sh"]
        done = subprocess.run(
            ["nsenter", f"--net=/proc/{server.network}/ns/net", *bound, str(BALCAO), *words],
            cwd=self.folder,
            env=settings | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "BALCAO_DATA_DIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Follow the page until the cluster has its roles."""
    folder = open_folder()
    write, restrict, install, start, _, roles = BLOCKS[:6]
    with ExitStack() as stack:
        stack.callback(remove, folder)
        cluster = Cluster(stack.enter_context(boot_network(folder, ADDRESSES, RELEASE)), folder)
        # HAProxy would need the keys of an identity provider, which this test does not have.
        cluster.run(f"{write.rstrip()} --gateway nginx")
        cluster.run(restrict)
        cluster.run_on_each(f"export DEBIAN_FRONTEND=noninteractive\n{install}")
        cluster.copy_files()
        cluster.run_on_each(start)
        first = next(iter(cluster.machines))
        until_now(lambda: cluster.is_complete(first))
        leader = cluster.machines[cluster.list_roles(first)["Leader"]]
        shutil.copy(folder / "production/database/roles.sql", leader.folder / "root")
        leader.shell(f"cd /root\n{roles}")
        yield cluster


def test_the_platform_works_and_survives_the_loss_of_a_server(cluster: Cluster) -> None:
    cluster.operate("migrate")
    cluster.operate("access", "grant-admin", "52998224725")
    lost = cluster.list_roles(next(iter(cluster.machines)))["Leader"]
    other = next(name for name in cluster.machines if name != lost)
    cluster.machines[lost].kill()
    until_now(lambda: cluster.list_roles(other).get("Leader") not in {None, lost})
    until_now(lambda: "Sync Standby" in cluster.list_roles(other))
    cluster.operate("access", "grant-admin", "11144477735")
    cluster.machines[lost].start()
    until_now(lambda: cluster.is_complete(lost))
    assert cluster.list_roles(lost)["Leader"] != lost
