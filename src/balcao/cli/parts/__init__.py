"""The processes that `balcao serve` starts and watches over, each run as `python -m balcao.cli.parts.NAME`."""
