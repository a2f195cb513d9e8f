"""A replacement for systemd's `systemctl`. It runs the commands in the unit files, with the settings that they name.

The units are in $UNITS. The folder also contains the process ids and the logs.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

UNITS = Path(os.environ["UNITS"])


def main(verb: str, *words: str) -> int:
    units = [word for word in words if not word.startswith("-")]
    if verb == "daemon-reload":
        return 0
    if verb == "stop":
        return max(stop(unit) for unit in units)
    assert verb in {"start", "enable"}, verb
    return max(start(unit) for unit in units)


def start(unit: str) -> int:
    """Run a oneshot unit to its end, or start a service. For a timer, only check that its service exists."""
    file = locate(unit)
    if file.suffix == ".timer":
        locate(f"{file.stem}.service")
        return 0
    text = file.read_text("utf-8")
    lines = [f". {path};" for path in re.findall(r"^EnvironmentFile=(.+)", text, re.MULTILINE)]
    (command,) = re.findall(r"^ExecStart=(.+)", text, re.MULTILINE)
    script = f"set -a; {' '.join(lines)} exec {command}"
    with file.with_suffix(".log").open("ab") as log:
        if "Type=oneshot" in text:
            return subprocess.run(["/bin/sh", "-c", script], stdout=log, stderr=log).returncode
        started = subprocess.Popen(["/bin/sh", "-c", script], stdout=log, stderr=log, start_new_session=True)
    file.with_suffix(".pid").write_text(str(started.pid))
    return 0


def stop(unit: str) -> int:
    """End a service. As with systemd, its process may have ended already."""
    number = locate(unit).with_suffix(".pid")
    if number.exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(number.read_text()), signal.SIGTERM)
        number.unlink()
    return 0


def locate(unit: str) -> Path:
    file = UNITS / unit if "." in unit else UNITS / f"{unit}.service"
    assert file.exists(), f"Unit {unit} not found."
    return file


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
