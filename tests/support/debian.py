"""A Debian with systemd, booted from a folder. Tests use it as a separate machine for an installation from scratch.

It has its own network namespace, so it can listen on the ports of a real installation. slirp4netns connects it to the
package index of the host.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.support.polling import PATIENCE, until_now

ROOT = Path(__file__).parents[2]
# systemd, and packages that Debian's installer always adds. The installation under test must add everything else.
_PACKAGES = "systemd,systemd-sysv,dbus,procps,iproute2"
_AUTHORITIES = Path("usr/local/share/ca-certificates")
# slirp4netns answers DNS queries at this address.
_RESOLVER = "nameserver 10.0.2.3\n"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def make_root(folder: Path) -> None:
    """Install a minimal Debian of the same release as this machine, from this machine's apt sources."""
    run("apt-get", "update", "-qq")
    line = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    targets = run("apt-get", "indextargets", "--format", line, "Identifier: Packages", "Origin: Debian").splitlines()
    # The release itself has the shortest name. The names of its updates have a suffix, as in `bookworm-updates`.
    release = min((target.split()[2] for target in targets), key=len)
    run(
        "mmdebstrap", "--quiet", "--variant=minbase", f"--include={_PACKAGES}", release, folder, *dict.fromkeys(targets)
    )
    shutil.copytree("/" / _AUTHORITIES, folder / _AUTHORITIES, dirs_exist_ok=True)
    if (settings := Path("/etc/pip.conf")).exists():
        shutil.copy(settings, folder / "etc/pip.conf")


def run(*words: object, **options: str) -> str:
    """Run a command on this machine, and return its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return str(done.stdout)


class Debian:
    """The machine in `folder`. While it runs, `leader` is the process id of its systemd."""

    def __init__(self, folder: Path, network: int) -> None:
        self.folder = folder
        self.network = network
        self._nspawn: psutil.Popen | None = None
        self.leader = 0

    def start(self) -> None:
        """Boot, and wait until systemd has started all units."""
        (self.folder / "etc/resolv.conf").write_text(_RESOLVER)
        words = [
            *("setpriv", "--pdeathsig=KILL", "systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit"),
            *("--console=pipe", "--resolv-conf=off", "--timezone=off", f"--machine=balcao-{os.getpid()}"),
            *(f"--network-namespace-path=/proc/{self.network}/ns/net", f"--directory={self.folder}"),
            f"--setenv=BALCAO_TEST_MACHINE={self.folder}",  # `run_cleanup` finds the machine by this
        ]
        log = self.folder.with_name("boot.log")
        with log.open("ab") as output:
            self._nspawn = psutil.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        nspawn = self._nspawn

        def is_up() -> bool:
            assert nspawn.poll() is None, log.read_text(errors="replace")
            leaders = [child.pid for child in nspawn.children()]
            return bool(leaders) and self._is_booted(leaders[-1])

        until_now(is_up)

    def _is_booted(self, leader: int) -> bool:
        self.leader = leader
        state = self._enter("systemctl", "is-system-running", "--wait").stdout.strip()
        return state in {"running", "degraded"}

    def stop(self) -> None:
        """Shut down the machine, as if its power button had been pressed."""
        if self._nspawn is None:
            return
        os.kill(self.leader, signal.SIGRTMIN + 4)
        self._nspawn.wait(PATIENCE)
        self._nspawn = None

    def kill(self) -> None:
        """Cut the power.

        The machine's first process survives nspawn. When it is killed, all other processes end.
        """
        if self._nspawn is None:
            return
        leaders = self._nspawn.children()
        self._nspawn.kill()
        for leader in leaders:
            with suppress(psutil.NoSuchProcess):
                leader.kill()
        self._nspawn.wait(PATIENCE)

    def _enter(self, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        own = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        own.pop("PIP_FIND_LINKS", None)  # this folder does not exist in the machine
        return subprocess.run(
            ["nsenter", f"--target={self.leader}", "--all", "--", *(str(word) for word in words)],
            env=own | {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8"} | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def run(self, *words: object, **environment: str) -> str:
        """As root, run a command that must succeed, and return its output."""
        done = self._enter(*words, **environment)
        assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}{done.stderr[-4000:]}\n{self.journal()}"
        return done.stdout

    def fail(self, *words: object, **environment: str) -> str:
        """As root, run a command that must fail, and return its output."""
        done = self._enter(*words, **environment)
        assert done.returncode != 0, done.stdout
        return done.stdout + done.stderr

    def shell(self, script: str, **environment: str) -> str:
        """Run a shell script. Each of its lines must succeed."""
        return self.run("sh", "-euc", script, **environment)

    def show(self, unit: str, name: str) -> str:
        """Return a property of a systemd unit."""
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).strip()

    def journal(self) -> str:
        return self._enter("journalctl", "--no-pager", "--lines=60", "--output=cat").stdout


@contextmanager
def boot_debian(folder: Path) -> Iterator[Debian]:
    """Create a machine in `folder`, and boot it."""
    make_root(folder / "root")
    words = ["setpriv", "--pdeathsig=KILL"]
    with subprocess.Popen([*words, "unshare", "--net", "sleep", "infinity"]) as network:
        until_now(lambda: Path(f"/proc/{network.pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink())
        slirp = [*words, "slirp4netns", "--configure", "--mtu=65520", str(network.pid), "tap0"]
        with subprocess.Popen(slirp, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as connection:
            machine = Debian(folder / "root", network.pid)
            try:
                machine.start()
                yield machine
            finally:
                machine.kill()
                connection.kill()
                network.kill()


@contextmanager
def run_in_network(machine: Debian, program: str) -> Iterator[str]:
    """Run a Python program in the network of the machine, and yield the program's first line of output.

    The program must end when its input closes.
    """
    words = ["nsenter", f"--net=/proc/{machine.network}/ns/net", sys.executable, "-c", program]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.stdin.close()
