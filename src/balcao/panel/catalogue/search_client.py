"""The API operations for tuning and migrating the search.

Tuning covers old numbers, categories, synonyms, phrases, control queries, feedback and empty searches.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Categories

_ADMIN = "/search/api/v1/admin"
_MAPPINGS = f"{_ADMIN}/tombamentos"
_SYNONYMS = f"{_ADMIN}/synonyms"
_CATEGORIES = f"{_ADMIN}/categories"
_PROPOSALS = f"{_ADMIN}/search/phrase-proposals"
_CONTROL = f"{_ADMIN}/search/control-queries"
_MIGRATION = f"{_ADMIN}/migration"


class LegacyMapping(msgspec.Struct):
    id: str
    origem: str
    id_servico_antigo: str
    id_servico_novo: str
    criado_em: int
    criado_por: str
    observacoes: str | None


class LegacyMappings(msgspec.Struct):
    found: int
    tombamentos: list[LegacyMapping]


class Category(msgspec.Struct):
    name: str
    popularity_seed: int
    active: bool


class PublicCategory(msgspec.Struct):
    name: str


class SynonymGroup(msgspec.Struct):
    id: str
    terms: list[str]
    updated_at: int
    updated_by: str


class SynonymGroups(msgspec.Struct):
    found: int
    synonyms: list[SynonymGroup]


class Phrases(msgspec.Struct):
    """The phrases with which citizens ask for a service. `updated_by` is None if there are no phrases."""

    phrases: list[str]
    updated_by: str | None


class RatedService(msgspec.Struct):
    """The feedback on one service's page in the last 90 days."""

    service_id: str
    nome_servico: str
    helpful: int
    not_helpful: int
    comments: int


class RatedServices(msgspec.Struct):
    found: int
    services: list[RatedService]


class Comment(msgspec.Struct):
    id: str
    at: int
    helpful: bool
    comment: str


class Feedback(msgspec.Struct):
    """The feedback on one service's page in the last 365 days."""

    helpful: int
    not_helpful: int
    found: int
    comments: list[Comment]


class PhraseProposal(msgspec.Struct):
    query: str
    searches: int
    found_nothing: int
    opened: int
    last_day: str


class PhraseProposals(msgspec.Struct):
    found: int
    proposals: list[PhraseProposal]


class ExpectedServices(msgspec.Struct):
    query: str
    services: list[str]


class ControlQueries(msgspec.Struct):
    """The control queries.

    `expected` contains only the queries for which staff chose the services that they should find.
    """

    queries: list[str]
    expected: list[ExpectedServices] = []

    def list_expected(self, query: str) -> list[str]:
        """Return the ids of the services that a query should find."""
        return [service for each in self.expected if each.query == query for service in each.services]


class FoundService(msgspec.Struct):
    id: str
    nome_servico: str


class ExpectedService(msgspec.Struct):
    """A service that a query should find. Its name is None if the service was deleted."""

    id: str
    nome_servico: str | None
    is_public: bool


class ControlResult(msgspec.Struct):
    query: str
    expected: list[ExpectedService]
    found: list[FoundService]
    total: int
    rank: int | None
    cause: str | None


class ControlEvaluation(msgspec.Struct):
    """The results of the control queries. The scores are None if no query has expected services."""

    rated: int
    hits_at_1: float | None
    hits_at_3: float | None
    ndcg_at_10: float | None
    results: list[ControlResult]


class Hit(msgspec.Struct):
    id: str
    title: str


class Found(msgspec.Struct):
    """The results that citizens get for a query."""

    total_count: int
    results: list[Hit]


class ChangedField(msgspec.Struct):
    field: str
    rows: int


class Refused(msgspec.Struct):
    service_id: str
    reason: str


class DryRun(msgspec.Struct):
    checked: int
    failed: int
    failures: list[Refused]
    fields_changed: list[ChangedField]
    estimated_seconds: int


class Reversal(msgspec.Struct):
    """The response to a rollback: the schema version that is active again. It has no run id."""

    schema_version: str


class Run(msgspec.Struct):
    status: str
    schema_version: str
    started_at: int
    completed_at: int
    started_by: str
    total_documents: int
    migrated_documents: int
    progress: int
    error_message: str
    migration_id: str | None
    dry_run: DryRun | None = None


class Control(msgspec.Struct):
    queries: int
    overlap: float
    empty: float


class RunDetail(Run, kw_only=True):
    kind: str
    phase: str
    previous_schema_version: str
    reason: str | None
    rollback_until: int
    rollback_possible: bool
    control_queries: Control | None
    errors: list[Refused]


class PastRun(msgspec.Struct):
    id: str
    status: str
    schema_version: str
    previous_schema_version: str
    started_at: int
    completed_at: int
    started_by: str
    total_documents: int
    error_message: str


class History(msgspec.Struct):
    found: int
    migrations: list[PastRun]


class SchemaVersions(msgspec.Struct):
    current_version: str
    available_versions: list[str]


async def list_mappings(api: Api, query: Mapping[str, Any]) -> LegacyMappings:
    return await api.get(_MAPPINGS, LegacyMappings, query)


async def read_mapping(api: Api, mapping: str) -> Read[LegacyMapping]:
    return await api.read(f"{_MAPPINGS}/{quoted(mapping)}", LegacyMapping)


async def create_mapping(api: Api, body: Mapping[str, Any], key: str) -> LegacyMapping:
    return await api.send("POST", _MAPPINGS, LegacyMapping, body, key=key)


async def change_mapping(api: Api, mapping: str, body: Mapping[str, Any], etag: str) -> LegacyMapping:
    return await api.send("PUT", f"{_MAPPINGS}/{quoted(mapping)}", LegacyMapping, body, etag=etag)


