"""Build the client packages from their sources: `make clients`. Without Node, only the Python client is built."""

import shutil
import sys
from pathlib import Path

from clients.generator import python, typescript
from clients.generator.documents import ROOT
from clients.generator.measures import measure_python, measure_typescript


def main() -> None:
    """Write and pack the clients in the target folder (the only argument), and print their measures."""
    target = Path(sys.argv[1]).absolute()
    python.write(target / "python", ROOT / "tools" / "sdk")
    print(measure_python(python.pack(target / "python", target)))
    if shutil.which("node"):
        typescript.write(target / "typescript", ROOT / "tools" / "openapi" / "node_modules")
        package = typescript.pack(target / "typescript", target)
        print(measure_typescript(package, target / "typescript" / "lib" / "index.js"))


if __name__ == "__main__":
    main()
