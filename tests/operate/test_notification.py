"""The notification that makes `systemctl restart` wait until a host serves callers again."""

import asyncio
import socket
from pathlib import Path

import pytest

from balcao.operate.processes import notification
from tests.support.polling import PATIENCE


@pytest.mark.parametrize("is_abstract", [False, True])
async def test_systemd_is_notified(is_abstract: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{tmp_path}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(f"\0{address}" if is_abstract else address)
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{address}" if is_abstract else address)
        monkeypatch.setattr(notification, "GATEWAY_SECONDS", 0.0)
        notification.notify_when_gateways_know()
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.get_running_loop().sock_recv(systemd, 100) == b"READY=1"


async def test_nothing_is_sent_without_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notification.notify_when_gateways_know()
