"""The command `balcao`, also as `python -m balcao`."""

from balcao.cli import faults
from balcao.core import logs


def main() -> None:
    """Quiet by default; what serves and works sets its own level."""
    logs.configure("error")
    with faults.told():
        from balcao.cli.commands import balcao  # a fault of the configuration may already show while the code loads

        balcao()


if __name__ == "__main__":
    main()
