"""The page of roles lists each role of the seed exactly once."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_lists_every_role_of_the_seed_once() -> None:
    seed = tomllib.loads((ROOT / "src/balcao/access/seed/seed.toml").read_text())
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/operate/roles.md").read_text(), re.MULTILINE)
    assert re.findall(r"`(.+?)`", " ".join(rows)) == [role["name"] for role in seed["roles"]]
