"""Finds citations of the rules, the specification and the ADRs, and checks that their targets exist.

rules: registry 4.1 row 4, 4.9, cases W1-W9
spec: webhook rule 4
ADR 0002
"""

import ast
import io
import os
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "reference" / "rules"

_NUMBER = r"[A-Z]?\d+(?:\.\d+)*"
_REFERENCE = rf"(?:cases? )?{_NUMBER}(?:-{_NUMBER})?(?: (?:rows?|steps?) \d+(?:-\d+)?)?"
_RULES = re.compile(rf"\brules: (?P<page>[\w-]+) (?P<references>{_REFERENCE}(?:, {_REFERENCE})*)")
_UNREADABLE_RULES = re.compile(rf"\brules: (?:{'|'.join(sorted(page.stem for page in RULES.glob('*.md')))})\b")
_SPEC = re.compile(r"\bspec: (?P<anchor>[^\n)`;]+)")
_ADR = re.compile(r"\bADR[- ](?P<number>\d+)", re.IGNORECASE)

# References to documents and issues that are not in the repository.
_ELSEWHERE = re.compile(
    r"\b(?:registry|access|search|agents|employability|health[-_ ]units|domain) document\b"
    r"|\bdesign, section\b|\bDESIGN\b|\b[Ii]ssue (?:[A-H]\b|\d+\b)|\b[A-H]\.\d{1,2}\b(?![.\d])",
)

# An expression that matches every text with a citation, or with something similar. To save time, files without a match
# are not parsed.
_MAY_CITE = re.compile(
    r"\brules: |\bspec: |\b[Aa][Dd][Rr][- ]\d| document|\bdesign, section|\bDESIGN|\b[Ii]ssue |\b[A-H]\.\d"
)


@dataclass(frozen=True)
class Text:
    """A piece of text from a file, which may contain a citation."""

    file: Path
    content: str

    def fault(self, why: str) -> str:
        return f"{self.file.relative_to(ROOT)}: {why}"


# Folders of third-party files, as their authors publish them or as they are installed.
_NOT_OURS = frozenset({"static", "node_modules", "venv", "jars", "interpreters", "distributions"})


def texts() -> Iterator[Text]:
    """Yield comments and strings of Python files that may contain citations, and all Markdown, SQL and TOML files."""
    for folder in ("src", "tests", "bench", "tools", "docs"):
        for file in _list_files(ROOT / folder):
            if file.suffix == ".py" and _MAY_CITE.search(source := file.read_text("utf-8")):
                yield from (Text(file, content) for content in _prose(source))
            elif file.suffix in {".md", ".sql", ".toml"}:
                yield Text(file, file.read_text("utf-8"))
    for file in sorted(ROOT.glob("*.md")):
        yield Text(file, file.read_text("utf-8"))


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield our own files under a folder. Skip folders of third-party files."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _NOT_OURS)
        yield from (Path(place, name) for name in sorted(files))


def _prose(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
        elif token.type == tokenize.STRING and not token.string.lower().startswith(("b", "rb", "f", "rf", "fr")):
            yield ast.literal_eval(token.string)


def faults(text: Text) -> list[str]:
    """Return the faults in a text's citations: the target does not exist, or the form is wrong."""
    content = text.content
    found = [text.fault(why) for why in _rule_faults(content)]
    found += [text.fault(why) for why in _spec_faults(content)]
    found += [
        text.fault(f"no such ADR: {match['number']}") for match in _ADR.finditer(content) if not _adr(match["number"])
    ]
    readable = {match.start() for match in _RULES.finditer(content)}
    starts = [match for match in _UNREADABLE_RULES.finditer(content) if match.start() not in readable]
    found += [text.fault(f"not readable: {content[match.start() :][:60]!r}") for match in starts]
    return found + [text.fault(f"names no page of docs: {match[0]!r}") for match in _ELSEWHERE.finditer(content)]


def count(text: Text) -> int:
    return sum(len(pattern.findall(text.content)) for pattern in (_RULES, _SPEC, _ADR))


def _rule_faults(content: str) -> Iterator[str]:
    for match in _RULES.finditer(content):
        name = match["page"]
        page = RULES / f"{name}.md"
        if not page.exists():
            yield f"no such page: {match[0]!r}"
            continue
        known = _sections(page)
        yield from (f"{name} has no {target}" for target in _targets(match["references"]) if target not in known)


def _targets(references: str) -> Iterator[str]:
    """Yield every section, row, step and case in a list of references. For a range, yield both ends."""
    of_cases = False
    for reference in references.split(", "):
        of_cases = of_cases or reference.startswith("case")
        main, _, part = re.sub(r"^cases? ", "", reference).partition(" ")
        first, _, last = main.partition("-")
        for number in filter(None, (first, last)):
            yield f"case {number}" if of_cases or number[0].isalpha() else number
        rows = re.findall(r"\d+", part)
        yield from (f"{first} row {row}" if part.startswith("row") else f"{first}.{row}" for row in rows)


@cache
def _sections(page: Path) -> frozenset[str]:
    """Return the page's numbered headings, the numbered items below them (`2.0.5`), numbered table rows, and cases."""
    found, section, in_cases = set[str](), "", False
    for line in page.read_text("utf-8").splitlines():
        if heading := re.match(r"#+ (.*)", line):
            number = re.match(r"(\d+(?:\.\d+)*)\.? ", heading[1])
            section = number[1] if number else section
            in_cases = heading[1].endswith("Cases")
            found.add(section)
        elif item := re.match(r"(\d+)\. ", line):
            found.add(f"{section}.{item[1]}")
        elif row := re.match(r"\| ([A-Z]?\d+) \|", line):
            found.add(f"case {row[1]}" if in_cases else f"{section} row {row[1]}")
    return frozenset(found)


def _spec_faults(content: str) -> Iterator[str]:
    for match in _SPEC.finditer(content):
        wanted = re.sub(r"(\d+)-\d+$", r"\1", match["anchor"].strip().casefold())
        if wanted not in _anchors():
            yield f"the specification has no {match['anchor']!r}"


@cache
def _anchors() -> frozenset[str]:
    """Return the specification's headings, `... rules:` paragraphs, numbered items and operations, in lower case."""
    found, heading = set[str](), ""
    for line in (RULES / "specification.md").read_text("utf-8").splitlines():
        if title := re.match(r"#+ ([^({]+)", line):
            heading = title[1].strip().casefold()
            found.add(heading)
        elif rules := re.match(r"([\w-]+ rules)(?: \([^)]*\))?:", line):
            heading = rules[1].casefold()
            found.add(heading)
        elif item := re.match(r"(\d+)\. ", line):
            found.add(f"{heading.removesuffix('s') if heading.endswith(' rules') else heading} {item[1]}")
        found.update(f"{method} {path}".casefold() for method, path in re.findall(r"\| ([A-Z]+) \| (/\S+) \|", line))
        found.update(f"{method} {path}".casefold() for method, path in re.findall(r"^(GET|PUT|POST) (/[^\s.]+)", line))
    return frozenset(found)


def _adr(number: str) -> bool:
    return any((ROOT / "docs" / "adr").glob(f"{number}-*.md"))
