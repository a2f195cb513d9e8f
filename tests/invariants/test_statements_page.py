"""The generated page of SQL statements, which database administrators read."""

import re

from tools.statements import Relations, find_relations, load_statements, write_page


def test_the_page_has_a_row_for_every_statement_below_its_feature() -> None:
    page = write_page()
    rows = [
        f"{part.splitlines()[0]}.{name}"
        for part in page.split("\n## ")[1:]
        for name in re.findall(r"^\| `([^`]+)` \|", part, re.M)
    ]
    assert rows == list(load_statements())


def test_every_statement_bears_its_name_where_the_server_shows_it() -> None:
    texts = load_statements()
    assert len(texts) > 700
    assert [name for name, text in texts.items() if f" /* {name} */" not in text[:200]] == []


def test_what_a_statement_reads_writes_and_calls_is_found_in_all_its_parts() -> None:
    text = """
        WITH gone AS (DELETE FROM a.one USING b.two WHERE one.id = two.id RETURNING one.id)
        INSERT INTO c.three SELECT id, a.folded(name) FROM gone JOIN c.three USING (id) WHERE lower(name) = $1
    """
    assert find_relations(text) == Relations({"b.two"}, {"a.one", "c.three"}, {"a.folded"})
