"""Section 2 of the employability rules as data, parsed from the rules page: the callers that each operation allows."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/reference/rules/employability.md"
METHODS = ("GET", "POST", "PUT", "DELETE")
_BASES = {"E": "/api/v1/empregabilidade", "P": "/api/public/empregabilidade"}
_OLDER = "/api/v1/empregos"
_SECTIONS = ("formacoes", "idiomas", "cursos-complementares", "experiencias", "conquistas")
_TABLES = (
    "regimes-contratacao modelos-trabalho tipos-pcd idiomas niveis-idioma escolaridades tipos-conquista "
    "situacoes-atual disponibilidades zonas"
).split()


@dataclass(frozen=True)
class Who:
    """The callers that a rule allows.

    `kind` is `public`, `authenticated`, `own`, `self`, `owner` or `action`. A caller with one of `actions` is also
    allowed. `scoped` limits staff to their departments.
    """

    kind: str
    actions: frozenset[str] = frozenset()
    scoped: bool = False


def read_rules(page: str | None = None) -> dict[tuple[str, str], Who]:
    """Return the allowed callers of each operation, by method and path. Path parameters are written as `{}`."""
    text = PAGE.read_text("utf-8") if page is None else page
    rules: dict[tuple[str, str], Who] = {}
    section: list[tuple[str, str]] = []
    for line in text[text.index("### 2.1") : text.index("## 3.")].splitlines():
        if line.startswith("### "):
            section = []
            older = _OLDER in line
        if not line.startswith("|") or line.startswith(("| Method", "|---")):
            continue
        cell, rule = (part.strip() for part in line.strip("|").split(" | ")[:2])
        rows = list(_operations(cell, section, _OLDER if older else ""))
        for method, path in rows:
            who = _parse(rule, method, path, section, rules, text)
            if who is not None:
                rules[method, path] = who
        section += rows
    return rules


def shape(path: str) -> str:
    """Return the path with each parameter written as `{}`."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def _operations(cell: str, section: list[tuple[str, str]], base: str) -> Iterator[tuple[str, str]]:
    """Yield the method and path of each operation named in a table cell."""
    methods: list[str] = []
    paths: list[str] = []
    named = False
    for word in re.findall(r"`[^`]+`|\b(?:GET|POST|PUT|DELETE|each)\b", cell):
        if word in METHODS:
            if named:
                yield from ((method, path) for path in paths for method in methods)
                methods, named = [], False
            methods.append(word)
        elif word == "each":
            paths = [path for method, path in section if method == "GET"]
            named = True
        else:
            if not named:
                before, paths = paths, []
            paths += _expand(word.strip("`"), base, paths or before, section)
            named = True
    yield from ((method, path) for path in (paths if named else [base]) for method in methods)


def _expand(word: str, base: str, before: list[str], section: list[tuple[str, str]]) -> list[str]:
    if word.startswith(".../"):
        lists = before or [path for method, path in section if method == "GET"]
        return [f"{path}/{{}}" for path in lists]
    start = re.match(r"([EP])/", word)
    if start:
        path = _BASES[start[1]] + word[1:]
    elif word.startswith("/api/"):
        path = word
    elif base:
        path = base + word
    else:
        path = before[-1].rpartition("/")[0] + word
    found = [path]
    if re.search(r"/x\b", path):
        found = [re.sub(r"/x\b", f"/{name}", path) for name in _TABLES]
    if re.search(r"/s\b", path):
        found = [re.sub(r"/s\b", f"/{name}", path) for name in _SECTIONS]
    return [shape(each) for each in found]


def _parse(
    rule: str,
    method: str,
    path: str,
    section: list[tuple[str, str]],
    rules: Mapping[tuple[str, str], Who],
    text: str,
) -> Who | None:
    """Return the callers that the rule's text allows, or None if it refers to section 2.1."""
    if rule == "see 2.1":
        return None
    if rule == "same":
        return rules[section[-1]]
    if rule == "as the list":
        return rules["GET", path.removesuffix("/{}")]
    if "others as" in rule:
        own_words, others = rule.split(", others ")
        rule = own_words.removeprefix("GET ") if method == "GET" else others
    if rule.startswith("as PUT of the job"):
        return rules["PUT", f"{_BASES['E']}/vagas/{{}}"]
    if rule.startswith("as POST"):
        return next(rules[key] for key in reversed(section) if key[0] == "POST")
    if rule.startswith("4.1"):
        event = path.rpartition("/")[2]
        (row,) = re.findall(rf"^\|[^|]*\| {event} \|([^|]*)\|", text, re.MULTILINE)
        return Who("action", _named(row), True)
    if rule.startswith("owner; "):
        words = rule.split("; ")[1 if method == "GET" else 2]
        return Who("owner", _named(words))
    scoped = "scoped" in rule
    if rule.startswith("`public`"):
        return Who("public")
    if "owner" in rule:
        return Who("owner", _named(rule), scoped)
    if rule.startswith("`self`"):
        return Who("self", _named(rule), scoped)
    if rule.startswith("the caller's own"):
        return Who("own")
    if rule == "`authenticated`":
        return Who("authenticated")
    # Publishing a job needs further actions, but the examples are drafts.
    first = rule.partition(";")[0]
    return Who("action", _named(first), scoped)


def _named(words: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?:action:)?([a-z_]+:[a-z_]+)", words.replace("action:", "")))
