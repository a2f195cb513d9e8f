"""Makes both clients in a folder, from their sources to the packages: `make clients`."""

import sys
from pathlib import Path

from clients.generator import python, typescript
from clients.generator.documents import ROOT
from clients.generator.measures import measure_python, measure_typescript


def main() -> None:
    """Write and pack both clients, and print what they cost; the argument is the folder for them."""
    target = Path(sys.argv[1]).absolute()
    python.write(target / "python", ROOT / "tools" / "sdk")
    wheel = python.pack(target / "python", target)
    typescript.write(target / "typescript", ROOT / "tools" / "openapi" / "node_modules")
    package = typescript.pack(target / "typescript", target)
    for measures in (measure_python(wheel), measure_typescript(package, target / "typescript" / "lib" / "index.js")):
        print(measures)


if __name__ == "__main__":
    main()
