"""The version shown to people. In a release it contains the commit from which the release was built."""

from pathlib import Path

from balcao import __version__

_UNKNOWN = "$Format"


def find_commit() -> str | None:
    """Return the commit from which a release was built, or None in a working copy. `git archive` writes it."""
    commit = Path(__file__).with_name("commit.txt").read_text("ascii").strip()
    return None if commit.startswith(_UNKNOWN) else commit


def describe_version() -> str:
    """Return the version, followed by the commit if it is known."""
    commit = find_commit()
    return f"{__version__} ({commit[:12]})" if commit else __version__
