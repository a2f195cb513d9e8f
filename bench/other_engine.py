"""Tantivy over the same services, with Portuguese stemming, without accents, and with a weight for each field."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tantivy

# The weights of three groups of fields: the name, the summary and category, and all others. Our search uses them too.
BOOSTS = {"name": 10.0, "head": 5.0, "rest": 1.0}


def open_index(
    folder: Path, documents: Sequence[dict[str, Any]], *, is_fuzzy: bool = False
) -> Callable[[str], list[str]]:
    """Index the documents, and return a search function.

    The function returns the names of a query's ten best matches. With `is_fuzzy`, a word of the query also matches
    words that differ from it by one letter.
    """
    folder.mkdir()
    analyzer = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stopword("portuguese"))
        .filter(tantivy.Filter.stemmer("portuguese"))
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )
    builder = tantivy.SchemaBuilder()
    for field in BOOSTS:
        builder.add_text_field(field, stored=field == "name", tokenizer_name="folded")
    index = tantivy.Index(builder.build(), path=str(folder))
    index.register_tokenizer("folded", analyzer)
    writer = index.writer(heap_size=100_000_000)
    for each in documents:
        writer.add_document(
            tantivy.Document(
                name=each["nome_servico"],
                head=f"{each['resumo']} {each['tema_geral']} {each['sub_categoria']}",
                rest=" ".join([each["descricao_completa"], *each["documentos_necessarios"]]),
            )
        )
    writer.commit()
    index.reload()
    searcher = index.searcher()

    fuzzy = dict.fromkeys(BOOSTS, (False, 1, True)) if is_fuzzy else {}

    def ask(query: str) -> list[str]:
        parsed, _ = index.parse_query_lenient(query, list(BOOSTS), field_boosts=BOOSTS, fuzzy_fields=fuzzy)
        return [searcher.doc(place)["name"][0] for _, place in searcher.search(parsed, 10).hits]

    return ask
