"""Write `docs/reference/checks.md`, the checks of `balcao doctor`, from their declarations."""

from collections.abc import Iterator
from pathlib import Path

from balcao.operate.doctor.checks import Check, is_due_in_production
from balcao.operate.doctor.diagnosis import CHECKS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "checks.md"

_HEAD = """# What doctor looks at

<!-- Written by `make docs` from the checks in src/balcao/operate/doctor. Do not edit. -->

`balcao doctor` looks at these, changes nothing, and says a sentence about each that is wrong, with what to do; it ends
with 1 while anything is. With `--json` the sentences of all are in `problems`, and those of a part also in its `wrong`,
under `parts`.
"""

_INSTALLATION = """## An installation

In the production profile these as well. Run as root, with the files of settings read
([how](../operate/install.md#what-doctor-looks-at)); `--root` looks below another folder, as that of a mounted image.
Containers and Kubernetes bring no such files: the rest is checked the same.
"""


def write_page() -> str:
    """Return the page."""
    everywhere = [check for check in CHECKS if check.is_due is not is_due_in_production]
    installed = [check for check in CHECKS if check.is_due is is_due_in_production]
    return "\n".join([_HEAD, *_list_rows(everywhere), "", _INSTALLATION, *_list_rows(installed), ""])


def _list_rows(checks: list[Check]) -> Iterator[str]:
    yield "| Check | Part | Looks at | Wrong is | Remedy |"
    yield "|---|---|---|---|---|"
    for check in checks:
        part = f"`{check.part}`" if check.part else ""
        yield f"| {check.name} | {part} | {check.looks_at} | {check.wrong} | {check.remedy} |"


if __name__ == "__main__":
    PAGE.write_text(write_page(), "utf-8")
