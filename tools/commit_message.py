"""Check a commit message: `python -m tools.commit_message FILE`, as the hook `commit-msg` does.

CONTRIBUTING explains the form of a message (section "How we write").
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

LONGEST_SUBJECT = 72
_SUBJECT = re.compile(r"[a-z][a-z0-9_/. -]*(?:\([a-z0-9_/. -]+\))?!?: [^\s].*")


def list_faults(message: str) -> list[str]:
    """Return the problems in a commit message. Git's comment lines are ignored."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    subject, *body = lines or [""]
    faults = []
    if not _SUBJECT.fullmatch(subject):
        faults.append(
            "The subject must be `area: imperative summary`, for example `search: keep drafts out of results`."
        )
    if len(subject) > LONGEST_SUBJECT:
        faults.append(f"The subject has {len(subject)} characters; at most {LONGEST_SUBJECT} are allowed.")
    if subject.endswith("."):
        faults.append("The subject must not end with a period.")
    if body and body[0]:
        faults.append("An empty line must follow the subject.")
    return faults


def main(arguments: Sequence[str]) -> int:
    """Print the faults of the message in this file, and return the command's exit status."""
    faults = list_faults(Path(arguments[0]).read_text("utf-8"))
    print(*faults, sep="\n", end="\n" if faults else "")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
