"""Responses of the public search: rate limits, the cache of finished responses, and the two formats of a page."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.http.responses import NO_STORE, Response, from_ready
from balcao.core.values.etags import etag_of
from balcao.core.values.ready import Ready
from balcao.search.conventions import parse_flag_parameter
from balcao.search.index.public_index import PublicIndex
from balcao.search.public import (
    CACHE_CONTROL,
    may_see_drafts,
    may_see_exclusive,
    respond_publicly,
)
from balcao.search.public_search import service
from balcao.search.public_search.parameters import SearchRequest, parse_text
from balcao.search.public_search.schemas import (
    FacetValue,
    HitDetails,
    ScoreInfo,
    SearchMetadata,
    SearchResult,
    Suggestions,
    UnifiedResult,
)
from balcao.search.public_search.service import Found, FoundService
from balcao.search.public_search.state import CachedResponse, SearchState
from balcao.search.rates import spend
from balcao.search.sanitising import clean_body
from balcao.search.zero_results import service as zero_results

# On average 50 a second, with bursts of 200.
RATE = "200/4 second"
PORTAL_RATE = "2000/4 second"
LIMITS = {"search.by_address": RATE, "search.by_portal": PORTAL_RATE}
_NAME = "search"
_RESULTS = b'{"results":['
_DURATION, _NUMBER = b'"took_ms":', b"0123456789.e-"
# The displayed total is exact up to this number.
MOST_COUNTED = 10_000

Parse = Callable[[Mapping[str, str]], SearchRequest]
# A function that returns the JSON of each result of a page, and the page without its results.
Write = Callable[[SearchRequest, Found, float], tuple[Sequence[bytes], SearchResult | UnifiedResult]]


async def respond_search(call: Call, peer: str, query: Mapping[str, str], parse: Parse, write: Write) -> Response[Any]:
    """Return a response with a weak ETag, from the cache if neither index nor catalogue has changed.

    Raises TooMany beyond the rate limit, Invalid for a bad parameter, and Unavailable if there is no index. If the
    caller asks for services that are not public, also raises Unauthenticated and Forbidden.
    """
    await spend(call, peer, _NAME, RATE, PORTAL_RATE)
    sees_more = any([await may_see_drafts(call, query), await may_see_exclusive(call, query)])
    request, is_trial = parse(query), parse_flag_parameter(query, "trial") is True
    state, public_index = call.platform.part(SearchState), call.platform.part(PublicIndex)
    index = await public_index.read()
    key = (write, request, public_index.version)
    cached = state.find_response(key)
    if cached is None:
        changes, began = state.changes, time.perf_counter()
        found = await service.search_services(call, index, request)
        ready = _encode(*write(request, found, round((time.perf_counter() - began) * 1000, 2)))
        counts = not found.total or (found.services and request.page == 1)
        cached = CachedResponse(ready, found.folded if counts else "", is_missed=not found.total)
        state.store_response(key, cached, changes)
    if cached.counted and not (sees_more or is_trial):
        note = zero_results.note_zero_result if cached.is_missed else zero_results.note_answered
        note(call.platform, request.q, cached.counted)
    return from_ready(cached.ready, call, NO_STORE if sees_more else CACHE_CONTROL)


async def respond_suggestions(call: Call, peer: str, query: Mapping[str, str]) -> Response[Suggestions]:
    """Return service names for the text typed so far.

    Raises TooMany beyond the rate limit, Invalid for a bad query, and Unavailable if there is no index.
    """
    await spend(call, peer, _NAME, RATE, PORTAL_RATE)
    return respond_publicly(Suggestions(await service.suggest_names(call, parse_text(query))), call)


def _encode(results: Sequence[bytes], page: SearchResult | UnifiedResult) -> Ready:
    """Encode a page with its results. Its ETag does not depend on the duration of the search."""
    frame = clean_body(msgspec.json.encode(page))
    before, name, after = frame.partition(_DURATION)
    written = b",".join(results)
    tag = etag_of(b"".join((written, before, name, after.lstrip(_NUMBER))))
    return Ready(b"".join((_RESULTS, written, frame[len(_RESULTS) :])), f"W/{tag}")


def write_result(request: SearchRequest, found: Found, took_ms: float) -> tuple[list[bytes], SearchResult]:
    """Return the results and the page in the format of `/api/v1/search`."""
    results = [_add_details(each.shown.listed, request, each) for each in found.services]
    metadata = _write_metadata(request, found, took_ms)
    return results, SearchResult([], metadata=metadata, **_write_counts(request, found))


def write_unified(request: SearchRequest, found: Found, took_ms: float) -> tuple[list[bytes], UnifiedResult]:
    """Return the results and the page in the format of the unified search, `/api/v2/search`."""
    results = [
        _add_details(
            b'{"id":"%b","collection":"services","type":"service","data":%b}'
            % (each.service.id.encode(), each.shown.public),
            request,
            each,
        )
        for each in found.services
    ]
    metadata, counts = _write_metadata(request, found, took_ms), _write_counts(request, found)
    return results, UnifiedResult([], collections=["services"], metadata=metadata, **counts)


def _add_details(service: bytes, request: SearchRequest, found: FoundService) -> bytes:
    """Return the JSON object of a service, with the members that depend on this search."""
    details = HitDetails(UNSET if found.marked is None else found.marked, _write_score(request, found))
    return b"%b,%b" % (service[:-1], clean_body(msgspec.json.encode(details))[1:])


def _write_score(request: SearchRequest, found: FoundService) -> ScoreInfo:
    return ScoreInfo(
        text_match_normalized=found.hit.text_match,
        final_score=found.hit.score,
        passed_threshold=True,
        recency_factor=round(found.hit.recency, 6) if request.recency_boost else UNSET,
    )


def _write_metadata(request: SearchRequest, found: Found, took_ms: float) -> SearchMetadata:
    return SearchMetadata(
        match=found.match,
        suggestion=found.suggestion,
        total_is_lower_bound=found.total > MOST_COUNTED,
        took_ms=took_ms,
        fallback=UNSET if request.kind == "keyword" else True,
    )


def _write_counts(request: SearchRequest, found: Found) -> Mapping[str, Any]:
    total = min(found.total, MOST_COUNTED)
    facets = {name: [FacetValue(value, count) for value, count in values] for name, values in found.facets.items()}
    return {
        "total_count": total,
        "filtered_count": total if request.threshold is None else found.passed,
        "page": request.page,
        "per_page": request.per_page,
        "search_type": "keyword",
        "facets": facets if request.facets else UNSET,
    }
