"""Write `docs/reference/licences.md`: the licence of each component of the platform."""

from tools.release.components import ROOT, Component, Scope, list_bundled, list_packages

PAGE = ROOT / "docs/reference/licences.md"
_HEAD = """# Licences

<!-- Written by `make docs` from the lists of versions and what each package declares. Do not edit. -->

Balcão itself stands under the MIT licence (`LICENSE`). Everything it is installed with stands under one that goes
with it; `tools/release/licences.toml` lists those that are accepted, and neither the tests nor `make release` pass with
another one, or with a package that does not say which it has. Versions and hashes are in the bill of materials of each
release (`balcao-VERSION.cdx.json`, CycloneDX).
"""
_SECTIONS = {
    Scope.REQUIRED: "Installed with the platform",
    Scope.OPTIONAL: "Installed only where traces are switched on",
    Scope.BUILD: "Only to build",
}


def write() -> str:
    """Return the page. Raises Refused for a component without an accepted licence."""
    packages = list_packages()
    bundled = _section("Files of others within the package; their texts lie beside them", list_bundled())
    sections = [_section(title, [one for one in packages if one.scope is scope]) for scope, title in _SECTIONS.items()]
    return "\n".join([_HEAD, bundled, *sections])


def _section(title: str, parts: list[Component]) -> str:
    rows = "".join(f"| {part.name} | {part.licence} |\n" for part in parts)
    return f"## {title}\n\n| Part | Licence |\n|---|---|\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(write(), "utf-8")
