"""The numbers that the rules pages tell, to be compared with those of the product."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs/reference/rules"


def read_numbers(page: str, sentence: str) -> list[float]:
    """Return the numbers in the groups of `sentence`, a pattern that the page holds exactly once."""
    found = re.findall(sentence, (PAGES / f"{page}.md").read_text("utf-8"))
    assert len(found) == 1, f"{page}: {len(found)} places with {sentence!r}"
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return [float(group.replace(",", "").replace(" ", "")) for group in groups]
