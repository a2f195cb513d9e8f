"""The command `balcao`, also as `python -m balcao`."""

import sys

from balcao.operate import faults


def main() -> None:
    """Run the command in this process's arguments and exit with its status."""
    with faults.explained():
        from balcao.cli import commands  # inside: imports may raise configuration errors

        sys.exit(commands.run())


if __name__ == "__main__":
    main()
