"""Write `docs/reference/checks.md`, which lists the checks of `balcao doctor`, from their declarations."""

from collections.abc import Iterator
from pathlib import Path

from balcao.operate.doctor.checks import Check, is_due_in_production
from balcao.operate.doctor.diagnosis import CHECKS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "checks.md"

_HEAD = """# What doctor checks

<!-- Written by `make docs` from the checks in src/balcao/operate/doctor. Do not edit. -->

This page lists what `balcao doctor` checks and how to fix what it finds. The command changes nothing. It prints one
message for each problem, with the remedy, and exits with 1 if there is any. With `--json`, `problems` has all
messages, and each part under `parts` has its own messages in `wrong`.
"""

_INSTALLATION = """## An installation

The production profile has these checks too. Run the command as root and load the settings files first
([how](../operate/install.md#what-doctor-looks-at)). `--root` checks the files below another folder, for example a
mounted image. Containers and Kubernetes have no such files; there the command makes all other checks.
"""


def write_page() -> str:
    """Return the content of the page."""
    everywhere = [check for check in CHECKS if check.is_due is not is_due_in_production]
    installed = [check for check in CHECKS if check.is_due is is_due_in_production]
    return "\n".join([_HEAD, *_list_rows(everywhere), "", _INSTALLATION, *_list_rows(installed), ""])


def _list_rows(checks: list[Check]) -> Iterator[str]:
    yield "| Check | Part | Looks at | Problems | Remedy |"
    yield "|---|---|---|---|---|"
    for check in checks:
        part = f"`{check.part}`" if check.part else ""
        yield f"| {check.name} | {part} | {check.looks_at} | {check.wrong} | {check.remedy} |"


if __name__ == "__main__":
    PAGE.write_text(write_page(), "utf-8")