async def delete_mapping(api: Api, mapping: str, etag: str) -> None:
    await api.send("DELETE", f"{_MAPPINGS}/{quoted(mapping)}", type(None), etag=etag)


async def list_categories(api: Api) -> list[Category]:
    return (await api.get(_CATEGORIES, Categories[Category])).categories


async def list_public_categories(api: Api) -> list[str]:
    """Return the category names from the public operation."""
    query = {"include_empty": True, "sort_by": "alpha", "order": "asc"}
    found = await api.get("/search/api/v1/categories", Categories[PublicCategory], query)
    return [one.name for one in found.categories]


async def read_category(api: Api, name: str) -> Read[Category]:
    return await api.read(f"{_CATEGORIES}/{quoted(name)}", Category)


async def order_category(api: Api, name: str, seed: int, *, active: bool, etag: str = "") -> Category:
    body = {"popularity_seed": seed, "active": active}
    return await api.send("PUT", f"{_CATEGORIES}/{quoted(name)}", Category, body, etag=etag)


async def list_synonyms(api: Api, term: str | None, page: int, size: int) -> SynonymGroups:
    return await api.get(_SYNONYMS, SynonymGroups, {"term": term, "page": page, "per_page": size})


async def read_synonyms(api: Api, group: str) -> Read[SynonymGroup]:
    return await api.read(f"{_SYNONYMS}/{quoted(group)}", SynonymGroup)


async def put_synonyms(api: Api, group: str, terms: list[str], etag: str = "") -> SynonymGroup:
    return await api.send("PUT", f"{_SYNONYMS}/{quoted(group)}", SynonymGroup, {"terms": terms}, etag=etag)


async def remove_synonyms(api: Api, group: str, etag: str) -> None:
    await api.send("DELETE", f"{_SYNONYMS}/{quoted(group)}", type(None), etag=etag)


async def read_phrases(api: Api, service: str) -> Read[Phrases]:
    return await api.read(_phrases(service), Phrases)


async def replace_phrases(api: Api, service: str, phrases: list[str], etag: str) -> Phrases:
    return await api.send("PUT", _phrases(service), Phrases, {"phrases": phrases}, etag=etag)


async def list_phrase_proposals(api: Api, outcome: str | None = None, page: int = 1, size: int = 25) -> PhraseProposals:
    return await api.get(_PROPOSALS, PhraseProposals, {"outcome": outcome, "page": page, "per_page": size})


def _phrases(service: str) -> str:
    return f"{_ADMIN}/services/{quoted(service)}/phrases"


async def search(api: Api, query: str, size: int = 5) -> Found:
    """Search as citizens do, without counting the search. The results contain no drafts."""
    return await api.get("/search/api/v1/search", Found, {"q": query, "per_page": size, "trial": True})


async def read_control_queries(api: Api) -> Read[ControlQueries]:
    return await api.read(_CONTROL, ControlQueries)


async def replace_control_queries(api: Api, queries: list[str], etag: str) -> ControlQueries:
    """Replace the list of queries. Queries that remain in the list retain their expected services."""
    return await api.send("PUT", _CONTROL, ControlQueries, {"queries": queries}, etag=etag)


async def replace_expected_services(
    api: Api, read: ControlQueries, query: str, services: list[str], etag: str
) -> ControlQueries:
    """Replace the services that one query should find."""
    others = [each for each in read.expected if each.query != query]
    expected = [*others, ExpectedServices(query, services)]
    body = {"queries": read.queries, "expected": msgspec.to_builtins(expected)}
    return await api.send("PUT", _CONTROL, ControlQueries, body, etag=etag)


async def evaluate_control_queries(api: Api) -> ControlEvaluation:
    return await api.get(f"{_CONTROL}/evaluation", ControlEvaluation)


async def read_migration_status(api: Api) -> Run:
    return await api.get(f"{_MIGRATION}/status", Run)


async def read_schema_versions(api: Api) -> SchemaVersions:
    return await api.get(f"{_MIGRATION}/schemas", SchemaVersions)


async def list_runs(api: Api, page: int, size: int) -> History:
    return await api.get(f"{_MIGRATION}/history", History, {"page": page, "per_page": size})


async def read_run(api: Api, run: str) -> RunDetail:
    return await api.get(f"{_MIGRATION}/runs/{quoted(run)}", RunDetail)


async def start_migration(api: Api, version: str, *, dry_run: bool, reason: str | None) -> Run:
    body = {"schema_version": version, "dry_run": dry_run, "reason": reason}
    return await api.send("POST", f"{_MIGRATION}/start", Run, body)


async def abort_migration(api: Api, run: str, reason: str | None) -> Run:
    return await api.send("POST", f"{_MIGRATION}/abort", Run, {"migration_id": run, "reason": reason})


async def roll_back_migration(api: Api, run: str, reason: str | None) -> Reversal:
    return await api.send("POST", f"{_MIGRATION}/rollback", Reversal, {"migration_id": run, "reason": reason})


async def list_rated_services(api: Api, page: int, size: int) -> RatedServices:
    return await api.get(f"{_ADMIN}/feedback", RatedServices, {"page": page, "per_page": size})


async def read_feedback(api: Api, service_id: str, helpful: bool | None, page: int, size: int) -> Feedback:
    query = {"helpful": helpful, "page": page, "per_page": size}
    return await api.get(f"{_ADMIN}/services/{quoted(service_id)}/feedback", Feedback, query)


async def delete_comment(api: Api, service_id: str, comment: str) -> None:
    path = f"{_ADMIN}/services/{quoted(service_id)}/feedback/{quoted(comment)}"
    await api.send("DELETE", path, type(None))
