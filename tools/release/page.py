"""Write `docs/reference/licences.md`, which lists the licence of each component of the platform."""

from tools.release.components import ROOT, Component, Scope, list_bundled, list_packages

PAGE = ROOT / "docs/reference/licences.md"
_HEAD = """# Licences

<!-- Written by `make docs` from the lists of versions and what each package declares. Do not edit. -->

This page shows the licence of each component that is installed or delivered with Balcão. Balcão itself has the MIT
licence (`LICENSE`). `tools/release/licences.toml` lists the accepted licences. The tests and
`make release` fail if a package has another licence, or declares none. The bill of materials of each release
(`balcao-VERSION.cdx.json`, CycloneDX) has versions and hashes.
"""
_SECTIONS = {
    Scope.REQUIRED: "Installed with the platform",
    Scope.OPTIONAL: "Installed only for traces",
    Scope.BUILD: "Only for building",
}


def write() -> str:
    """Return the content of the page. Raises Refused for a component without an accepted licence."""
    packages = list_packages()
    bundled = _section(
        "Files from other projects in the package, with their licence texts next to them", list_bundled()
    )
    sections = [_section(title, [one for one in packages if one.scope is scope]) for scope, title in _SECTIONS.items()]
    return "\n".join([_HEAD, bundled, *sections])


def _section(title: str, parts: list[Component]) -> str:
    rows = "".join(f"| {part.name} | {part.licence} |\n" for part in parts)
    return f"## {title}\n\n| Part | Licence |\n|---|---|\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(write(), "utf-8")
