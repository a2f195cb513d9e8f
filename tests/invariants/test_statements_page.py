"""The page of the statements, for DBAs."""

from tools.statements import PAGE, Relations, find_relations, load_statements, write_page


def test_the_page_is_what_the_stores_say() -> None:
    assert PAGE.read_text("utf-8") == write_page()


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
