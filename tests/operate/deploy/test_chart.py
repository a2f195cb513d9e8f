"""The Helm chart validates its values, and renders the same objects as the manifests."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.gateways import manifest_tools, validators
from tests.support.polling import PATIENCE
from tests.support.terminal import Terminal

pytestmark = pytest.mark.manifests
# Annotations that only the chart has. They determine when Helm runs the job.
HOOK = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an installation with answers that differ from the defaults."""
    home = tmp_path_factory.mktemp("init")
    answers = (
        "--public-url=https://balcao.cidade.example",
        "--auth-issuer=https://login.cidade.example/realms/cidade",
        "--gateway=nginx",
        "--database=banco.cidade.example:5433",
        "--redis-url=rediss://:senha@redis.cidade.example:6380/0",
        "--port=9080",
        "--management-port=9090",
        "--image=registro.cidade.example:5000/balcao:1.2.3",
    )
    done = Terminal(home).run("init", "production", *answers, f"--program={shutil.which('true')}")
    assert done.returncode == 0, done.stderr
    return home / "production"


def call(tool: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [str(manifest_tools() / tool), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def make(tool: str, *words: object) -> dict[tuple[str, str], Any]:
    """Return the Kubernetes objects that a tool prints, by kind and name."""
    done = call(tool, *words)
    assert done.returncode == 0, done.stderr
    return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(done.stdout)}


def template(folder: Path, *options: str) -> dict[tuple[str, str], Any]:
    return make("helm", "template", "balcao", folder / "helm", "--namespace=balcao", *options)


def test_helm_finds_nothing_to_say_of_the_chart_but_that_it_has_no_picture(folder: Path) -> None:
    done = call("helm", "lint", "--strict", folder / "helm")
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert said == ["[INFO] Chart.yaml: icon is recommended"]


def test_the_chart_makes_the_objects_that_the_manifests_are(folder: Path) -> None:
    made = template(folder)
    migration = made["Job", "balcao-migrate-1-2-3"]
    assert migration["metadata"].pop("annotations") == HOOK
    assert made == make("kustomize", "build", folder / "kubernetes")


@pytest.mark.validators
def test_kubernetes_takes_what_values_of_a_city_s_own_make(folder: Path, tmp_path: Path) -> None:
    own = {
        "imagePullSecrets": ["registro"],
        "secrets": {"settings": "ajustes", "owner": "dono"},
        "ports": {"http": 7000, "panel": 7002, "management": 7100},
        "trustedProxies": "10.9.0.0/16",
        "api": {"minReplicas": 3, "maxReplicas": 5, "cpuUtilization": 50, "resources": {"limits": {"cpu": 2}}},
        "panel": {"replicas": 2},
        "ingress": {"host": "balcao.cidade.example"},
        "network": {"calledPorts": [5432], "calledNetworks": ["10.1.0.0/16", "fd00::/8"]},
    }
    values = tmp_path / "values.json"
    values.write_text(json.dumps(own))
    made = template(folder, f"--values={values}")
    objects = tmp_path / "objects"
    objects.mkdir()
    for number, one in enumerate(made.values()):
        (objects / f"{number}.json").write_text(json.dumps(one))
    subprocess.run(
        [validators() / "kubernetes-validate", "--strict", "--no-warn", *objects.iterdir()],
        check=True,
        timeout=PATIENCE,
    )
    worker = made["Deployment", "balcao-worker"]["spec"]["template"]["spec"]
    assert worker["imagePullSecrets"] == [{"name": "registro"}]
    (container,) = worker["containers"]
    assert [source["secretRef"]["name"] for source in container["envFrom"]] == ["ajustes", "dono"]
    assert container["ports"] == [{"name": "management", "containerPort": 7101}]
    assert {"name": "BALCAO_TRUSTED_PROXIES", "value": "10.9.0.0/16"} in container["env"]
    assert made["HorizontalPodAutoscaler", "balcao-api"]["spec"]["maxReplicas"] == 5
    assert made["Deployment", "balcao-panel"]["spec"]["replicas"] == 2
    paths = made["Ingress", "balcao"]["spec"]["rules"][0]["http"]["paths"]
    assert [path["backend"]["service"] for path in paths] == [
        {"name": "balcao-panel", "port": {"number": 7002}},
        {"name": "balcao-api", "port": {"number": 7000}},
    ]
    assert made["NetworkPolicy", "balcao"]["spec"]["egress"][-1] == {
        "ports": [{"port": 5432, "protocol": "TCP"}],
        "to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}, {"ipBlock": {"cidr": "fd00::/8"}}],
    }


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("ports.management=65534", "/ports/management"),
        ("worker.replica=3", "replica"),
        ("image.tag=1.2_3", "/image/tag"),
        ("network.calledNetworks={any}", "/network/calledNetworks/0"),
        ("network.gatewayNamespaces=null", "gatewayNamespaces"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_name(folder: Path, wrong: str, named: str) -> None:
    done = call("helm", "template", "balcao", folder / "helm", "--set", wrong)
    assert done.returncode != 0
    assert named in done.stderr
