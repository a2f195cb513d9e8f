"""The measured staff operations on agent configurations. The Go program does not have them."""

import json

from bench.access import staff_case
from bench.cases import Case
from bench.load import COUNTED
from bench.stage import Stage

BASE = "/agent/api/v1"


def agent_cases(stage: Stage) -> list[Case]:
    """Return the cases. Each save has different content, because saving the same content again creates no version."""
    saved = json.dumps({"agent_type": "agentic_search", "model_name": f"modelo-{COUNTED.decode()}", "reason": "medida"})
    listed = f"{BASE}/unified-history?agent_type=agentic_search&limit=10"
    return [
        staff_case("agent_list", stage, lambda _: ("GET", listed, ""), b'"total_items":'),
        staff_case("agent_save", stage, lambda _: ("POST", f"{BASE}/unified-save", saved), b'"success":true'),
    ]
