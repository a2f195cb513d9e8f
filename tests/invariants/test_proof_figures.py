"""docs/proofs/last-run.md has the figures that the pages of the families have."""

from pathlib import Path

import pytest

from tools.proof_figures import PAGE, Proof, read_proofs, write_page

_FAMILY = """# Proofs: one family

| Proof | Command | Size | Last figures | Date |
|---|---|---|---|---|
| <a id="one"></a>One ([table](#tasks)) | `make one` | small | lost 0 | 2026-11-22, load 3 |
| Two | the same file | large | lost 1 | 2026-11-23 |
| Three | | | lost 2 | |

| Other | Table |
|---|---|
| a | b |
"""
_RUN = """# Proofs: hours

`make hours` writes this page.

- **Last run**: 2026-11-22, load 3; 4 clients
- **Verdict**: lost 0,
  doubled 0

| Fault | verdict | seed |
| --- | --- | --- |
| kill | possible | 1 |
| freeze | possible | 2 |
"""


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == write_page()


def test_every_proof_has_figures_and_a_command_in_the_cells_of_a_table() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in row.strip("|").split(" |")] for row in rows]
    assert [row for row in cells if len(row) != 4] == []
    assert [row for row in cells if not row[0].startswith("**[") and not (row[1] and row[2])] == []
    assert len(cells) > 80


def test_the_proofs_of_a_family_are_read_from_its_table(tmp_path: Path) -> None:
    page = tmp_path / "family.md"
    page.write_text(_FAMILY, "utf-8")
    assert read_proofs(page) == [
        Proof("One ([table](family.md#tasks))", "`make one`", "lost 0", "2026-11-22, load 3"),
        Proof("Two", "`make one`", "lost 1", "2026-11-23"),
        Proof("Three", "`make one`", "lost 2", ""),
    ]


@pytest.mark.parametrize(
    ("end", "figures"),
    [
        ("", "verdict: lost 0, doubled 0; 4 clients"),
        ("\nTotal: 9 operations.\n", "9 operations; verdicts: 2 possible; 4 clients"),
    ],
)
def test_a_run_that_wrote_its_page_is_read_from_its_list(end: str, figures: str, tmp_path: Path) -> None:
    page = tmp_path / "hours.md"
    page.write_text(_RUN + end, "utf-8")
    assert read_proofs(page) == [Proof("Hours", "`make hours`", figures, "2026-11-22, load 3")]


def test_a_page_without_figures_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "empty.md"
    page.write_text("# Proofs: nothing\n", "utf-8")
    with pytest.raises(AssertionError, match="neither a table"):
        read_proofs(page)
