"""The operating system account that runs PostgreSQL's programs."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

RESTORE = "Se os dados estão danificados, restaure uma cópia da pasta, ou indique outra em BALCAO_DATA_DIR."


class PostgresqlError(Exception):
    """PostgreSQL or one of its programs has failed. The message tells the operator the reason and the remedy."""


def describe_damage(data: Path, what: str) -> str:
    """Return the sentence about damaged data."""
    return f"Os dados em {data} não estão inteiros: {what}. {RESTORE}"


@dataclass(frozen=True)
class Account:
    """The operating system account that runs PostgreSQL and owns its files."""

    uid: int
    gid: int

    @property
    def name(self) -> str:
        """The account's name, or its number if it has no name."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    @property
    def switch(self) -> dict[str, Any]:
        """The `subprocess` options that run a child as this account. They are empty for our own account."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": [self.gid]}

    def run(self, *command: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command as this account with `text` as its input. Return the completed process with its output."""
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
        """Return whether the account can enter this folder or execute this file."""
        return not self.switch or self.run("test", "-x", path).returncode == 0

    def own(self, path: Path) -> None:
        """Make the account the owner of a file that we created."""
        if self.switch:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def open(self, path: Path) -> IO[bytes]:
        """Open a file for appending. The account becomes its owner, even if root creates it."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        if self.switch:
            os.fchown(descriptor, self.uid, self.gid)
        return os.fdopen(descriptor, "ab", buffering=0)


def child_options() -> dict[str, Any]:
    """Return the `subprocess` options for every PostgreSQL program.

    The program gets none of our environment variables, because these contain secrets. It runs in a folder that it can
    enter. It has its own session, so that it gets no signals from our terminal.
    """
    return {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C"}, "umask": 0o077, "start_new_session": True}
