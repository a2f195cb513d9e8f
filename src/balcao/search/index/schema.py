"""The fields of the search index, and the conversion of services to index entries (rules: search 4.6, index)."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import msgspec
import tantivy

from balcao.search.document import ServiceDocument
from balcao.search.portuguese.analysis import (
    LONGEST_TEXT,
    Token,
    fold_label,
    list_roots,
    split_words,
    tokenize,
    tokenize_compounds,
)
from balcao.search.portuguese.lexicon import fold
from balcao.search.portuguese.spelling import spell_sound
from balcao.search.public import PublicService

# Increase this number whenever the fields, the analysis or the lexicon change. Each revision has its own folder, so
# that two releases can run on one host during an update.
REVISION: Final = 5

# Zones contain the roots of words. The name also has a zone for its lemmas, so that the exact word beats a related
# word.
NAME, LEMMAS, PHRASES, HEAD, REST, DOCUMENTS = "name", "lemmas", "phrases", "head", "rest", "documents"
ZONES = (NAME, LEMMAS, PHRASES, HEAD, REST, DOCUMENTS)
_STORED = frozenset({NAME, LEMMAS, PHRASES, HEAD})
# `words` has the folded words of names, phrases and summaries, for completion. `sounds` has each sound, and each pair
# `sound/word`, for corrections.
WORDS, SOUNDS = "words", "sounds"
FILTERS, SHOWN, STATE = "filters", "shown", "state"
LISTED, CONTENT = "listed", "content"
FACETS = ("tema_geral", "sub_categoria", "orgao_gestor", "publico_especifico", "is_free")
# Filters can use this member and the facets.
HIGHLIGHTED = "fixar_destaque"
# Values of `FILTERS`. Every service has the first one. The others hide a service: few have them, so a search excludes
# them instead of reading the list of all visible services.
EVERY, DRAFT, EXCLUSIVE = "every", "draft", "exclusive"
BETWEEN_PHRASES = "|"
# Separates the compared form of a facet value from its spelling.
FACET_SEPARATOR = "\t"
# A sort value has three parts, from its highest bits: popularity, highlight, last change in Unix seconds.
_UPDATED_BITS = 38
_POPULARITY_STEPS = 1_000_000

_SOUND_SEPARATOR = "/"


@dataclass(frozen=True, slots=True)
class IndexedService:
    """A service with its phrases and its popularity, which is a percentile from 0 to 1."""

    document: ServiceDocument
    popularity: float = 0.0
    phrases: Sequence[str] = ()


@cache
def make_schema() -> tantivy.Schema:
    """Return the schema. Python splits the texts into words, so the engine only splits at blanks."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for zone in ZONES:
        # no phrase is searched in lemmas
        option = "freq" if zone == LEMMAS else "position"
        builder.add_text_field(zone, stored=zone in _STORED, tokenizer_name="whitespace", index_option=option)
    for field in (WORDS, SOUNDS):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field(FILTERS, tokenizer_name="raw", index_option="basic")
    for facet in FACETS:
        builder.add_text_field(facet, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_integer_field(LISTED, stored=True, fast=True)
    builder.add_integer_field(CONTENT, fast=True)
    for field in (SHOWN, STATE):
        builder.add_bytes_field(field, stored=True, indexed=False)
    return builder.build()


def make_entry(service: IndexedService) -> tantivy.Document:
    """Return the entry of a service. Each zone has at most the first `LONGEST_TEXT` characters of its texts."""
    document = service.document
    name = tokenize(document.nome_servico) + tokenize_compounds(document.nome_servico)
    phrases = [tokenize(phrase) for phrase in service.phrases]
    head = tokenize(_join(document.resumo_plaintext, document.tema_geral, document.sub_categoria))
    rest = _join(*document.publico_especifico, document.descricao_completa_plaintext)
    documents = _join(
        *document.documentos_necessarios_plaintext,
        document.instrucoes_solicitante_plaintext,
        *document.legislacao_relacionada,
    )
    # Include the stop words of the name, for queries that consist only of stop words.
    words = {fold(word) for word in split_words(document.nome_servico)}
    words |= {token.folded for token in (*name, *head, *(token for phrase in phrases for token in phrase))}
    stored = {
        NAME: _write_roots(name),
        LEMMAS: " ".join(token.lemmas[0] for token in name),
        PHRASES: f" {BETWEEN_PHRASES} ".join(map(_write_roots, phrases)),
        HEAD: _write_roots(head),
    }
    order = encode_order(Order(service.popularity, document.fixar_destaque, document.last_update))
    shown = msgspec.json.encode(_to_public(document))
    entry = tantivy.Document(
        id=document.id,
        **stored,
        **{
            REST: " ".join(list_roots(rest)),
            DOCUMENTS: " ".join(list_roots(documents)),
            WORDS: " ".join(words),
            SOUNDS: " ".join(term for word in words if word.isalpha() for term in _list_sound_terms(word)),
            LISTED: order,
            CONTENT: _identify_content(*stored.values(), str(order), shown),
        },
    )
    for value in _list_filters(document):
        entry.add_text(FILTERS, value)
    for facet in FACETS:
        for value in _list_facet_values(document, facet):
            entry.add_text(facet, value)
    entry.add_bytes(SHOWN, shown)
    return entry


def _identify_content(*stored: str | bytes) -> int:
    """Return a number that identifies the stored fields, so that readers can use it as a cache key for an entry."""
    digest = hashlib.blake2b(msgspec.json.encode(stored), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def write_sound_prefix(sound: str) -> str:
    """Return the common prefix of the pairs in `SOUNDS` with this sound."""
    return sound + _SOUND_SEPARATOR


def read_sound_word(term: str) -> str:
    """Return the word of a pair in `SOUNDS`."""
    return term.partition(_SOUND_SEPARATOR)[2]


class Order(NamedTuple):
    """The sort values of a service, most important first. `updated` is in Unix seconds."""

    popularity: float
    is_highlighted: bool
    updated: int


def encode_order(order: Order) -> int:
    """Encode the sort values as one number, because the engine sorts by one field."""
    steps = round(order.popularity * _POPULARITY_STEPS) * 2 + order.is_highlighted
    return (steps << _UPDATED_BITS) + max(order.updated, 0)


def decode_order(number: int) -> Order:
    """Decode a number that `encode_order` returned."""
    steps, updated = number >> _UPDATED_BITS, number & ((1 << _UPDATED_BITS) - 1)
    return Order(steps // 2 / _POPULARITY_STEPS, bool(steps % 2), updated)


def write_filter(field: str, value: str) -> str:
    """Return the filter value of a field. Names are compared without accents and case."""
    return f"{field}={fold_label(value)}"


def _list_sound_terms(word: str) -> tuple[str, str]:
    """Return two terms: the sound, for a fast check whether any word has it, and the pair of sound and word."""
    sound = spell_sound(word)
    return sound, f"{sound}{_SOUND_SEPARATOR}{word}"


def _list_filters(document: ServiceDocument) -> Iterable[str]:
    yield EVERY
    if document.status != 1:
        yield DRAFT
    if document.is_exclusive:
        yield EXCLUSIVE
    for field in (*FACETS, HIGHLIGHTED):
        yield from {write_filter(field, value) for value in _list_values(document, field)}


def _list_facet_values(document: ServiceDocument, facet: str) -> Iterable[str]:
    """Return the values of a facet as `compared form, spelling`. Spellings of one name count once."""
    spellings: dict[str, str] = {}
    for value in _list_values(document, facet):
        folded = fold_label(value)
        spellings[folded] = min(spellings.get(folded, value), value)
    return (f"{folded}{FACET_SEPARATOR}{spelling}" for folded, spelling in spellings.items())


def _list_values(document: ServiceDocument, field: str) -> list[str]:
    value = getattr(document, field)
    if value is None or value == "":
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [value] if isinstance(value, str) else list(value)


def _to_public(document: ServiceDocument) -> PublicService:
    return PublicService(**{name: getattr(document, name) for name in PublicService.__struct_fields__})


def _join(*texts: str | None) -> str:
    return "\n".join(filter(None, texts))[:LONGEST_TEXT]


def _write_roots(tokens: Iterable[Token]) -> str:
    return " ".join(token.roots[0] for token in tokens)
