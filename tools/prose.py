"""Count the habits that make English hard to read: `python -m tools.prose [PATH...]`.

CONTRIBUTING explains these habits (section "How we write"). The counts are per 10,000 words, separately for code text
(docstrings and comments in Python files) and documentation (English Markdown). With paths, the command also prints the
lines that contain markers. Without paths, it fails if a count exceeds `LIMITS`. The counts only guard against a
relapse. A text without markers may still be bad.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PERSONS = re.compile(r"\b(?:somebody|anybody|nobody|whoever|everybody)\b", re.IGNORECASE)
MARKERS = re.compile(
    r"\b(?:somebody|anybody|nobody|whoever|everybody|beside|anew|whereby|hence|goes? on|went on|stands?|is none"
    r"|are none|nothing but|no more than the|so many|as many)\b"
    r"|(?:^|[.:;!?]\s+|\n\s*)(?:What|Who|Whose|Of|Where)\b(?![^.?!]{0,200}\?)"
)
# The maximum counts per 10,000 words, for all markers and for PERSONS.
LIMITS = {"code": (25.0, 2.0), "documentation": (20.0, 2.0)}
_CODE_BLOCK = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\]\([^)]*\)", re.DOTALL)


class Text(NamedTuple):
    """A docstring, a block of comments or a page, and the number of its first line."""

    file: str
    line: int
    text: str


def list_files() -> list[str]:
    """Return the files that Git tracks."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def read_code(file: str) -> Iterator[Text]:
    """Yield the docstrings and comment blocks in a Python file."""
    source = (ROOT / file).read_text("utf-8")
    pending: list[ast.AST] = [ast.parse(source)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield Text(file, node.body[0].lineno, text)
        # Definitions are only in statements, so expressions, which are most of the tree, need not be visited.
        parts = ast.iter_child_nodes(node)
        pending += [part for part in parts if isinstance(part, ast.stmt | ast.excepthandler | ast.match_case)]
    block: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or token.string.startswith("#!"):
            continue
        line = token.start[0]
        if block and line != last + 1:
            yield Text(file, last - len(block) + 1, "\n".join(block))
            block = []
        block.append(re.sub(r"^#\s?|(?:noqa|type): ?\S+", "", token.string))
        last = line
    if block:
        yield Text(file, last - len(block) + 1, "\n".join(block))


def read_page(file: str) -> Text:
    """Return the text of an English page without code and link targets."""
    return Text(file, 1, _CODE_BLOCK.sub(" ", (ROOT / file).read_text("utf-8")))


def collect(kind: str, paths: Sequence[str]) -> list[Text]:
    """Return the texts of one kind under these paths. Without paths, search the whole repository."""
    files = [file for file in list_files() if not paths or file.startswith(tuple(paths))]
    if kind == "code":
        return [text for file in files if file.endswith(".py") for text in read_code(file)]
    pages = [file for file in files if file.endswith(".md") and ".pt-BR" not in file]
    return [read_page(file) for file in pages]


def count(texts: Sequence[Text]) -> tuple[int, int, int]:
    """Return three counts: the words, the markers, and the words for unnamed persons."""
    words = sum(len(re.findall(r"\w[\w'-]*", each.text)) for each in texts)
    markers = sum(len(MARKERS.findall(each.text)) for each in texts)
    persons = sum(len(PERSONS.findall(each.text)) for each in texts)
    return words, markers, persons


def main(paths: Sequence[str]) -> int:
    """Print the counts, and return the command's exit status."""
    failed = False
    for kind, (most, most_persons) in LIMITS.items():
        texts = collect(kind, paths)
        words, markers, persons = count(texts)
        if not words:
            continue
        rate, person_rate = markers / words * 10_000, persons / words * 10_000
        print(f"{kind}: {words} words, {rate:.1f} markers and {person_rate:.1f} unnamed persons in 10,000 words")
        failed |= not paths and (rate > most or person_rate > most_persons)
        if paths:
            for each in texts:
                for found in MARKERS.finditer(each.text):
                    line = each.line + each.text.count("\n", 0, found.start() + 1)
                    start = each.text.rfind("\n", 0, found.start() + 1) + 1
                    shown = " ".join(each.text[start : found.end() + 40].split())
                    print(f"  {each.file}:{line}: {shown}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
