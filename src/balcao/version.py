"""The version for people. A release also contains the commit from which it was built."""

from pathlib import Path

from balcao import __version__

_UNKNOWN = "$Format"


def find_commit() -> str | None:
    """Return the commit from which a release was built. `git archive` writes it; a working copy has none."""
    commit = Path(__file__).with_name("commit.txt").read_text("ascii").strip()
    return None if commit.startswith(_UNKNOWN) else commit


def describe_version() -> str:
    """Return the version, with the commit if it is known."""
    commit = find_commit()
    return f"{__version__} ({commit[:12]})" if commit else __version__
