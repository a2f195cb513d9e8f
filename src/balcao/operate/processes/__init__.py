"""The processes that `balcao serve` starts and supervises, each run as `python -m balcao.operate.processes ROLE...`."""
