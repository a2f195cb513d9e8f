"""A git repository for a test."""

import os
import subprocess
from pathlib import Path

from tests.support.polling import PATIENCE


class Repository:
    """A new git repository in a folder. The files in the folder are not committed yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")

    def git(self, *words: str) -> str:
        person = ("-c", "user.name=Ana", "-c", "user.email=ana@cidade.example", "-c", "commit.gpgsign=false")
        return run("git", "-C", self.folder, *person, *words).strip()

    def commit(self, message: str) -> None:
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)


def run(*words: object, **environment: str) -> str:
    """Run a command that must succeed, and return its output."""
    done = subprocess.run(
        [str(word) for word in words], env=os.environ | environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
