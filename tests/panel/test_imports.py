"""A separate panel process neither imports a service nor reads the files of its package."""

import subprocess
import sys

SERVICES = ("access", "agents", "agent_docs", "employability", "health_units", "registry", "search")


def test_a_panel_alone_loads_no_service() -> None:
    code = "import sys, balcao.panel.alone; print(*sorted(name for name in sys.modules if name.startswith('balcao.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "balcao.panel.alone" in loaded
    assert [name for name in loaded if name.split(".")[1] in SERVICES] == []
