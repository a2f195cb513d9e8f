"""The command `balcao`, also as `python -m balcao`."""

import sys

from balcao.operate import faults


def main() -> None:
    """Run the command of this process's arguments and exit with its status."""
    with faults.explained():
        from balcao.cli import commands  # a fault of the configuration may already show while code loads

        sys.exit(commands.run())


if __name__ == "__main__":
    main()
