"""The container files that `balcao init production` writes: what their containers may store."""

import re

import yaml

from balcao.operate.deploy import production
from balcao.operate.deploy.answers import Installation
from balcao.operate.deploy.production import Secrets

ANSWERS = Installation(
    "https://balcao.cidade.example", "https://login.cidade.example", database="banco.cidade.example:5432"
)


def test_citizens_files_are_never_stored_where_they_would_be_lost() -> None:
    """The compose file has a volume for them. In pods their folder is read-only, so only a bucket can store them."""
    written = production.generate_production_files(ANSWERS, Secrets())
    files = {name: file.content.decode() for name, file in written.items()}
    composed, volume = yaml.safe_load(files["container/compose.yaml"]), "files:/var/lib/balcao/files"
    with_files = {name for name, service in composed["services"].items() if volume in service["volumes"]}
    assert (with_files, composed["volumes"]) == ({"api", "worker"}, {"files": {}})
    # A new volume gets the owner of the folder in the image.
    made = re.search(r"install -d -o balcao -g balcao .*", files["container/Containerfile"])
    assert made
    assert "/var/lib/balcao/files" in made[0].split()
    for name in ("api", "worker"):
        pod = next(yaml.safe_load_all(files[f"kubernetes/{name}.yaml"]))["spec"]["template"]["spec"]
        mounted = {each["mountPath"]: each.get("readOnly", False) for each in pod["containers"][0]["volumeMounts"]}
        assert mounted["/var/lib/balcao/files"], name
    assert "mountPath: /var/lib/balcao/files, readOnly: true" in files["helm/templates/_common.tpl"]
