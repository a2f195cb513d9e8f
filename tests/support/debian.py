"""Debian machines with systemd, booted from folders. Tests use them for an installation from scratch.

Each has its own network namespace, so it can listen on the ports of a real installation. slirp4netns connects it to the
package index of the host.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from tests.support.polling import PATIENCE, until_now

ROOT = Path(__file__).parents[2]
# systemd, and packages that Debian's installer always adds. The installation under test must add everything else.
_PACKAGES = "systemd,systemd-sysv,dbus,procps,iproute2"
_AUTHORITIES = Path("usr/local/share/ca-certificates")
# slirp4netns answers DNS queries at this address.
_RESOLVER = "nameserver 10.0.2.3\n"
# The network of slirp4netns, and the address at which it forwards to this machine's network.
_GATEWAY = "10.0.2.2"
_BOUND = ("setpriv", "--pdeathsig=KILL")  # the program ends with the tests
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def make_root(folder: Path, release: str = "") -> None:
    """Install a minimal Debian from this machine's apt sources: this machine's release, or another one."""
    run("apt-get", "update", "-qq")
    line = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    targets = run("apt-get", "indextargets", "--format", line, "Identifier: Packages", "Origin: Debian").splitlines()
    # The release itself has the shortest name. The names of its updates have a suffix, as in `bookworm-updates`.
    own = min((target.split()[2] for target in targets), key=len)
    wanted = [target.replace(f" {own}", f" {release or own}") for target in dict.fromkeys(targets)]
    run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={_PACKAGES}", release or own, folder, *wanted)
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
            *(*_BOUND, "systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit"),
            *("--console=pipe", "--resolv-conf=off", "--timezone=off", f"--machine=balcao-{self.network}"),
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
def _open_network() -> Iterator[int]:
    """Yield a process that has its own network."""
    with subprocess.Popen([*_BOUND, "unshare", "--net", "sleep", "infinity"]) as network:
        until_now(lambda: Path(f"/proc/{network.pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink())
        try:
            yield network.pid
        finally:
            network.kill()


@contextmanager
def _connect(network: int, *options: str) -> Iterator[None]:
    """Connect a network to this machine's network, with the device tap0."""
    words = [*_BOUND, "slirp4netns", *options, "--mtu=65520", str(network), "tap0"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as connection:
        try:
            yield
        finally:
            connection.kill()


@contextmanager
def _boot(folder: Path, network: int) -> Iterator[Debian]:
    machine = Debian(folder, network)
    try:
        machine.start()
        yield machine
    finally:
        machine.kill()


@contextmanager
def boot_debian(folder: Path) -> Iterator[Debian]:
    """Create a machine in `folder`, and boot it."""
    make_root(folder / "root")
    with _open_network() as network, _connect(network, "--configure"), _boot(folder / "root", network) as machine:
        yield machine


@contextmanager
def boot_network(folder: Path, addresses: Mapping[str, str], release: str) -> Iterator[dict[str, Debian]]:
    """Create a machine for each name, and boot them in one network, 10.0.2.0/24. Each machine knows all names."""
    make_root(folder / "root", release)
    names = "".join(f"{address} {name}\n" for name, address in addresses.items())
    with ExitStack() as stack:
        switch = stack.enter_context(_open_network())
        stack.enter_context(_connect(switch))
        until_now(lambda: "tap0" in _in_network(switch, "ip", "link"))
        _in_network(switch, "ip", "link", "add", "switch", "type", "bridge")
        for device in ("tap0", "switch"):
            _in_network(switch, "ip", "link", "set", device, "up")
        _in_network(switch, "ip", "link", "set", "tap0", "master", "switch")
        machines = {}
        for number, (name, address) in enumerate(addresses.items()):
            root = folder / name / "root"
            root.parent.mkdir()
            run("cp", "--archive", folder / "root", root)
            (root / "etc/hosts").write_text(f"127.0.0.1 localhost\n{names}")
            (root / "etc/hostname").write_text(f"{name}\n")
            network = stack.enter_context(_open_network())
            _plug_in(switch, network, f"port{number}", address)
            machines[name] = stack.enter_context(_boot(root, network))
        yield machines


def _plug_in(switch: int, network: int, port: str, address: str) -> None:
    """Connect a network to the switch, under this address."""
    _in_network(switch, "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(network))
    _in_network(switch, "ip", "link", "set", port, "master", "switch", "up")
    _in_network(network, "ip", "link", "set", "lo", "up")
    _in_network(network, "ip", "address", "add", f"{address}/24", "dev", "eth0")
    _in_network(network, "ip", "link", "set", "eth0", "up")
    _in_network(network, "ip", "route", "add", "default", "via", _GATEWAY)


def _in_network(network: int, *words: object) -> str:
    return run("nsenter", f"--net=/proc/{network}/ns/net", *words)


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
