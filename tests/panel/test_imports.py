"""A separate panel process neither imports a service nor reads the files of a service's package."""

import subprocess
import sys

SERVICES = ("access", "agents", "agent_docs", "employability", "health_units", "registry", "search")


def test_a_panel_alone_loads_no_service() -> None:
    listed = "sorted(name for name in sys.modules if name.startswith('balcao.'))"
    code = f"import sys, balcao.panel.standalone; print(*{listed})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "balcao.panel.standalone" in loaded
    assert [name for name in loaded if name.split(".")[1] in SERVICES] == []
