"""The alert rules and the dashboard use only existing metrics, and promtool accepts the rules."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "monitoring"
PAGE = ROOT / "docs" / "operate" / "metrics.md"
ALERTS_PAGE = ROOT / "docs" / "operate" / "monitoring.md"
RULES = yaml.safe_load((FOLDER / "rules.yml").read_text("utf-8"))["groups"]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
# A series that Prometheus itself records, and the suffixes of a histogram's series.
FOREIGN = {"up": {"job", "instance"}}
HISTOGRAM = ("_bucket", "_count", "_sum")
_FUNCTIONS = (
    "sum|min|max|rate|increase|topk|histogram_quantile|by|without|and|or|unless|on|ignoring|max_over_time|"
    "avg_over_time|time|le|absent|count|group_left|Inf"
).split("|")


def read_known() -> dict[str, set[str]]:
    """Return every series with its labels, including series that the rules record.

    The names come from the metrics page, which another test checks.
    """
    known: dict[str, set[str]] = dict(FOREIGN)
    for cells in re.findall(r"^\| (`.*?) \|$", PAGE.read_text("utf-8"), re.MULTILINE):
        names, kind, labels = re.split(r"\s*\|\s*", cells)[:3]
        has = set(re.findall(r"`(\w+)`", labels)) | {"job", "instance"}
        for name in re.findall(r"`(\w+)`", names):
            known[name] = has
            if kind == "histogram":
                known |= {name + suffix: has | {"le"} for suffix in HISTOGRAM}
    for group in RULES:
        for rule in group["rules"]:
            if "record" in rule:
                known[rule["record"]] = {"service"}
    return known


def list_expressions() -> Iterator[tuple[str, str, str]]:
    """Yield each expression with its location and the text that may contain its labels."""
    for group in RULES:
        for rule in group["rules"]:
            yield rule.get("alert") or rule["record"], rule["expr"], " ".join(rule.get("annotations", {}).values())
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], target["legendFormat"]


EXPRESSIONS = list(list_expressions())


@pytest.mark.parametrize(("place", "expression", "texts"), EXPRESSIONS, ids=[place for place, *_ in EXPRESSIONS])
def test_every_metric_and_label_is_one_of_ours(place: str, expression: str, texts: str) -> None:
    known = read_known()
    bare = re.sub(r'"[^"]*"', '""', expression)
    grouped = set(re.findall(r"\w+", " ".join(re.findall(r"(?:by|without|on)\s*\(([^)]*)\)", bare))))
    matched = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"\"", bare))
    without = re.sub(r"\{[^}]*\}|\[[^\]]*\]|offset \w+|(?:by|without|on)\s*\([^)]*\)", " ", bare)
    names = {word for word in re.findall(r"[A-Za-z_][\w:]*", without) if word not in _FUNCTIONS}
    assert names, place
    assert names <= known.keys()
    labels = set.union(*(known[name] for name in names))
    shown = set(re.findall(r"\$labels\.(\w+)|\{\{(\w+)\}\}", texts)) - {("", "")}
    assert grouped | matched | {one or other for one, other in shown} <= labels


def test_every_alert_is_explained_and_no_other() -> None:
    alerts = {rule["alert"] for group in RULES for rule in group["rules"] if "alert" in rule}
    assert set(re.findall(r"^\| `(Balcao\w+)`", ALERTS_PAGE.read_text("utf-8"), re.MULTILINE)) == alerts


def test_every_panel_has_a_place_of_its_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place: dict[str, Any] = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


@pytest.mark.long
@pytest.mark.promtool
@pytest.mark.parametrize(
    "command", [["check", "rules", "rules.yml"], ["test", "rules", "rules_test.yml", "rules_days_test.yml"]]
)
def test_promtool_accepts_the_rules_and_they_alert_as_they_should(command: list[str]) -> None:
    promtool = os.environ.get("BALCAO_PROMTOOL")
    assert promtool, (
        "Este teste precisa do promtool: ponha o caminho dele em BALCAO_PROMTOOL (`tools/promtool` o mostra)"
    )
    done = subprocess.run([promtool, *command], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
