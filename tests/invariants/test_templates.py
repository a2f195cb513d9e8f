"""Templates have no long lines. `make lint` formats them, and these tests limit the lines that it cannot break."""

from pathlib import Path

import balcao
import balcao_sandbox

WIDEST = 140  # the formatter cannot break attribute values and braces
LONGEST = 300


def test_no_template_has_long_lines_or_many() -> None:
    faults, seen = [], 0
    for root in (Path(balcao.__file__).parent, Path(balcao_sandbox.__file__).parent):
        for file in sorted(root.rglob("*.html")):
            seen += 1
            lines = file.read_text("utf-8").splitlines()
            if len(lines) > LONGEST:
                faults.append(f"{file.relative_to(root)} has {len(lines)} lines: move macros to a file of their own")
            faults += [
                f"{file.relative_to(root)}:{number} has {len(line)} characters: break it, or set a name first"
                for number, line in enumerate(lines, 1)
                if len(line) > WIDEST
            ]
    assert seen > 150
    assert not faults, "\n".join(faults)
