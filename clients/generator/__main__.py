"""Makes both clients in a folder, from their sources to the packages: `make clients`."""

import sys
from pathlib import Path

from clients.generator import python, typescript
from clients.generator.documents import ROOT


def main() -> None:
    """Write and pack both clients; the argument is the folder for them."""
    target = Path(sys.argv[1]).absolute()
    python.write(target / "python", ROOT / "tools" / "sdk")
    python.pack(target / "python", target)
    typescript.write(target / "typescript", ROOT / "tools" / "openapi" / "node_modules")
    typescript.pack(target / "typescript", target)


if __name__ == "__main__":
    main()
