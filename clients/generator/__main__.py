"""Build the client packages from their sources: `make clients`. Without Node, only the Python client is built."""

import argparse
import shutil
from pathlib import Path

from clients.generator import python, typescript
from clients.generator.documents import ROOT
from clients.generator.measures import measure_python, measure_typescript


def main() -> None:
    """Write and pack the clients in the target folder, and print their measures."""
    arguments = argparse.ArgumentParser(prog="python -m clients.generator")
    arguments.add_argument("target", type=Path)
    arguments.add_argument("--tools", type=Path, default=ROOT / "tools", help="where the generators are installed")
    given = arguments.parse_args()
    target = given.target.absolute()
    python.write(target / "python", given.tools / "sdk")
    print(measure_python(python.pack(target / "python", target)))
    if shutil.which("node"):
        typescript.write(target / "typescript", given.tools / "openapi" / "node_modules")
        package = typescript.pack(target / "typescript", target)
        print(measure_typescript(package, target / "typescript" / "lib" / "index.js"))


if __name__ == "__main__":
    main()
