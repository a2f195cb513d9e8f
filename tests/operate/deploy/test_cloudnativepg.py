"""The manifest of a PostgreSQL cluster in Kubernetes has only fields that the operator knows, and Patroni's choices."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.operate.deploy.test_cluster import HOSTS, generate

SCHEMA = json.loads(Path(__file__).with_name("cloudnativepg.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generate(tmp_path)
    return tmp_path


@pytest.fixture
def manifest(folder: Path) -> Any:
    return yaml.safe_load((folder / "database/cloudnativepg.yaml").read_text("utf-8"))


def test_the_operator_knows_every_field(manifest: Any) -> None:
    from jsonschema import Draft7Validator  # imported here, because that takes two seconds

    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(manifest)] == []
    manifest["spec"]["postgresql"]["synchronous"]["dataDurability"] = "sometimes"
    assert not Draft7Validator(SCHEMA).is_valid(manifest)


def test_the_choices_are_those_of_patroni(folder: Path, manifest: Any) -> None:
    bootstrap = yaml.safe_load((folder / f"cluster/{HOSTS[0]}/config.yml").read_text("utf-8"))["bootstrap"]
    spec, patroni = manifest["spec"], bootstrap["dcs"]["postgresql"]["parameters"]
    assert spec["instances"] == len(HOSTS)
    assert spec["postgresql"]["synchronous"]["dataDurability"] == "required"
    assert spec["postgresql"]["parameters"].items() <= {name: str(value) for name, value in patroni.items()}.items()
    initdb = spec["bootstrap"]["initdb"]
    assert {"encoding": initdb["encoding"]} in bootstrap["initdb"]
    assert {"locale": initdb["localeCollate"]} in bootstrap["initdb"]
    assert initdb["dataChecksums"]
    assert "data-checksums" in bootstrap["initdb"]
