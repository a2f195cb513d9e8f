"""Explains to an operator why the embedded PostgreSQL did not start."""

from pathlib import Path

from balcao.operate.postgresql.accounts import RESTORE
from balcao_sandbox.postgresql import disk


def explain_refusal(output: str, log: Path) -> str:
    """Return a message for the operator that contains the reason from the server's output.

    If the disk is full, the message explains only that.
    """
    if disk.reports_full_disk(output) or disk.is_disk_full(log.parent):
        return disk.describe_full(log.parent)
    said = next((line for word in ("FATAL", "PANIC", "could not", "") if (line := find_last_line(output, word))), "")
    return f"O PostgreSQL embutido não iniciou: {said or 'sem explicação.'} Veja {log}. {RESTORE}"


def find_last_line(text: str, word: str = "") -> str:
    """Return the last non-blank line that contains this word, or an empty string."""
    lines = [line for line in text.splitlines() if line.strip() and word in line]
    return lines[-1].strip() if lines else ""
