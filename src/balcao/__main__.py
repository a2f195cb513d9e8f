"""The command `balcao`, which also runs as `python -m balcao`."""

import sys

from balcao.operate import faults


def main() -> None:
    """Run the command in `sys.argv` and exit with its status."""
    with faults.explained():
        from balcao.cli import commands  # importing it may raise configuration errors

        sys.exit(commands.run())


if __name__ == "__main__":
    main()
