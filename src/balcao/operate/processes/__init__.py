"""The processes that `balcao serve` starts and supervises. Each runs `python -m balcao.operate.processes ROLE...`."""
