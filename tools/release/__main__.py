"""`python -m tools.release [--key KEY]`: build a release into `dist`, and sign it if a key is given."""

import argparse
import sys
from pathlib import Path

from tools.release import building, signing
from tools.release.components import ROOT
from tools.release.licences import Refused


def main() -> None:
    """Build a release, sign it if a key is given, and print the result."""
    arguments = argparse.ArgumentParser(prog="python -m tools.release")
    arguments.add_argument("--key", type=Path)
    arguments.add_argument("--repository", type=Path, default=ROOT)
    arguments.add_argument("--folder", type=Path, default=ROOT / "dist")
    said = arguments.parse_args()
    try:
        made = building.build(said.repository, said.folder)
        if said.key:
            signing.sign(said.repository, made, said.key.expanduser())
    except Refused as fault:
        sys.exit(str(fault))
    print(made)
    print("".join(f"  {path.name}\n" for path in sorted(made.iterdir())), end="")
    if not said.key:
        print("Esta edição NÃO está assinada: dê a chave com `make release RELEASE_KEY=~/.ssh/id_ed25519`.")


if __name__ == "__main__":
    main()
