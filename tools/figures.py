"""Measure the structure of the code: files, functions, helpers, names, comments and tests. `make structure` prints it.

The figures show where a closer look is worthwhile. They are not limits. Functions that declare SQL statements are
counted separately, because they are signatures without a body.
"""

import ast
import io
import json
import statistics
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeGuard

ROOT = Path(__file__).parents[1]
SHORT_BODY, SHORT_FILE, LONG_FILE = 3, 40, 400
_METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}
_STATEMENTS = {"statement", "lookup"}
_FORMS = {*_METHODS, "declare", "command", "property", "cached_property"}
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A source file: its number of lines, its syntax tree, and its number of comment lines."""

    path: Path
    lines: int
    tree: ast.Module
    comments: int


def read_sources(folders: Iterable[Path]) -> list[Source]:
    """Return the Python files under the folders."""
    return [_read_source(file) for folder in folders for file in sorted(folder.rglob("*.py"))]


def _read_source(file: Path) -> Source:
    text = file.read_text("utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    return Source(file, text.count("\n"), ast.parse(text), len(comments))


def list_functions(source: Source) -> list[Function]:
    """Return the functions and methods in a file, except those that declare SQL statements."""
    found = [node for node in ast.walk(source.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [function for function in found if not is_signature(function)]


def is_signature(function: Function) -> bool:
    """Return whether the function declares an SQL statement."""
    decorators = (node.func for node in function.decorator_list if isinstance(node, ast.Call))
    return any(isinstance(node, ast.Name) and node.id in _STATEMENTS for node in decorators)


def is_short_by_form(function: Function) -> bool:
    """Return whether functions of this kind are always short, like handlers, properties and special methods."""
    decorators = {_name_decorator(node) for node in function.decorator_list}
    return bool(decorators & _FORMS) or (function.name.startswith("__") and function.name.endswith("__"))


def _name_decorator(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def count_body(function: Function) -> int:
    """Return the number of lines in a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _is_public(node: ast.stmt) -> TypeGuard[Function | ast.ClassDef]:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_")


def is_private(function: Function) -> bool:
    """Return whether the function is a private helper in its file or class."""
    return function.name.startswith("_") and not function.name.endswith("__")


def find_used_once(source: Source) -> list[Function]:
    """Return the private helpers that are used only once in their file."""
    used = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    return [function for function in list_functions(source) if is_private(function) and used[function.name] == 1]


def count_operations(folder: Path) -> int:
    """Return the number of operations in the committed OpenAPI documents."""
    documents = (json.loads(file.read_text("utf-8")) for file in folder.glob("*.json"))
    return sum(len(_METHODS & path.keys()) for document in documents for path in document["paths"].values())


def describe(product: Sequence[Source], tests: Sequence[Source], operations: int) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each figure."""
    lines = sum(source.lines for source in product)
    functions = [function for source in product for function in list_functions(source)]
    bodies = [count_body(function) for function in functions]
    lengths = [source.lines for source in product if source.lines]
    private = [function for function in functions if is_private(function)]
    once = [function for source in product for function in find_used_once(source)]
    names = Counter(function.name for function in functions if not function.name.startswith("__"))
    public = [node.name for source in product for node in source.tree.body if _is_public(node)]
    signatures = sum(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_signature(node)
        for source in product
        for node in ast.walk(source.tree)
    )
    instructions = sum(isinstance(node, ast.stmt) for source in product for node in ast.walk(source.tree))
    (common, uses), test_lines = names.most_common(1)[0], sum(source.lines for source in tests)
    empty = sum(not source.lines for source in product)
    short, long = sum(n <= SHORT_FILE for n in lengths), sum(n > LONG_FILE for n in lengths)
    yield "lines", f"{lines:,}"
    yield (
        "files",
        f"{len(product):,}, {empty} of them empty, {short} of up to {SHORT_FILE} lines, {long} over {LONG_FILE}",
    )
    yield "lines a file", _spread(lengths)
    yield "functions", f"{len(functions):,}, and {signatures:,} signatures of statements"
    yield "lines a body", _spread(bodies)
    yield f"bodies of up to {SHORT_BODY} lines", _share(sum(n <= SHORT_BODY for n in bodies), len(bodies))
    free = [count_body(function) for function in functions if not is_short_by_form(function)]
    yield "... not by their form", _share(sum(n <= SHORT_BODY for n in free), len(free))
    brief = sum(count_body(function) <= SHORT_BODY for function in once)
    yield (
        "private helpers",
        f"{_share(len(private), len(functions))}, {len(once)} used once, {brief} of these of up to {SHORT_BODY} lines",
    )
    yield "names of functions", f"{len(names):,}; the most common is {common} ({uses} times)"
    yield "public names", f"{_share(len(set(public)), len(public))} of the functions and classes of modules"
    yield "lines with a comment", _share(sum(source.comments for source in product), lines)
    yield "tests", f"{test_lines:,} lines, {test_lines / lines:.2f} to one of source"
    yield (
        "operations",
        f"{operations}: {lines / operations:.0f} lines and {instructions / operations:.0f} statements each",
    )


def _spread(numbers: Sequence[int]) -> str:
    return f"median {statistics.median(numbers):.0f}, 95 % up to {statistics.quantiles(numbers, n=20)[-1]:.0f}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.0f} %)"


def main() -> None:
    """Print the table."""
    product = read_sources(sorted((ROOT / "src").iterdir()))
    for name, figure in describe(product, read_sources([ROOT / "tests"]), count_operations(ROOT / "openapi")):
        print(f"  {name:27} {figure}")


if __name__ == "__main__":
    main()
