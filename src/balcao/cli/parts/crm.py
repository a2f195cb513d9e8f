"""The sandbox CRM."""

import sys

from balcao.cli.parts import orders, serving
from balcao.core import logs
from balcao.crm.sandbox.server import server
from balcao.settings import Settings


def main() -> int:
    settings = Settings.load()
    logs.configure(settings.log_level)
    return serving.run(server(settings), orders.hear())


if __name__ == "__main__":
    sys.exit(main())
