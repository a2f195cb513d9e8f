"""Write `docs/proofs/last-run.md`, the figures of the most recent full runs, from the pages of the families."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
INDEX = DOCS / "proofs.md"
PAGE = DOCS / "proofs" / "last-run.md"

_HEAD = """# Figures of the last full runs

<!-- Written by `make docs` from the other pages of docs/proofs. Do not edit. -->

On this page you find the figures of the most recent full run of each proof, with its command and date. The pages of the
families, which the bold rows link to, also have the size of each proof. The [index of proofs](../proofs.md) describes
the machine.

| Proof | Command | Last figures | Date |
|---|---|---|---|
"""
_TABLE = "| Proof | Command | Size | Last figures | Date |"
_FAMILY = re.compile(r"^\| \[(?P<title>[^\]]+)\]\(proofs/(?P<file>[\w-]+\.md)\) \|")
# A page that a run of histories has written begins with a list of bold names. An item may continue on indented lines.
_ITEM = re.compile(r"^- \*\*(?P<name>[^*]+)\*\*: (?P<text>.+(?:\n  .+)*)", re.MULTILINE)
_RUN = re.compile(r"`(make (?:histories|hours)[^`]*)`")
_TOTAL = re.compile(r"^Total: (.+)\.$", re.MULTILINE)


class Proof(NamedTuple):
    """A proof with the figures of its most recent full run, as cells of a table."""

    text: str
    command: str
    figures: str
    date: str


def write_page() -> str:
    """Return the content of the page."""
    return _HEAD + "".join(f"{row}\n" for row in _list_rows())


def _list_rows() -> Iterator[str]:
    for line in INDEX.read_text("utf-8").splitlines():
        if family := _FAMILY.match(line):
            yield f"| **[{family['title']}]({family['file']})** | | | |"
            # The row of a family may link to more pages, which a run has written.
            for file in re.findall(r"\(proofs/([\w-]+\.md)\)", line):
                yield from (f"| {' | '.join(proof)} |" for proof in read_proofs(DOCS / "proofs" / file))


def read_proofs(page: Path) -> list[Proof]:
    """Return the proofs of a family's page: the rows of its tables, or the run that has written the page."""
    content = page.read_text("utf-8")
    proofs = [*_read_tables(content), *_read_run(content)]
    assert proofs, f"{page.name} has neither a table of proofs nor a last run"
    return [Proof(*(_fit(cell, page) for cell in proof)) for proof in proofs]


def _read_tables(content: str) -> Iterator[Proof]:
    command = ""
    for table in content.split(_TABLE)[1:]:
        rows = table.split("\n\n")[0].splitlines()[2:]  # after the rest of the heading and the line of dashes
        for row in rows:
            text, named, _, figures, date = (cell.strip() for cell in row.strip("|").split(" |"))
            # "the same file" and an empty cell refer to the command in the row above.
            command = command if not named or named.startswith("the same") else named
            yield Proof(text, command, figures, date)


def _read_run(content: str) -> Iterator[Proof]:
    """Yield the run of histories that has written the page, if there is one."""
    items = {item["name"]: " ".join(item["text"].split()) for item in _ITEM.finditer(content)}
    if "Last run" not in items:
        return
    command, total = _RUN.search(content), _TOTAL.search(content)
    assert command
    date, _, setting = items["Last run"].partition("; ")
    figures = [f"{name.lower()}: {items[name]}" for name in ("Length", "Verdict", "Operations") if name in items]
    if total:
        verdicts = Counter(_read_column(content, "verdict"))
        figures = [total[1], "verdicts: " + ", ".join(f"{number} {one}" for one, number in verdicts.items())]
    title = content.partition("\n")[0].removeprefix("# Proofs: ")
    yield Proof(title[0].upper() + title[1:], f"`{command[1]}`", "; ".join([*figures, setting]), date)


def _read_column(content: str, name: str) -> list[str]:
    """Return the cells of a column of the first table that has this column."""
    lines = content.splitlines()
    first = next(number for number, line in enumerate(lines) if f" {name} |" in line)
    column = lines[first].split(" | ").index(name)
    table = lines[first + 2 : lines.index("", first)]
    return [row.split(" | ")[column] for row in table]


def _fit(cell: str, page: Path) -> str:
    """Return a cell without anchors, and with links that work on this page."""
    return re.sub(r'<a id="[^"]*"></a>', "", cell).replace("](#", f"]({page.name}#")


if __name__ == "__main__":
    PAGE.write_text(write_page(), "utf-8")
