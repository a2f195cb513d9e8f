"""Build the clients in a folder, from their sources to the packages: `make clients`. Without Node, only Python's."""

import shutil
import sys
from pathlib import Path

from clients.generator import python, typescript
from clients.generator.documents import ROOT
from clients.generator.measures import measure_python, measure_typescript


def main() -> None:
    """Write and pack the clients, and print their measures. The argument is the target folder."""
    target = Path(sys.argv[1]).absolute()
    python.write(target / "python", ROOT / "tools" / "sdk")
    print(measure_python(python.pack(target / "python", target)))
    if shutil.which("node"):
        typescript.write(target / "typescript", ROOT / "tools" / "openapi" / "node_modules")
        package = typescript.pack(target / "typescript", target)
        print(measure_typescript(package, target / "typescript" / "lib" / "index.js"))


if __name__ == "__main__":
    main()
