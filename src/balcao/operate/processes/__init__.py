"""The processes that `balcao serve` starts and supervises, each as `python -m balcao.operate.processes ROLE...`."""
